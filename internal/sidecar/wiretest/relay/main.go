// Relay stands between a client and the sidecar, and writes down what passes and does not fit the schema:
//
//	PINTLE_RELAYED=/path/of/pintle PINTLE_FAULTS=faults.txt relay serve --stdio
//
// runs that pintle with these arguments. A client's tests use it as their pintle. Each fault is a paragraph
// that is appended to the file.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"

	"github.com/pintle-wasm/pintle/internal/jsonrpc"
	"github.com/pintle-wasm/pintle/internal/sidecar/wiretest"
)

func main() {
	if err := run(os.Getenv("PINTLE_RELAYED"), os.Getenv("PINTLE_FAULTS")); err != nil {
		fmt.Fprintln(os.Stderr, "relay:", err)
		os.Exit(1)
	}
}

func run(program, faults string) error {
	if program == "" || faults == "" {
		return errors.New("set PINTLE_RELAYED to a pintle, and PINTLE_FAULTS to a file")
	}
	wire, err := wiretest.NewWire()
	if err != nil {
		return err
	}
	r := &relay{wire: wire, faults: faults}
	signal.Ignore(syscall.SIGPIPE, syscall.SIGINT, syscall.SIGTERM) // the sidecar decides when it is over
	cmd := exec.Command(program, os.Args[1:]...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() {
		r.pass(wiretest.ToServer, os.Stdin, in)
		_ = in.Close()
	}()
	r.pass(wiretest.ToClient, out, os.Stdout)
	return cmd.Wait()
}

type relay struct {
	wire   *wiretest.Wire
	faults string // a path

	mu   sync.Mutex
	told int // faults that are in the file
}

// pass passes frames on until one side ends or breaks.
func (r *relay) pass(to wiretest.Direction, from io.Reader, out io.Writer) {
	in, write := jsonrpc.NewReader(from, jsonrpc.DefaultLimits().Message), jsonrpc.NewWriter(out)
	for {
		frame, err := in.Read()
		if err == nil {
			r.wire.Frame(to, frame)
			r.tell()
			err = write.Write(frame)
		}
		if err == nil {
			err = write.Flush()
		}
		if err != nil {
			return
		}
	}
}

// tell writes down what is new, at once: tests kill their sidecars.
func (r *relay) tell() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, fault := range r.wire.Faults()[r.told:] {
		r.told++
		if err := appendTo(r.faults, fault+"\n\n"); err != nil {
			fmt.Fprintln(os.Stderr, "relay:", err)
		}
	}
}

func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
