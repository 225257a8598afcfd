package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/spf13/cobra"
)

// openInput opens a file, or standard input for "-", and names it for messages.
func openInput(cmd *cobra.Command, path string) (io.ReadCloser, string, error) {
	if path == "-" {
		return io.NopCloser(cmd.InOrStdin()), "standard input", nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, "", &usageError{err: err}
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, "", &usageError{err: fmt.Errorf("%s: is a folder", path), hint: "name a file"}
	}
	return f, path, nil
}

// maxLine bounds one line, in bytes. It is that of recorded chunks in general.
const maxLine = 64 << 20

// errLongLine says that a line is longer than maxLine.
var errLongLine = fmt.Errorf("longer than %d bytes", maxLine)

// readLine returns the next line with its line feed, in memory of its own.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			return nil, errLongLine
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// lines yields the lines of an input as they arrive, with their line feeds. Each is
// a slice of its own. It ends with the context, even when the input is silent: the goroutine that waits
// for more input then waits on, and ends with the input or the process.
func lines(ctx context.Context, r io.Reader) iter.Seq2[[]byte, error] {
	type line struct {
		text []byte
		err  error
	}
	return func(yield func([]byte, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		arrived := make(chan line)
		go func() {
			defer close(arrived)
			in := bufio.NewReader(r)
			for {
				text, err := readLine(in)
				if len(text) == 0 && errors.Is(err, io.EOF) {
					return
				}
				if errors.Is(err, io.EOF) {
					err = nil
				}
				select {
				case arrived <- line{text, err}:
				case <-ctx.Done():
					return
				}
				if err != nil {
					return
				}
			}
		}()
		for {
			select {
			case l, more := <-arrived:
				if !more || !yield(l.text, l.err) || l.err != nil {
					return
				}
			case <-ctx.Done():
				yield(nil, ctx.Err())
				return
			}
		}
	}
}
