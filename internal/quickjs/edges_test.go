package quickjs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	adaptersv2 "github.com/pintle-wasm/pintle/abi/payloadadapters/v2"
)

// A rewritten payload may be as large as an answer, and no larger.
func TestRewriteUpToTheLimit(t *testing.T) {
	const want = `{"a":12345}`
	for _, edits := range []string{`[{"op":"set","at":["a"],"value":"12345"}]`, `[{"op":"set","at":[],"value":"{\"a\":12345}"}]`} {
		got, err := rewriting([]byte(`{"a":1}`), len(want), edits)
		require.NoError(t, err)
		assert.Equal(t, want, got)
		_, err = rewriting([]byte(`{"a":1}`), len(want)-1, edits)
		assert.ErrorContains(t, err, "the answer has 11 bytes, at most 10 are allowed")
	}
}

// An answer without addresses has empty ones: null is none in the ABI.
func TestEditsOfV2WithoutAddresses(t *testing.T) {
	r := reply{op: abi.EditV2, limit: 1000}
	out, err := r.fromJSON(nil, formEdits, []byte(`{"prompt":{"edits":[{"op":"remove"}]},"messages":{}}`))
	require.NoError(t, err)
	value, err := abi.DecodeAnswer(out)
	require.NoError(t, err)
	var got adaptersv2.Answer
	require.NoError(t, abi.Decode(value, &got))
	nowhere := adaptersv2.Address{}
	assert.Equal(t, adaptersv2.Answer{
		Prompt:   &adaptersv2.PromptEdits{At: nowhere, Edits: []adaptersv2.Edit{{Op: adaptersv2.OpRemove, At: nowhere}}},
		Messages: &adaptersv2.MessageEdits{Edits: []adaptersv2.Edit{}},
	}, got)
}

// Edits that are short in JSON may be long in an answer.
func TestEditsOfV2UpToTheLimit(t *testing.T) {
	text := `{"messages":{"edits":[` + strings.Repeat("{},", 99) + `{}]}}`
	r := reply{op: abi.EditV2, limit: 2000}
	v := &VM{machine: free{}}
	require.NoError(t, v.form(&r, formEdits, []byte(text)))
	r.limit = len(text)
	var fault *Fault
	require.ErrorAs(t, v.form(&r, formEdits, []byte(text)), &fault)
	assert.Equal(t, TooLarge, fault.Of)
}

// An allocator is a machine that hands out memory and takes it back.
type allocator struct {
	Machine
	written   map[uint32]int // bytes, by address
	allocated []uint64
	freed     []uint64
}

const allocatedAt = 1 << 20

func (a *allocator) Call(export string, args ...uint64) (uint64, error) {
	switch export {
	case "wasm_malloc":
		a.allocated = append(a.allocated, args[0])
		return allocatedAt, nil
	case "wasm_free":
		a.freed = append(a.freed, args[0])
	}
	return 0, nil
}

func (a *allocator) Write(at uint32, data []byte) bool { a.written[at] = len(data); return true }
func (a *allocator) Stop() error                       { return nil }

// Texts go through the buffer as long as they fit, and others through memory that is given back.
func TestTextsOnTheirWayIn(t *testing.T) {
	const buffer = 1 << 10
	text := []byte(strings.Repeat("x", bufferBytes+1))
	in := func(text []byte) *allocator {
		a := &allocator{written: map[uint32]int{}}
		_, err := (&VM{machine: a, state: State{buffer: buffer}}).newString(text)
		require.NoError(t, err)
		return a
	}
	assert.Equal(t, &allocator{written: map[uint32]int{buffer: bufferBytes}}, in(text[:bufferBytes]))
	assert.Equal(t, &allocator{written: map[uint32]int{allocatedAt: bufferBytes + 1}, allocated: []uint64{bufferBytes + 1},
		freed: []uint64{allocatedAt}}, in(text))
}

// What one call needed does not stay for all that follow.
func TestBuffersAreKept(t *testing.T) {
	assert.NotNil(t, kept(make([]byte, 1, maxKept)))
	assert.Nil(t, kept(make([]byte, 1, maxKept+1)))
}

// A memory is a machine that has nothing but memory.
type memory struct {
	Machine
	bytes []byte
}

func (m *memory) Read(offset, count uint32) ([]byte, bool) {
	if uint64(offset)+uint64(count) > uint64(len(m.bytes)) {
		return nil, false
	}
	return m.bytes[offset:][:count], true
}

func (m *memory) Write(offset uint32, data []byte) bool {
	at, ok := m.Read(offset, uint32(len(data)))
	copy(at, data)
	return ok
}

// Of all that is rejected the handles are kept to be freed, up to a bound, and the first reasons to be told.
func TestRejectionsAreBounded(t *testing.T) {
	const promise, other, reason, outside = 8, 16, 24, 60
	m := &memory{bytes: make([]byte, 64)}
	m.bytes[promise], m.bytes[other] = 1, 2
	v := &VM{machine: m}
	v.Rejected(promise, reason, false)
	v.Rejected(other, reason, false)
	v.Rejected(other, reason, true)
	assert.Equal(t, []rejection{{1, reason, false}, {2, reason, true}}, v.rejections)
	assert.Equal(t, []uint32{promise, reason, other, reason, other, reason}, v.handles)
	v.Rejected(outside, reason, false)
	assert.Len(t, v.handles, 6)
	for range maxHandles {
		v.Rejected(promise, reason, false)
	}
	assert.Len(t, v.rejections, maxRejections)
	assert.LessOrEqual(t, len(v.handles), maxHandles+1)
	v.Restore(State{})
	assert.Empty(t, v.rejections)
	assert.Empty(t, v.handles, "they belong to the memory that is gone")
}

// A request may nest as deep as a message.
func TestRequestNestsAsDeepAsMessages(t *testing.T) {
	in := []byte("\xa1\x61a" + strings.Repeat("\x81", 31) + "\x00")
	require.NoError(t, abi.Check(in))
	got, _, err := appendRequest(nil, in)
	require.NoError(t, err)
	assert.Equal(t, `{"a":`+strings.Repeat("[", 31)+"0"+strings.Repeat("]", 31)+"}", string(got))
	require.Error(t, abi.Check([]byte("\xa1\x61a"+strings.Repeat("\x81", 32)+"\x00")))
}

// The length in front of a payload is right where its form changes.
func TestRewriteOfAllLengths(t *testing.T) {
	for _, n := range []int{2, 23, 24, 255, 256, 1<<16 - 1, 1 << 16, 1<<16 + 1} {
		text := `"` + strings.Repeat("x", n-2) + `"`
		got, err := rewriting([]byte(`{}`), n, `[{"op":"set","at":[],"value":`+string(appendText(nil, []byte(text)))+`}]`)
		require.NoError(t, err, n)
		assert.True(t, got == text, n)
	}
}
