package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// maxInput bounds, in bytes, what is read whole: some inputs, as /dev/zero, have no end.
const maxInput = 256 << 20

// readFile reads a file that the user names, which may be a pipe, as what a shell makes of <(command). It ends with
// the context: a pipe may have no writer.
func readFile(ctx context.Context, path string) ([]byte, error) {
	return patiently(ctx, func() ([]byte, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		text, err := readUpTo(f, maxInput)
		if err != nil {
			return nil, inFile(path, err)
		}
		return text, nil
	})
}

// readAll reads an input to its end, and ends with the context as well: the one who is to type it may think otherwise.
func readAll(ctx context.Context, in io.Reader) ([]byte, error) {
	return patiently(ctx, func() ([]byte, error) { return readUpTo(in, maxInput) })
}

// patiently waits for what may take for ever, as long as the context goes on. The goroutine ends with its input, or
// with the process.
func patiently(ctx context.Context, read func() ([]byte, error)) ([]byte, error) {
	type result struct {
		text []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := read()
		done <- result{text, err}
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func readUpTo(in io.Reader, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(in, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("longer than %d bytes", most)
	}
	if err != nil {
		return nil, err
	}
	return text, nil
}

// inFile names the file of an error that does not do so itself.
func inFile(path string, err error) error {
	if _, names := err.(*fs.PathError); names {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}
