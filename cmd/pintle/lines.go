package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
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
	return f, path, nil
}

// lines yields the lines of an input as they arrive, the last one with or without a line feed. Each is
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
				text, err := in.ReadBytes('\n')
				if len(text) == 0 && errors.Is(err, io.EOF) {
					return
				}
				if errors.Is(err, io.EOF) {
					err = nil
				}
				select {
				case arrived <- line{bytes.TrimRight(text, "\r\n"), err}:
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
