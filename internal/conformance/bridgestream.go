package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"os"

	"github.com/pintle-wasm/pintle/host/history"
	"github.com/pintle-wasm/pintle/host/stream"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

func streamCases() Suite {
	translate := Operation{run: runStream, bind: bindStream}
	return Suite{"stream-parts": translate, "stream-tools": translate, "stream-random": translate}
}

func runStream(ctx context.Context, c *testCase) (any, error) {
	tools, err := boundTools(c)
	if err != nil {
		return nil, err
	}
	parts, err := streamParts(c.input.Get("parts"))
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "pintle-conformance-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	cfg := stream.Config{
		Toolset: tools, Model: streamModel(c.input.Get("model")), Todos: history.Todos(tools, raws(c.input.Get("messages"))),
		Files: stream.FilesIn(folder), Reference: c.reference,
	}
	switch allow := c.input.Get("advertised"); {
	case allow.kind == jsonspan.Array:
		cfg.Allow = allow.strs()
	case allow.str("auto") == "unchecked":
		cfg.Unchecked = true
	}
	if c.input.Get("aborted").isTrue() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		cancel()
	}
	var end error
	if thrown := c.input.Get("end").Get("throw"); thrown.present() {
		end = errors.New(thrown.str(""))
	}
	t := stream.NewTranslator(ctx, &cfg)
	record := streamRecord{contents: c.input.Get("snapshots").isTrue()}
	for i := range parts {
		if !t.Part(&parts[i], record.take) {
			break
		}
	}
	t.End(end, record.take)
	return record.result()
}

func streamParts(list Value) ([]stream.Part, error) {
	parts := make([]stream.Part, len(list.items))
	for i, v := range list.items {
		if err := stream.ParsePart(v.raw, &parts[i]); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

func streamModel(v Value) stream.Model {
	return stream.Model{
		ID: v.Get("id").str(""), API: v.Get("api").str(""), Provider: v.Get("provider").str(""),
		Cost: costOf(v.Get("cost")),
	}
}

// streamRecord is what a stream has given.
type streamRecord struct {
	events []json.RawMessage
	// contents says that the content at each event is wanted.
	contents  bool
	snapshots []*stream.Message
	final     *stream.Message
}

func (r *streamRecord) take(e stream.Event) bool {
	r.events = append(r.events, e.AppendJSON(nil, false))
	switch e.Type {
	case stream.EventDone, stream.EventError:
		r.final = e.Message
	default:
		if !r.contents {
			break
		}
		r.snapshots = append(r.snapshots, e.Message.Snapshot())
	}
	return true
}

func (r *streamRecord) result() (any, error) {
	final, err := finalMessage(r.final)
	if err != nil {
		return nil, err
	}
	out := fields{"events", r.events, "final", final}
	if !r.contents {
		return out, nil
	}
	contents := []any{}
	for _, m := range r.snapshots {
		blocks := []json.RawMessage{}
		for _, b := range m.Content {
			blocks = append(blocks, b.AppendJSON(nil))
		}
		contents = append(contents, blocks)
	}
	return append(out, "contentAtEvent", contents), nil
}

// finalMessage is the message of a terminal event as the kit has it.
func finalMessage(m *stream.Message) (Value, error) {
	if m == nil {
		return Value{}, errors.New("there was no terminal event")
	}
	v, err := ParseValue(m.AppendJSON(nil))
	if err != nil {
		return v, err
	}
	bridge := m.Failure != "" && m.Failure != stream.Reported
	v = v.without(func(key string, _ Value) bool {
		return key == "timestamp" || bridge && key == "errorMessage"
	})
	if !bridge {
		return v, nil
	}
	kind, err := build(string(m.Failure))
	if err != nil {
		return v, err
	}
	v = v.with("errorKind", kind)
	if m.Failure == stream.UnadvertisedTool {
		tool, err := build(m.ErrorTool)
		if err != nil {
			return v, err
		}
		v = v.with("errorTool", tool)
	}
	return v, nil
}

const syntheticID = "<synthetic-id>"

// bindStream also lets pass the id of a call that the bridge makes up, if no other call has it.
func bindStream(c *testCase, expected, got Value) (Value, Value) {
	blocks := got.Get("final").Get("content").items
	for i, want := range expected.Get("final").Get("content").items {
		if want.Get("id").str("") != syntheticID || i >= len(blocks) {
			continue
		}
		id, uses := blocks[i].Get("id").str(""), 0
		for _, b := range blocks {
			if b.Get("id").str("") == id {
				uses++
			}
		}
		if id != "" && uses == 1 {
			got = withoutID(got, id)
		}
	}
	return bindBridge(c, expected, got)
}

// withoutID puts the mask in the place of an id.
func withoutID(v Value, id string) Value {
	var made any
	switch v.kind {
	case jsonspan.Object:
		var members fields
		for i, key := range v.keys {
			item := withoutID(v.items[i], id)
			if key == "id" && item.str("") == id {
				item = Value{kind: jsonspan.String, raw: json.RawMessage(`"` + syntheticID + `"`), text: syntheticID}
			}
			members = append(members, key, item)
		}
		made = members
	case jsonspan.Array:
		items := make([]any, len(v.items))
		for i, item := range v.items {
			items[i] = withoutID(item, id)
		}
		made = items
	default:
		return v
	}
	if out, err := build(made); err == nil {
		return out
	}
	return v
}
