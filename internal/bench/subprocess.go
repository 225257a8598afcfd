package main

import (
	"bufio"
	"encoding/binary"
	"io"
	"os"
	"os/exec"
)

// pipeChild is the argument that makes this program the other end of the pipe.
const pipeChild = "serve-frames"

// serveChild answers every frame, a length in four bytes and as many bytes, with the same frame.
func serveChild(in io.Reader, out io.Writer) {
	r, w := bufio.NewReader(in), bufio.NewWriter(out)
	var frame []byte
	for {
		var err error
		if frame, err = readFrame(r, frame); err != nil {
			return
		}
		if writeFrame(w, frame) != nil {
			return
		}
	}
}

func readFrame(r io.Reader, frame []byte) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	n := int(binary.LittleEndian.Uint32(head[:]))
	if cap(frame) < n {
		frame = make([]byte, n)
	}
	_, err := io.ReadFull(r, frame[:n])
	return frame[:n], err
}

func writeFrame(w *bufio.Writer, frame []byte) error {
	var head [4]byte
	binary.LittleEndian.PutUint32(head[:], uint32(len(frame)))
	_, _ = w.Write(head[:]) // a bufio.Writer repeats its error
	_, _ = w.Write(frame)
	return w.Flush()
}

// subprocess exchanges frames with a process of this program.
func (b *bench) subprocess() (func() error, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	child := exec.CommandContext(b.ctx, self, pipeChild)
	stdin, err := child.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := child.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := child.Start(); err != nil {
		return nil, err
	}
	b.defers(func() error {
		_ = stdin.Close() // tells it to end
		return child.Wait()
	})
	w, r := bufio.NewWriter(stdin), bufio.NewReader(stdout)
	p := newPrompt()
	var frame []byte
	return func() error {
		if err := writeFrame(w, p.next()); err != nil {
			return err
		}
		if frame, err = readFrame(r, frame); err != nil {
			return err
		}
		return same(frame, p.text)
	}, nil
}
