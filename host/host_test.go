package host_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/guests/stock"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

func newHost(t testing.TB, opts host.Options) *host.Host {
	t.Helper()
	opts.Engine = enginetest.New()
	if opts.Limits.Time == 0 {
		opts.Limits.Time = time.Minute // a test that is not about time
	}
	h := host.Open(opts)
	t.Cleanup(func() { require.NoError(t, h.Close(context.Background())) })
	return h
}

func withAdapters(t testing.TB, h *host.Host) *host.Host {
	t.Helper()
	file, err := stock.Adapters()
	require.NoError(t, err)
	_, err = h.Load(t.Context(), stock.AdaptersName, file, runtime.GuestOptions{})
	require.NoError(t, err)
	return h
}

// guest returns a module with one contribution that runs the given code, or answers the given text.
func guest(id, text string, code []byte) []byte {
	m := wasmtest.Manifest()
	m.ID = id
	m.Contributions = []abi.Contribution{{Interface: abi.DeveloperMessagesV1, ID: id}}
	answer := wasmtest.Text(text)
	if code == nil {
		code = wasmtest.Answer(16, uint32(len(answer)))
	}
	return wasmtest.Guest(wasmtest.Module{Data: []wasmtest.Data{{Offset: 16, Bytes: answer}}}, m, code)
}

func texts(e *envelope.Envelope) []string {
	var out []string
	for _, m := range e.DeveloperMessages[:len(e.DeveloperMessages)-1] { // without the environment
		out = append(out, m.ID+": "+m.Content)
	}
	return out
}

// A guest that fails or hangs costs its own place and a diagnostic, never the turn.
func TestFailingGuestsCostTheirOwnPlace(t *testing.T) {
	h := newHost(t, host.Options{Limits: runtime.Limits{Fuel: 1_000_000}})
	for _, file := range [][]byte{
		guest("b-good", "kept", nil),
		guest("a-hangs", "", wasmtest.Code(wasmtest.Loop(wasmtest.Branch(0)), wasmtest.Unreachable)),
		guest("c-traps", "", wasmtest.Code(wasmtest.Unreachable)),
		guest("d-garbage", "", wasmtest.Answer(0, 9)),
	} {
		_, err := h.Load(t.Context(), "x.wasm", file, runtime.GuestOptions{})
		require.NoError(t, err)
	}
	_, err := h.Registry.Register(registry.Contribution{ID: "e-native", Render: registry.Text("native")})
	require.NoError(t, err)
	e, err := h.Session("s").Capture(t.Context(), envelope.Request{CWD: "/srv"})
	require.NoError(t, err)
	assert.Equal(t, []string{"b-good: kept", "e-native: native"}, texts(e))
	kinds := map[string]runtime.Kind{}
	for _, o := range e.Report.Contributions {
		if failure := (*runtime.Error)(nil); o.Reason == envelope.Failed && assert.ErrorAs(t, o.Err, &failure) {
			kinds[o.ID] = failure.Kind
			if failure.Kind == runtime.KindFuel {
				assert.Equal(t, "it used up its fuel of 1000000 units", failure.Reason)
			}
		}
	}
	assert.Equal(t, map[string]runtime.Kind{"a-hangs": runtime.KindFuel, "c-traps": runtime.KindTrap, "d-garbage": runtime.KindBadAnswer}, kinds)
}

// The end of a session is the end of what guests remember of it.
func TestEndForgetsWhatGuestsHold(t *testing.T) {
	m := wasmtest.Manifest()
	m.State = abi.StateSession
	answer := wasmtest.Text("0")
	last := int32(16 + len(answer) - 1)
	h := newHost(t, host.Options{})
	_, err := h.Load(t.Context(), "g.wasm", wasmtest.Guest(wasmtest.Module{Data: []wasmtest.Data{{Offset: 16, Bytes: answer}}}, m, wasmtest.Code(
		wasmtest.I32Const(last), wasmtest.I32Const(last), wasmtest.I32Load8(), wasmtest.I32Const(1), wasmtest.I32Add, wasmtest.I32Store8(),
		wasmtest.Answer(16, uint32(len(answer))))), runtime.GuestOptions{})
	require.NoError(t, err)
	s := h.Session("s")
	capture := func() []string {
		e, err := s.Capture(t.Context(), envelope.Request{CWD: "/srv"})
		require.NoError(t, err)
		return texts(e)
	}
	assert.Equal(t, []string{"a: 1"}, capture())
	assert.Equal(t, []string{"a: 2"}, capture())
	s.End(t.Context())
	assert.Equal(t, []string{"a: 1"}, capture())
}

// Turns run while a guest is reloaded: each sees one build or the other, and none fails.
func TestReloadWhileTurnsRun(t *testing.T) {
	h := newHost(t, host.Options{})
	entry, err := h.Load(t.Context(), "g.wasm", guest("g", "build 0", nil), runtime.GuestOptions{})
	require.NoError(t, err)
	stop := make(chan struct{})
	var turns sync.WaitGroup
	for _, session := range []string{"s", "t", ""} { // the last one remembers nothing
		turns.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				e, err := h.Session(session).Capture(context.Background(), envelope.Request{CWD: "/srv"})
				if !assert.NoError(t, err) || !assert.Len(t, e.DeveloperMessages, 2, "%+v", e.Report) {
					return
				}
				assert.Contains(t, e.DeveloperMessages[0].Content, "build ")
			}
		})
	}
	for i := range 15 {
		require.NoError(t, h.Reload(t.Context(), entry, "g.wasm", guest("g", fmt.Sprintf("build %d", i+1), nil), runtime.GuestOptions{}))
	}
	close(stop)
	turns.Wait()
	e, err := h.Session("last").Capture(t.Context(), envelope.Request{CWD: "/srv"})
	require.NoError(t, err)
	assert.Equal(t, []string{"g: build 15"}, texts(e))
}

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, file []byte) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), file, 0o600))
	}
	h := newHost(t, host.Options{})
	f := h.Folder(dir, nil)
	capture := func() []string {
		e, err := h.Session("s").Capture(t.Context(), envelope.Request{CWD: "/srv"})
		require.NoError(t, err)
		return texts(e)
	}
	write("a.wasm", guest("a", "one", nil))
	write("b.wasm", guest("b", "two", nil))
	write("bad.wasm", []byte("not wasm"))
	write("notes.txt", []byte("not a guest"))
	c, err := f.Sync(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"a.wasm", "b.wasm"}, c.Added)
	assert.Contains(t, c.Failed, "bad.wasm")
	assert.Len(t, c.Failed, 1)
	assert.Equal(t, []string{"a: one", "b: two"}, capture())

	write("a.wasm", guest("a", "changed", nil))
	require.NoError(t, os.Remove(filepath.Join(dir, "b.wasm")))
	c, err = f.Sync(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"a.wasm"}, c.Reloaded)
	assert.Equal(t, []string{"b.wasm"}, c.Removed)
	assert.Equal(t, []string{"a: changed"}, capture())

	write("a.wasm", []byte("broken while writing"))
	c, err = f.Sync(t.Context())
	require.NoError(t, err)
	assert.Contains(t, c.Failed, "a.wasm")
	assert.Equal(t, []string{"a: changed"}, capture(), "the earlier build stays in use")

	require.NoError(t, f.Close(t.Context()))
	assert.Empty(t, capture())
	_, err = h.Folder(filepath.Join(dir, "absent"), nil).Sync(t.Context())
	require.ErrorIs(t, err, os.ErrNotExist)
}

// A native adapter for the provider goes before the guest that is the default for the API.
func TestNativeAdapterOutranksTheDefault(t *testing.T) {
	h := withAdapters(t, newHost(t, host.Options{}))
	base := "base"
	s := h.Session("s")
	_, err := s.Capture(t.Context(), envelope.Request{Provider: "p", SystemPrompt: &base, CWD: "/srv"})
	require.NoError(t, err)
	r, err := s.Adapt(t.Context(), "p", "openai-responses", "", []byte(`{"input":[]}`))
	require.NoError(t, err)
	assert.Equal(t, "pintle/adapters@0.2.0", r.Adapter)
	_, err = h.Registry.RegisterAdapter(registry.Adapter{Provider: "p",
		ReplaceDeveloperMessages: func(context.Context, *registry.PayloadRequest, []registry.Message) ([]byte, error) {
			return []byte(`{"native":true}`), nil
		}})
	require.NoError(t, err)
	r, err = s.Adapt(t.Context(), "p", "openai-responses", "", []byte(`{"input":[]}`))
	require.NoError(t, err)
	assert.Equal(t, envelope.Native, r.Adapter)
	assert.JSONEq(t, `{"native":true}`, string(r.Body.Bytes()))
}

func TestTransportSendsTheEnvelope(t *testing.T) {
	h := withAdapters(t, newHost(t, host.Options{}))
	_, err := h.Registry.Register(registry.Contribution{ID: "m", Render: registry.Text("Placed.")})
	require.NoError(t, err)
	var got []byte
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got, _ = io.ReadAll(r.Body) }))
	defer server.Close()
	s, base := h.Session("s"), "Base."
	client := &http.Client{Transport: s.Transport("anthropic", "anthropic-messages", server.Client().Transport)}
	post := func(body string) string {
		resp, err := client.Post(server.URL, "application/json", strings.NewReader(body))
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		return string(got)
	}
	const body = `{"model":"m","system":"Base.","n":1.50}`
	assert.Equal(t, body, post(body), "no turn was captured yet")
	_, err = s.Capture(t.Context(), envelope.Request{Provider: "anthropic", SystemPrompt: &base, CWD: "/srv",
		Options: registry.PromptOptions{CustomPrompt: "Mine."}})
	require.NoError(t, err)
	sent := post(body)
	assert.Contains(t, sent, `{"type":"text","text":"Mine."}`)
	assert.Contains(t, sent, "Placed.")
	assert.True(t, strings.HasSuffix(sent, `"n":1.50}`), sent)
	s.End(t.Context())
	assert.Equal(t, body, post(body), "the session has ended")
}

// Every payload that a real Pi produced goes through its adapter guest.
func TestRecordedPayloads(t *testing.T) {
	const vectors = "../testdata/vectors/payloads/"
	h := withAdapters(t, newHost(t, host.Options{}))
	_, err := h.Registry.Register(registry.Contribution{ID: "tide/mode", Render: registry.Text("Prefer <short> answers & é.")})
	require.NoError(t, err)
	index, err := os.ReadFile(vectors + "system-prompt-location.json")
	require.NoError(t, err)
	var cases []struct {
		Input  struct{ File string }
		Expect struct{ Pointers []string }
	}
	require.NoError(t, json.Unmarshal(index, &cases))
	require.NotEmpty(t, cases)
	for _, c := range cases {
		t.Run(c.Input.File, func(t *testing.T) {
			data, err := os.ReadFile(vectors + c.Input.File)
			require.NoError(t, err)
			var file struct {
				Provider, API string
				SystemPrompt  *string
				Payload       json.RawMessage
			}
			require.NoError(t, json.Unmarshal(data, &file))
			base := "no prompt was recorded"
			if file.SystemPrompt != nil {
				base = *file.SystemPrompt
			}
			s := h.Session(t.Name())
			e, err := s.Capture(t.Context(), envelope.Request{Provider: file.Provider, SystemPrompt: &base, CWD: "/srv/ferry",
				Options: registry.PromptOptions{CustomPrompt: "You are Pilot."}})
			require.NoError(t, err)
			r, err := s.Adapt(t.Context(), file.Provider, file.API, "", file.Payload)
			require.NoError(t, err)
			require.True(t, r.Developer.Done)

			// The prompt is found where the index says, and nowhere else.
			located := len(c.Expect.Pointers) > 0
			assert.Equal(t, located, r.Prompt.Done)
			assert.Equal(t, located, bytes.Contains(r.Body.Bytes(), []byte("You are Pilot.")))
			for _, pointer := range c.Expect.Pointers {
				assert.Contains(t, at(t, r.Body.Bytes(), pointer), "You are Pilot.")
			}
			for _, m := range e.DeveloperMessages {
				assert.Contains(t, string(r.Body.Bytes()), quoted(t, envelope.Serialize(m)), m.ID)
			}
			// Everything else is as it was, to the byte: taking the messages out and putting the old
			// prompt back gives the recorded payload.
			back, err := payloadBack(t, h, file.API, r.Body.Bytes(), base, located)
			require.NoError(t, err)
			assert.Equal(t, string(file.Payload), string(back))
		})
	}
}

// payloadBack undoes a replacement with the adapter itself, in the version that did it.
func payloadBack(t *testing.T, h *host.Host, api string, body []byte, base string, located bool) ([]byte, error) {
	a, _, ok := h.Registry.FindAdapter("any", api, "")
	require.True(t, ok)
	req := &registry.PayloadRequest{API: api, Payload: body}
	edits, err := a.Edit(t.Context(), req, base, nil)
	if err == nil {
		return bytes.Join(edits.Pieces(located, true), nil), nil
	}
	require.ErrorIs(t, err, registry.ErrUseV1)
	out, err := a.ReplaceDeveloperMessages(t.Context(), req, nil)
	if err != nil || !located {
		return out, err
	}
	req.Payload = out
	return a.ReplaceSystemPrompt(t.Context(), req, base)
}

func quoted(t *testing.T, s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	require.NoError(t, e.Encode(s))
	return strings.Trim(strings.TrimSpace(b.String()), `"`)
}

// at returns the value at a JSON pointer as text.
func at(t *testing.T, body []byte, pointer string) string {
	var v any
	require.NoError(t, json.Unmarshal(body, &v))
	for _, key := range strings.Split(pointer, "/")[1:] {
		switch node := v.(type) {
		case map[string]any:
			v = node[key]
		case []any:
			var i int
			_, err := fmt.Sscan(key, &i)
			require.NoError(t, err)
			v = node[i]
		}
	}
	return fmt.Sprint(v)
}

// What an embedder would look for in vain in the answer of a provider is in the log.
func TestLogTellsWhatWasNotDone(t *testing.T) {
	var log strings.Builder
	h := newHost(t, host.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	_, err := h.Load(t.Context(), "g.wasm", guest("g", "text", nil), runtime.GuestOptions{Config: map[string]string{"rules": "x"}})
	require.NoError(t, err)
	assert.Contains(t, log.String(), `msg="the guest declares no such configuration key" guest=g@1.0.0 key=rules`)

	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	s, base := h.Session("s"), "Base."
	_, err = s.Capture(t.Context(), envelope.Request{Provider: "p", SystemPrompt: &base, CWD: "/srv"})
	require.NoError(t, err)
	client := &http.Client{Transport: s.Transport("p", "openai-respnses", server.Client().Transport)}
	log.Reset()
	resp, err := client.Get(server.URL)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.Empty(t, log.String(), "a request without a body has no place for an envelope")
	resp, err = client.Post(server.URL, "application/json", strings.NewReader(`{"input":[]}`))
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.Contains(t, log.String(), `msg="request sent without its envelope" session=s reason=no-adapter provider=p api=openai-respnses`)

	withAdapters(t, h)
	client.Transport = s.Transport("p", "openai-responses", server.Client().Transport)
	log.Reset()
	resp, err = client.Post(server.URL, "application/json", strings.NewReader(`{"input":[]}`))
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.Empty(t, log.String(), "nothing to tell where all went well")
}

// A mistyped value of the adapters' configuration counts as not set, and the log says so.
func TestAdaptersNameAnUnknownChoice(t *testing.T) {
	file, err := stock.Adapters()
	require.NoError(t, err)
	for compat, warns := range map[string]bool{"refernce": true, "reference": false} {
		var log strings.Builder
		h := newHost(t, host.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		_, err := h.Load(t.Context(), stock.AdaptersName, file, runtime.GuestOptions{Config: map[string]string{"compat": compat}})
		require.NoError(t, err)
		a, _, ok := h.Registry.FindAdapter("any", "openai-codex-responses", "")
		require.True(t, ok)
		prompt, found, err := a.ReadSystemPrompt(t.Context(), &registry.PayloadRequest{
			Payload: []byte(`{"input":[{"role":"developer","content":"Prompt."}]}`)})
		require.NoError(t, err)
		assert.Equal(t, warns, found, "the reference does not read an item")
		assert.Equal(t, warns, prompt == "Prompt.")
		assert.Equal(t, warns, strings.Contains(log.String(), "configuration compat: refernce is not known"), log.String())
	}
}
