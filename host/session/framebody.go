package session

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// frameMagic begins every frame.
const frameMagic = "\x28\xb5\x2f\xfd"

// maxFrameHeader is the length of the longest header: the magic number, the descriptor, the window, the
// dictionary and the size of the content.
const maxFrameHeader = 4 + 1 + 1 + 4 + 8

// A frameBody gives out the bytes of one frame, and finds its end by walking its headers, without
// decompressing. Frames that may be skipped are no part of a log.
type frameBody struct {
	src *bufio.Reader
	at  int64 // in the file
	// left is how much of the current piece is still to come.
	left int
	// kept says that the piece is the content of a block that is not compressed, and raw is what has come
	// of it.
	kept bool
	raw  []byte
	last bool // no block follows
	done bool

	checksum bool   // there is one
	sum      uint32 // the checksum
	// tail is what is still to be given out of small, a block's header or the checksum, in front of the piece.
	tail  []byte
	small [4]byte

	torn  bool  // the file ends in the frame
	fault error // the frame's headers are wrong
	err   error // the file could not be read
}

func (b *frameBody) over() bool { return b.torn || b.fault != nil || b.err != nil }

// peek returns the next n bytes, or notes why there are not so many.
func (b *frameBody) peek(n int) ([]byte, bool) {
	head, err := b.src.Peek(n)
	if err == nil {
		return head, true
	}
	if errors.Is(err, io.EOF) {
		b.torn = true
	} else {
		b.err = err
	}
	b.skip(len(head)) // a torn end belongs to the frame
	return head, false
}

func (b *frameBody) skip(n int) {
	_, _ = b.src.Discard(n)
	b.at += int64(n)
}

// begin reads the frame's header.
func (b *frameBody) begin(src *bufio.Reader, at int64) {
	*b = frameBody{src: src, at: at, raw: b.raw[:0]}
	head, err := src.Peek(maxFrameHeader)
	if err != nil && !errors.Is(err, io.EOF) {
		b.err = err
		return
	}
	length := len(frameMagic) + 1
	if len(head) >= length {
		descriptor := head[len(frameMagic)]
		single := descriptor&(1<<5) != 0
		length += [...]int{0, 1, 2, 4}[descriptor&3]
		if size := [...]int{0, 2, 4, 8}[descriptor>>6]; size > 0 {
			length += size
		} else if single {
			length++
		}
		if !single {
			length++
		}
		b.checksum = descriptor&(1<<2) != 0
		if descriptor&(1<<3) != 0 {
			b.fault = errors.New("a reserved bit is set in the header of a frame")
		}
	}
	if len(head) >= len(frameMagic) && string(head[:len(frameMagic)]) != frameMagic {
		b.fault = errors.New("there is something else where a frame should begin")
	}
	if b.fault != nil {
		return
	}
	if _, ok := b.peek(length); ok {
		b.left = length
	}
}

// Read reads the frame's bytes up to its end.
func (b *frameBody) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for b.left == 0 && len(b.tail) == 0 {
		if b.done {
			return 0, io.EOF
		}
		if b.over() {
			return 0, io.ErrUnexpectedEOF
		}
		if b.last {
			b.end()
		} else {
			b.block()
		}
	}
	if len(b.tail) > 0 {
		n := copy(p, b.tail)
		b.tail = b.tail[n:]
		return n, nil
	}
	n, err := b.src.Read(p[:min(len(p), b.left)])
	b.at += int64(n)
	b.left -= n
	if b.kept {
		b.raw = append(b.raw, p[:n]...)
	}
	if errors.Is(err, io.EOF) {
		b.torn, b.left = true, 0
	} else if err != nil {
		b.err, b.left = err, 0
	}
	return n, nil
}

// maxBlock is how large a block of a frame can be, in bytes.
const maxBlock = 128 << 10

// block reads the header of a block. The piece that follows is its content.
func (b *frameBody) block() {
	b.kept, b.raw = false, b.raw[:0]
	head, ok := b.peek(3)
	if !ok {
		return
	}
	header := uint32(head[0]) | uint32(head[1])<<8 | uint32(head[2])<<16
	b.last = header&1 != 0
	size := int(header >> 3)
	switch header >> 1 & 3 {
	case 0:
		b.kept = true
	case 1:
		size = 1 // one byte that is repeated
	case 3:
		b.fault = errors.New("a block of a frame has the reserved type")
		return
	}
	if header>>3 > maxBlock {
		b.fault = errors.New("a block of a frame is larger than blocks can be")
		return
	}
	b.tail = b.small[:copy(b.small[:], head)]
	b.skip(len(head))
	b.left = size
}

// end reads the checksum. One that is cut off is made up for the decoder, which then gives out the text
// in front of it.
func (b *frameBody) end() {
	b.kept, b.raw = false, b.raw[:0]
	b.done = true
	if !b.checksum {
		return
	}
	b.small = [4]byte{}
	b.tail = b.small[:]
	if head, ok := b.peek(len(b.small)); ok {
		copy(b.small[:], head)
		b.sum = binary.LittleEndian.Uint32(head)
		b.skip(len(head))
	}
}
