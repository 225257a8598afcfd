//go:build unix

package pi

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// Process is a module that runs on a Pi's Node and is spoken to in lines.
type Process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Scanner
	stderr bytes.Buffer
}

// Start starts a module in the sandbox. Close ends it.
func (in *Install) Start(s *Sandbox, env []string, file string, args ...string) (*Process, error) {
	p := &Process{cmd: exec.Command(in.Node, append([]string{file}, args...)...)}
	p.cmd.Dir, p.cmd.Env, p.cmd.Stderr = s.CWD, s.Env(env...), &p.stderr
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.cmd.WaitDelay = time.Minute
	var err error
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.stdout = bufio.NewScanner(stdout)
	p.stdout.Buffer(nil, 16<<20)
	return p, p.cmd.Start()
}

// Send sends a line.
func (p *Process) Send(line string) error {
	if _, err := fmt.Fprintln(p.stdin, line); err != nil {
		return p.failed(err)
	}
	return nil
}

// Next waits for the next line.
func (p *Process) Next() (string, error) {
	if !p.stdout.Scan() {
		return "", p.failed(errors.Join(p.stdout.Err(), io.ErrUnexpectedEOF))
	}
	return strings.TrimSpace(p.stdout.Text()), nil
}

func (p *Process) failed(err error) error {
	return fmt.Errorf("%s: %w\nstderr: %s", p.cmd, err, p.stderr.String())
}

// Close ends the input, waits for a while and ends what is left by force.
func (p *Process) Close() error {
	_ = p.stdin.Close()
	force := time.AfterFunc(2*time.Minute, func() { _ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) })
	defer force.Stop()
	if err := p.cmd.Wait(); err != nil {
		return p.failed(err)
	}
	return nil
}
