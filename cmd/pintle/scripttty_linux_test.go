package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"unsafe"
)

// tty runs a command at a terminal of its own, /dev/tty, types an empty line or the text of TTY_TYPED and the end
// of input, and writes all that the terminal shows. It ends when nobody has the terminal any more and all has been
// read; the terminal of testscript loses what has not been read when the command ends.
//
//	exec pintle-tty sh -c 'pintle inspect g.wasm >/dev/tty'
func tty() {
	code, err := atTerminal(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "pintle-tty:", err)
		code = 99
	}
	os.Exit(code)
}

func atTerminal(args []string) (int, error) {
	person, terminal, err := openTerminal()
	if err != nil {
		return 0, err
	}
	defer person.Close()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stderr = os.Stdin, os.Stderr
	cmd.ExtraFiles = []*os.File{terminal}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
	err = cmd.Start()
	terminal.Close()
	if err != nil {
		return 0, err
	}
	const endOfInput = "\x04"
	if _, err := io.Copy(person, strings.NewReader(os.Getenv("TTY_TYPED")+"\n"+endOfInput)); err != nil {
		return 0, err
	}
	if _, err := io.Copy(os.Stdout, person); err != nil && !errors.Is(err, syscall.EIO) { // how it ends
		return 0, err
	}
	err = cmd.Wait()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = nil
	}
	return cmd.ProcessState.ExitCode(), err
}

// openTerminal opens both ends of a new terminal.
func openTerminal() (person, terminal *os.File, err error) {
	person, err = os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	var locked, number int32
	if err := errors.Join(ioctl(person, syscall.TIOCSPTLCK, &locked), ioctl(person, syscall.TIOCGPTN, &number)); err != nil {
		return nil, nil, err
	}
	terminal, err = os.OpenFile(fmt.Sprint("/dev/pts/", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	var modes syscall.Termios
	err = ioctl(terminal, syscall.TCGETS, &modes)
	modes.Lflag &^= syscall.ECHO // what is typed would come in the midst of what the command writes
	return person, terminal, errors.Join(err, ioctl(terminal, syscall.TCSETS, &modes))
}

func ioctl[T any](file *os.File, request uintptr, value *T) error {
	if _, _, code := syscall.Syscall(syscall.SYS_IOCTL, file.Fd(), request, uintptr(unsafe.Pointer(value))); code != 0 {
		return fmt.Errorf("ioctl %#x: %w", request, code)
	}
	return nil
}
