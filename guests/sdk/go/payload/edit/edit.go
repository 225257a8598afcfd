// Package edit lets a guest adapt request payloads that stay in the host: the interface
// provider-payload-adapters/v2. The adapter's entry in pintle.toml says which places of a payload the
// guest wants to see (view) and which it may change (write). The guest gets those places, however large
// the payload is, and answers edits of it:
//
//	[[adapters]]
//	interface = "provider-payload-adapters/v2"
//	id = "acme-chat"
//	apis = ["acme-chat"]
//	write = [["system"], ["turns"]]
//
//	[[adapters.view]]
//	path = ["system"]
//	clip = 80
//
// Package payload has version 1 of the interface, which hands whole payloads to the guest. A guest may
// offer both: where an adapter cannot answer from its view it returns [UseV1].
package edit

import (
	"errors"

	"github.com/pintle-wasm/pintle/guests/sdk/go/internal/call"
	"github.com/pintle-wasm/pintle/guests/sdk/go/internal/cbor"
	"github.com/pintle-wasm/pintle/internal/ecma"
)

// A Request asks for the edits of one payload.
type Request struct {
	ID           string // the adapter's id in pintle.toml
	Provider     string
	API          string    // empty if the host does not know it
	SystemPrompt string    // the prompt that shall be in the payload
	Messages     []Message // the developer messages that shall be in it, in their order
	// View is what the selectors of pintle.toml found: those of one selector in the order of the
	// document, selectors in the order of the file.
	View []Entry
}

// A Message is one developer message.
type Message struct{ ID, Content string }

// An Answer says what is to be changed. The zero Answer changes nothing.
type Answer struct {
	// PromptAt is the address of the string that is the payload's system prompt, nil if there is none.
	PromptAt Address
	// Prompt puts Request.SystemPrompt there. It is carried out only if the string at PromptAt equals
	// the prompt that the host had built, which the guest does not know.
	Prompt []Edit
	// Messages makes the payload's developer messages those of the request. It is carried out in any
	// case, so it must be right whether or not Prompt is carried out too.
	Messages []Edit
}

// An Edit is one change of a payload; [Set], [Insert], [Remove] and [Append] make one. Addresses mean the payload
// as it was before any edit. An edit outside the places that pintle.toml lists under write, at an address
// that does not exist, or of something that another one sets or removes (but [Append]) makes the host
// refuse the whole answer and send the payload as it was. So do more than 1,024 edits, or values of more than 1 MiB.
type Edit struct {
	Op    Op
	At    Address
	Value []byte // one JSON text; not of OpRemove
}

// An Op is a kind of edit.
type Op string

// The kinds of edits.
const (
	OpSet    Op = "set"
	OpInsert Op = "insert"
	OpRemove Op = "remove"
	OpAppend Op = "append"
)

// Set puts a JSON text in the place of a value. A member that its object does not have is added at the
// object's end.
func Set(at Address, value []byte) Edit { return Edit{OpSet, at, value} }

// Insert puts a JSON text into a list, in front of the element at the address; the index that is the
// list's length stands for its end. Several inserts at one place keep their order.
func Insert(at Address, value []byte) Edit { return Edit{OpInsert, at, value} }

// Remove takes an element out of its list, or a member with its name out of its object.
func Remove(at Address) Edit { return Edit{Op: OpRemove, At: at} }

// Append puts the text of a JSON string behind the string at the address. If another edit sets that
// string the text goes behind the new one, so the two are right together and alone. Several appends to one
// string keep their order.
func Append(at Address, value []byte) Edit { return Edit{OpAppend, at, value} }

// Quote writes a text as a JSON string, for use as a value or inside one.
func Quote(text string) []byte { return ecma.AppendString(nil, text) }

// UseV1 returns the error of an adapter that cannot answer from its view. The host then asks the adapter
// of version 1 that the same guest offers for the same providers, APIs and models; if there is none it
// sends the payload as it was. The reason is for people.
func UseV1(reason string) error { return useV1(reason) }

type useV1 string

func (e useV1) Error() string { return string(e) }

var handlers = map[string]func(*Request) (Answer, error){}

// Handle registers an adapter under its id in pintle.toml. Call it from init. The function is never
// called concurrently.
func Handle(id string, edit func(r *Request) (Answer, error)) { handlers[id] = edit }

func serve(v cbor.Value) ([]byte, error) {
	r := decode(v)
	handler, ok := handlers[r.ID]
	if !ok {
		return nil, errors.New("no handler for adapter " + r.ID + "; there are handlers for: " + call.Names(handlers))
	}
	a, err := handler(r)
	if err == nil {
		return a.encode(), nil
	}
	// errors.As would add reflection to every guest.
	for cause := err; cause != nil; cause = errors.Unwrap(cause) {
		if _, ok := cause.(useV1); ok {
			return cbor.Failure("use-v1", err.Error()), nil
		}
	}
	return nil, err
}

func decode(v cbor.Value) *Request {
	r := &Request{}
	r.ID, _ = v.Get("id").Text()
	r.Provider, _ = v.Get("provider").Text()
	r.API, _ = v.Get("api").Text()
	r.SystemPrompt, _ = v.Get("systemPrompt").Text()
	for _, item := range v.Get("messages").List() {
		var m Message
		m.ID, _ = item.Get("id").Text()
		m.Content, _ = item.Get("content").Text()
		r.Messages = append(r.Messages, m)
	}
	found := v.Get("view").List()
	r.View = make([]Entry, len(found))
	for i, item := range found {
		r.View[i] = Entry{At: addressOf(item.Get("at")), Value: valueOf(item.Get("value"))}
	}
	return r
}

func (a *Answer) encode() []byte {
	hasPrompt, hasMessages := a.PromptAt != nil, len(a.Messages) > 0
	if !hasPrompt && !hasMessages {
		return cbor.Nothing()
	}
	keys := 0
	for _, has := range []bool{hasPrompt, hasMessages} {
		if has {
			keys++
		}
	}
	b := cbor.AppendMap(cbor.Begin(), keys)
	if hasPrompt {
		b = cbor.AppendText(b, "prompt")
		b = cbor.AppendMap(b, 2)
		b = a.PromptAt.append(cbor.AppendText(b, "at"))
		b = appendEdits(b, a.Prompt)
	}
	if hasMessages {
		b = cbor.AppendText(b, "messages")
		b = cbor.AppendMap(b, 1)
		b = appendEdits(b, a.Messages)
	}
	return b
}

func appendEdits(b []byte, edits []Edit) []byte {
	b = cbor.AppendList(cbor.AppendText(b, "edits"), len(edits))
	for _, e := range edits {
		keys := 2
		if e.Op != OpRemove {
			keys++
		}
		b = cbor.AppendMap(b, keys)
		b = e.At.append(cbor.AppendText(b, "at"))
		b = cbor.AppendText(cbor.AppendText(b, "op"), string(e.Op))
		if e.Op != OpRemove {
			b = cbor.AppendBytes(cbor.AppendText(b, "value"), e.Value)
		}
	}
	return b
}
