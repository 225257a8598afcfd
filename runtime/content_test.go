package runtime

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// Whatever a memory held, all of it or a part is what it was.
func TestContentIsWrittenBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		memory := make([]byte, rapid.IntRange(0, 40*block).Draw(rt, "size"))
		for range rapid.IntRange(0, 6).Draw(rt, "stretches") {
			at := rapid.IntRange(0, len(memory)).Draw(rt, "at")
			n := rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(0, 9*block)).Draw(rt, "length")
			for i := at; i < min(at+n, len(memory)); i++ {
				memory[i] = byte(i%255 + 1)
			}
		}
		c := contentOf(memory)
		from := rapid.IntRange(0, len(memory)).Draw(rt, "from")
		n := rapid.IntRange(0, len(memory)-from).Draw(rt, "n")
		spoilt := bytes.Repeat([]byte{0xee}, len(memory))
		c.write(spoilt[from:from+n], uint32(from))
		want := bytes.Repeat([]byte{0xee}, len(memory))
		copy(want[from:from+n], memory[from:])
		if !bytes.Equal(want, spoilt) {
			rt.Fatal("not what it was")
		}
		held := 0
		for _, r := range c.runs {
			held += len(r.data)
		}
		if held != c.bytes || int(c.size) != len(memory) {
			rt.Fatalf("%d bytes of %d, said to be %d of %d", held, len(memory), c.bytes, c.size)
		}
	})
}

func TestContentKeepsNoZerosAndNoLongRuns(t *testing.T) {
	assert.Empty(t, contentOf(make([]byte, 10<<20)).runs)
	long := contentOf(bytes.Repeat([]byte{1}, 1<<20))
	assert.Len(t, long.runs, 4)
	assert.Equal(t, 1<<20, long.bytes)
	memory := make([]byte, 1<<20)
	memory[5*block] = 1
	assert.Equal(t, block, contentOf(memory).bytes)
}
