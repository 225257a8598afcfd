package session

import (
	"bytes"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestXXH64(t *testing.T) {
	for text, want := range map[string]uint64{
		"":    0xef46db3751d8e999,
		"a":   0xd24ec4f1a98c6e5b,
		"abc": 0x44bc2cf5ad770999,
		"The quick brown fox jumps over the lazy dog": 0x0b242d361fda71bc,
	} {
		var x xxh64
		x.reset()
		x.write([]byte(text))
		assert.Equal(t, want, x.sum(), "%q", text)
	}
}

// The encoder of another hand writes the same checksum at the end of its frames.
func TestXXH64InPieces(t *testing.T) {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.Byte(), 1, 200).Draw(t, "text")
		frame := encoder.EncodeAll(text, nil)
		var x xxh64
		x.reset()
		for rest := text; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			x.write(rest[:n])
			rest = rest[n:]
		}
		sum := uint32(x.sum())
		want := []byte{byte(sum), byte(sum >> 8), byte(sum >> 16), byte(sum >> 24)}
		if !bytes.HasSuffix(frame, want) {
			t.Fatalf("%x does not end %x", want, frame)
		}
	})
}
