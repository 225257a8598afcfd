package main

import (
	"bytes"
	"io"
	"strings"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/stream"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// The kinds of lines in recorded answers.
const (
	anyLine = iota
	chunkLine
	partLine
)

// lineKind tells parts and chunks apart. Some have one type and different members.
func lineKind(line []byte) int {
	o, ok := ordered.ParseObject(bytes.TrimSpace(line))
	if !ok {
		return anyLine
	}
	has := func(keys ...string) bool {
		for _, key := range keys {
			if o.Has(key) {
				return true
			}
		}
		return false
	}
	kind, ok := o.Text("type")
	switch {
	case !ok && has("$throw", "$reject"):
		return partLine
	case kind == message.BlockStart, kind == message.BlockEnd, kind == message.ToolCallDelta, kind == message.UsageChunk:
		return chunkLine
	case kind == stream.PartTextDelta, kind == stream.PartReasoningDelta, kind == stream.PartFinish:
		switch {
		case has("text", "index", "reason"):
			return chunkLine
		case has("delta", "id", "finishReason", "usage"):
			return partLine
		}
		return anyLine
	case stream.KnownPart(kind):
		return partLine
	}
	return anyLine
}

// isEvent tells whether a line is one of a host's events, as `pintle translate` writes them. Those that share their
// type with parts are not told apart.
func isEvent(line []byte) bool {
	o, _ := ordered.ParseObject(bytes.TrimSpace(line))
	switch kind, _ := o.Text("type"); kind {
	case stream.EventStart, stream.EventTextStart, stream.EventTextDelta, stream.EventTextEnd,
		stream.EventThinkingStart, stream.EventThinkingDelta, stream.EventThinkingEnd, stream.EventToolCallStart,
		stream.EventToolCallDelta, stream.EventToolCallEnd, stream.EventImageEnd, stream.EventDone:
		return true
	}
	return false
}

// notEvents is what to do about events where chunks are wanted.
const notEvents = "these are events of a host: `pintle translate --chunks` writes chunks instead"

// isLog tells whether a line is the first one of a session's log.
func isLog(line []byte) bool {
	o, _ := ordered.ParseObject(bytes.TrimSpace(line))
	kind, _ := o.Text("type")
	return kind == "session"
}

// byteOrderMark is what some programs put in front of UTF-8.
const byteOrderMark = "\ufeff"

// foreign says what to do about an input of which no line can be used, by what its beginning looks like; ""
// if that says nothing. into is where the lines should go, as a shell would have it.
func foreign(beginning []byte, into string) string {
	if bytes.HasPrefix(beginning, []byte(byteOrderMark)) {
		return "the input begins with a byte order mark: `tail -c +4 FILE " + into + "` leaves it out"
	}
	text := strings.TrimLeft(string(beginning[:min(len(beginning), 32)]), " \t\r\n")
	switch {
	case strings.HasPrefix(text, "\x1f\x8b"):
		return "the input is compressed: `gzip -dc FILE " + into + "`"
	case strings.HasPrefix(text, "\x28\xb5\x2f\xfd"):
		return "the input is compressed: `zstd -dc FILE " + into + "`"
	case strings.HasPrefix(text, "["):
		return "the input seems to be a JSON list: if it is one of an answer, `jq -c '.[]' FILE " + into + "` makes lines of it"
	}
	for _, field := range []string{"data:", "event:", "id:", "retry:", ": "} {
		if strings.HasPrefix(text, field) {
			return "the input seems to be server-sent events; the objects in their data are what is wanted: `sed -n 's/^data: *{/{/p' FILE " + into + "`"
		}
	}
	return ""
}

// maxFirst bounds what a firstLine keeps, in bytes. It is long enough for every first line of an answer.
const maxFirst = 64 << 10

// A firstLine passes an input on and keeps its first line that is not blank, or the beginning of that, which
// tells what the input is. It is for one goroutine.
type firstLine struct {
	from   io.Reader
	text   []byte
	number int // of the line, from 0
	done   bool
}

func (f *firstLine) Read(p []byte) (int, error) {
	n, err := f.from.Read(p)
	for rest := p[:n]; !f.done && len(rest) > 0; {
		line, more, ended := bytes.Cut(rest, []byte("\n"))
		f.text = append(f.text, line[:min(len(line), maxFirst-len(f.text))]...)
		blank := len(bytes.TrimSpace(f.text)) == 0
		f.done = ended && !blank || len(f.text) == maxFirst
		if ended && blank && !f.done {
			f.text = f.text[:0]
			f.number++
		}
		rest = more
	}
	return n, err
}
