package session

import (
	"bufio"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"
)

// maxWindow bounds how far back a frame may refer, and so the memory that reading it takes. Other decoders
// have the same limit if they are not told otherwise.
const maxWindow = 128 << 20

// expands says whether a file's text is larger than any log can be for its size: it would only keep the
// reader busy.
func expands(text, file int64) bool { return text > 1<<30+1024*file }

var errExpands = errors.New("it expands to more than a log can hold")

// A frameText decompresses one frame after the other. It gives out what can be read of a frame, and says
// afterwards whether that was all.
type frameText struct {
	body    frameBody
	decoder *zstd.Decoder
	sum     xxh64
	length  int64 // of this frame's text so far
	last    byte  // of it
	total   int64 // of all frames' text
	end     bool
	rest    []byte // what is there of a block that was not compressed
	err     error  // of the decoder
}

func newFrameText() (*frameText, error) {
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.IgnoreChecksum(true),
		zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(maxWindow))
	return &frameText{decoder: decoder}, err
}

// begin opens the frame that src begins with, at a place of the file. It returns false if there is no
// text to be had; fate says why.
func (f *frameText) begin(src *bufio.Reader, at int64) bool {
	f.body.begin(src, at)
	f.sum.reset()
	f.length, f.last, f.end, f.rest, f.err = 0, 0, false, nil, nil
	if f.body.over() {
		f.end = true
		return false
	}
	if f.err = f.decoder.Reset(&f.body); f.err != nil {
		f.finish()
	}
	return true
}

// Read reads the frame's text. It ends with io.EOF, whatever the reason.
func (f *frameText) Read(p []byte) (int, error) {
	if !f.end {
		n, err := f.decoder.Read(p)
		if n > 0 && err == nil && expands(f.total+int64(n), f.body.at) {
			n, err = 0, errExpands
		}
		f.count(p[:n])
		if err != nil {
			f.err = err
			f.finish()
		}
		if n > 0 {
			return n, nil
		}
	}
	if n := copy(p, f.rest); n > 0 {
		f.count(f.rest[:n])
		f.rest = f.rest[n:]
		return n, nil
	}
	if f.end {
		return 0, io.EOF
	}
	return 0, nil
}

func (f *frameText) count(text []byte) {
	if len(text) == 0 {
		return
	}
	f.sum.write(text)
	f.length += int64(len(text))
	f.total += int64(len(text))
	f.last = text[len(text)-1]
}

// finish goes to the end of the frame when the decoder has stopped.
func (f *frameText) finish() {
	f.end = true
	if f.body.torn {
		f.rest = f.body.raw // the decoder came so far and found no more
	}
	_, _ = io.Copy(io.Discard, &f.body)
}

// A fate is what became of a frame.
type fate int

const (
	frameWhole  fate = iota // everything has been read
	frameBad                // its end is known, but what is in it cannot be read
	frameTorn               // the file ends in it
	frameBroken             // its end is not known
	frameUnread             // the file could not be read
)

// fate says what became of the frame, after Read has returned io.EOF or begin false.
func (f *frameText) fate() (fate, error) {
	b := &f.body
	switch {
	case b.err != nil:
		return frameUnread, b.err
	case b.fault != nil:
		return frameBroken, b.fault
	case b.torn:
		return frameTorn, errors.New("the last frame is not complete")
	case !errors.Is(f.err, io.EOF):
		return frameBad, f.err
	case b.checksum && uint32(f.sum.sum()) != b.sum:
		return frameBad, errors.New("the checksum of a frame is wrong")
	}
	return frameWhole, nil
}
