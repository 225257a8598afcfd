package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/stream"
)

// errChunk says that an input has chunks where parts are wanted.
var errChunk = errors.New("a chunk, and no part of the AI SDK")

// notAPart is what is wrong with an input that begins with a line; into is where parts should go.
func notAPart(input string, err error, first []byte, into string) error {
	hint := foreign(first, into)
	switch {
	case errors.Is(err, errChunk):
		hint = "`pintle assemble` takes chunks"
	case hint == "":
		hint = "every line is one part, a JSON object with a type"
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("%w: the last line is not complete", err)
	}
	return &usageError{err: fmt.Errorf("%s: %w", input, err), hint: hint}
}

// A failedAnswer is why an answer failed, "" if nobody says.
type failedAnswer struct{ why, advice string }

func (e *failedAnswer) Error() string {
	if e.why == "" {
		return "the answer failed, and the provider does not say why"
	}
	return "the answer failed: " + oneLine(safeText(e.why), 600)
}

// failure is why an answer has failed as it was written: by its last event, or by its finish chunk, which
// may be an error though the event is none.
func (t *translation) failure(last *stream.Event) error {
	if last.Type == stream.EventError {
		return &failedAnswer{last.Message.ErrorMessage, t.advice(last.Message)}
	}
	if t.finish == nil || t.finish.Kind != message.Failed {
		return nil
	}
	if t.finish.Failure == nil {
		return &failedAnswer{}
	}
	return &failedAnswer{why: t.finish.Failure.Error()}
}

// advice says what to do about an answer that failed.
func (t *translation) advice(m *stream.Message) string {
	switch {
	case m.Failure == stream.UnadvertisedTool:
		return "the tools of --tools are all that there are; without it calls of any tool pass"
	case t.textLost(m):
		return lostText + "; see \"Recording\" in `pintle translate --help`"
	case m.Failure == stream.MissingFinish && len(t.Silent) > 0:
		return "without effect: " + oneLine(t.silentWords(), 600)
	}
	return ""
}

const lostText = "the recording does not have the error's text: JSON.stringify makes {} of an Error, so record its name and message"

// textLost tells whether the text of the error was lost on the way into the recording.
func (t *translation) textLost(m *stream.Message) bool {
	return m.Failure == stream.Reported && (m.ErrorMessage == "{}" || t.emptyThrow && m.ErrorMessage == "")
}
