package turn

import (
	"context"
	"iter"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/replay"
)

// A Request is what a provider is asked. It must not be changed.
type Request struct {
	// Route is the model to ask.
	Route message.Route
	// System is the system prompt, "" for none.
	System string
	// Tools are those that the model may call.
	Tools []replay.Tool
	// Messages are the history, oldest first. Replay state is there only on messages whose provider is
	// served by the same instance, so the provider may take what it finds for its own.
	Messages []message.Message

	// reader is without the route.
	reader replay.Reader
}

// Reader returns what the messages are to be read with, to make a request of them in the provider's own
// words: messages that degrade, and what else is lost, are told to the loop, or as the router says.
func (r *Request) Reader() *replay.Reader {
	reader := r.reader
	reader.Route = r.Route
	return &reader
}

// A Provider asks a model. Its methods may be called at the same time.
type Provider interface {
	// Stream makes one attempt at a request and yields the answer's chunks, by the rules of the
	// replay-state protocol, section "What an adapter must emit", which the doc of package
	// message repeats. A failure is told by an error, which ends the stream and may be or wrap a
	// *message.Failure, or by a finish chunk of kind message.Failed or message.Aborted. A stream that ends
	// without either counts as an answer that is complete, so a lost connection has to be an error.
	//
	// The stream ends soon after ctx is done: nobody else ends it.
	Stream(ctx context.Context, req *Request) iter.Seq2[message.Chunk, error]
}
