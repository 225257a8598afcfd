package conformance

import (
	"context"
	"errors"
	"strings"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
	"github.com/pintle-wasm/pintle/registry"
)

const codexAPI = "openai-codex-responses"

// adapterOf makes an adapter given as data. What the 0.3.7 line does not look at is left out there.
func adapterOf(c *testCase, v Value, line039 bool) (registry.Adapter, error) {
	if v.str("") == "codex" {
		a, err := c.source(codexAPI, "")
		if err != nil {
			return registry.Adapter{}, err
		}
		a.Provider, a.APIs, a.Model, a.ModelMatches, a.Enabled = "openai-codex", nil, "", nil, nil
		if line039 {
			a.APIs = []string{codexAPI}
		}
		return a, nil
	}
	a := registry.Adapter{
		Provider:            v.Get("provider").str(""),
		ReadSystemPrompt:    reader(v.Get("read")),
		ReplaceSystemPrompt: systemWriter(v.Get("write")),
	}
	if d := v.Get("developer"); d.present() {
		a.ReplaceDeveloperMessages = func(_ context.Context, req *registry.PayloadRequest, messages []registry.Message) ([]byte, error) {
			value, err := encodeList(nil, messages)
			if err != nil {
				return nil, err
			}
			return write(d, req.Payload, value)
		}
	}
	if !line039 {
		return a, nil
	}
	switch api := v.Get("api"); api.kind {
	case jsonspan.String:
		if api.text != "" {
			a.APIs = []string{api.text}
		}
	case jsonspan.Array:
		a.APIs = api.strs()
	}
	a.Model = v.Get("model").str("")
	if prefix := v.Get("modelPrefix").ptr(); prefix != nil {
		a.ModelMatches = func(model string) bool { return strings.HasPrefix(model, *prefix) }
	}
	if enabled := v.Get("enabled"); enabled.present() {
		a.Enabled = func(string, string, string) bool { return enabled.isTrue() }
	}
	return a, nil
}

// source asks for the adapter under test.
func (c *testCase) source(api, developerRole string) (registry.Adapter, error) {
	if c.adapters == nil {
		return registry.Adapter{}, errors.New("this case needs a payload adapter, and none was given to the runner")
	}
	if developerRole == "" {
		developerRole = "automatic"
	}
	return c.adapters(api, c.compat(), developerRole)
}

func reader(v Value) func(context.Context, *registry.PayloadRequest) (string, bool, error) {
	return func(_ context.Context, req *registry.PayloadRequest) (string, bool, error) {
		if message := v.Get("throw").ptr(); message != nil {
			return "", false, errors.New(*message)
		}
		found := v.Get("const")
		if field := v.Get("field").ptr(); field != nil {
			document, err := ParseValue(req.Payload)
			if err != nil {
				return "", false, err
			}
			found = document.Get(*field)
		}
		return found.str(""), found.kind == jsonspan.String, nil
	}
}

func systemWriter(v Value) func(context.Context, *registry.PayloadRequest, string) ([]byte, error) {
	return func(_ context.Context, req *registry.PayloadRequest, text string) ([]byte, error) {
		return write(v, req.Payload, wtf8.AppendQuote(nil, text))
	}
}

// write sets the described field in a copy of the payload's outer object.
func write(v Value, payload, value []byte) ([]byte, error) {
	if message := v.Get("throw").ptr(); message != nil {
		return nil, errors.New(*message)
	}
	field := v.Get("field").ptr()
	if field == nil {
		return nil, nil
	}
	doc, err := jsonspan.Scan(payload, 1)
	if err != nil {
		return nil, err
	}
	root := doc.Root()
	if root.Kind() != jsonspan.Object {
		return encode(nil, fields{*field, value})
	}
	edit := doc.Edit()
	if member, _ := root.Member(*field); member.Kind() != jsonspan.Absent {
		edit.Set(member, value)
	} else {
		edit.AddMember(root, *field, value)
	}
	return edit.Bytes()
}
