package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"iter"

	"github.com/pintle-wasm/pintle/host/auth"
	"github.com/pintle-wasm/pintle/host/bridge"
	"github.com/pintle-wasm/pintle/host/history"
	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/host/stream"
)

func lifecycleCases() Suite {
	return Suite{"call-lifecycle": {run: lifecycleCase, bind: bindStream}}
}

// notCalled stands for what a callee got that was never called.
const notCalled = "<not called>"

func lifecycleCase(ctx context.Context, c *testCase) (any, error) {
	in := c.input
	p, err := profile.Named(in.Get("host").str(""))
	if err != nil {
		return nil, err
	}
	hostContext, err := history.ParseContext(in.Get("context").raw)
	if err != nil {
		return nil, err
	}
	if hostContext.Tools, err = hostTools(c, in.Get("toolset").str("")); err != nil {
		return nil, err
	}
	parts, err := streamParts(in.Get("parts"))
	if err != nil {
		return nil, err
	}
	var keySeen any = notCalled
	started, read := false, 0
	model := &bridge.LanguageModel{Version: history.V3, Stream: func(
		context.Context, *history.CallOptions,
	) (iter.Seq2[*stream.Part, error], error) {
		started = true
		return counted(parts, &read), thrown(in.Get("doStreamThrows"))
	}}
	call := &bridge.Call{
		History: history.Config{Profile: p, Exclude: in.Get("excludedToolNames").strs(), Reference: c.reference},
		Model:   streamModel(in.Get("model")),
		Context: hostContext,
		Key:     keyOption(in.Get("apiKey")),
		NewModel: func(_ context.Context, key auth.Secret) (*bridge.LanguageModel, error) {
			if keySeen = nil; key.IsSet() {
				keySeen = key.Reveal()
			}
			return model, thrown(in.Get("modelThrows"))
		},
		Prepare: func(_ context.Context, options *history.CallOptions) error {
			for _, name := range in.Get("addTools").strs() {
				options.Tools = append(options.Tools, profile.Declaration{Name: name, InputSchema: json.RawMessage(`{}`)})
			}
			if in.Get("dropTools").isTrue() {
				options.Tools = nil
			}
			return thrown(in.Get("hookThrows"))
		},
	}
	if in.Get("aborted").isTrue() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		cancel()
	}
	var record streamRecord
	for e := range call.Events(ctx) {
		record.take(e)
	}
	result, err := record.result()
	if err != nil {
		return nil, err
	}
	return append(result.(fields), "apiKeySeen", keySeen, "doStreamCalled", started, "partsRead", read), nil
}

// thrown is the error of a case's text, nil if there is none.
func thrown(text Value) error {
	if !text.present() {
		return nil
	}
	return errors.New(text.str(""))
}

// keyOption is the key of a case: absent, a scalar, or the outcome of a function.
func keyOption(v Value) func(context.Context) (auth.Secret, error) {
	resolver := v.Get("resolver")
	return func(context.Context) (auth.Secret, error) {
		if resolver.present() {
			return keyOf(resolver.Get("returns")), thrown(resolver.Get("throws"))
		}
		return bridge.ScalarKey(v.raw), nil
	}
}

// counted gives parts and counts those that are asked for.
func counted(parts []stream.Part, read *int) iter.Seq2[*stream.Part, error] {
	return func(yield func(*stream.Part, error) bool) {
		for i := range parts {
			*read++
			if !yield(&parts[i], nil) {
				return
			}
		}
	}
}
