package turn

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/pintle-wasm/pintle/host/message"
)

// maxLine bounds one line of recorded chunks, in bytes.
const maxLine = 64 << 20

// ParseChunks reads a recorded stream: one chunk per line, as JSON; blank lines are skipped. Chunks are
// yielded as their lines arrive. An error names the line, counted from 1, and ends the sequence.
func ParseChunks(r io.Reader) iter.Seq2[message.Chunk, error] {
	return func(yield func(message.Chunk, error) bool) {
		lines := bufio.NewReader(r)
		for n := 1; ; n++ {
			line, err := readLine(lines)
			if len(bytes.TrimSpace(line)) > 0 && (err == nil || err == io.EOF) {
				c, bad := message.ParseChunk(line)
				if bad != nil {
					yield(message.Chunk{}, fmt.Errorf("line %d: %w", n, bad))
					return
				}
				if !yield(c, nil) {
					return
				}
			}
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(message.Chunk{}, fmt.Errorf("line %d: %w", n, err))
				return
			}
		}
	}
}

// readLine returns the next line in memory of its own: a chunk keeps the text that it was read from.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxLine {
			return nil, fmt.Errorf("longer than %d bytes", maxLine)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}
