package replay

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/host/message"
)

func TestOwn(t *testing.T) {
	source := func(more string) string {
		return `{"id":"m","role":"assistant","content":[],"source":{"kind":"model","provider":"north","model":"large"` + more + `}}`
	}
	const state, answered = `,"replayState":{"x":1}`, `,"answered":{"provider":"south","model":"small"}`
	serving := message.Route{Provider: "south", Model: "tiny"}
	for name, c := range map[string]struct {
		text               string
		north, south, both bool // who owns what: is the state kept?
		reference          bool
	}{
		"requested provider":           {text: source(state), north: true, both: true},
		"answering provider":           {text: source(state + answered), south: true, both: true},
		"reference: requested":         {text: source(state), north: true, both: true, reference: true},
		"reference: answering ignored": {text: source(state + answered), north: true, both: true, reference: true},
	} {
		for _, owner := range []struct {
			owned []string
			kept  bool
		}{{[]string{"north"}, c.north}, {[]string{"south"}, c.south}, {[]string{"north", "south"}, c.both}, {nil, false}} {
			m := parse(t, c.text)
			var reports []Report
			owned := func(provider string) bool {
				for _, p := range owner.owned {
					if p == provider {
						return true
					}
				}
				return false
			}
			r := Reader{Reference: c.reference, Route: serving, OnReport: func(r Report) { reports = append(reports, r) }}
			got := r.Own([]message.Message{m}, owned)
			assert.Equal(t, owner.kept, got[0].Source.ReplayState != nil, "%s %v", name, owner.owned)
			if owner.kept || c.reference {
				assert.Empty(t, reports, name)
				continue
			}
			assert.Equal(t, []Report{{Code: StateNotOwned, MessageID: "m", Route: m.Source.Serving(), Serving: serving}}, reports, name)
		}
	}
}

func TestOwnLeavesOthersAlone(t *testing.T) {
	texts := []string{
		`{"id":"1","role":"user","content":[],"source":{"kind":"model","provider":"p","model":"m","replayState":1}}`,
		`{"id":"2","role":"assistant","content":[],"source":{"kind":"plugin","plugin":"p","replayState":1}}`,
		`{"id":"3","role":"system","content":[],"source":{"kind":"model","provider":"p","model":"m","replayState":1}}`,
		`{"id":"4","role":"assistant","content":[],"source":{"kind":"model","provider":"p","model":"m"}}`,
	}
	in := messages(t, texts...)
	var r Reader
	got := r.Own(in, func(string) bool { t.Error("asked"); return false })
	for i := range got {
		assert.Equal(t, texts[i], string(got[i].AppendJSON(nil)))
	}
	assert.Empty(t, r.Own(nil, nil))
}

// Whatever the messages are, nothing but states changes, and nothing at all in what was handed in.
func TestOwnChangesNothingElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var in []message.Message
		var before []string
		for range rapid.IntRange(0, 6).Draw(t, "messages") {
			source := fields{"kind": rapid.SampledFrom([]string{"model", "plugin", "user"}).Draw(t, "kind")}
			for _, key := range []string{"provider", "model"} {
				source[key] = rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, key)
			}
			if rapid.Bool().Draw(t, "answered") {
				source["answered"] = fields{"provider": rapid.SampledFrom([]string{"a", "b"}).Draw(t, "by"), "model": "m"}
			}
			if rapid.Bool().Draw(t, "state") {
				source["replayState"] = rapid.SampledFrom([]any{nil, 1, fields{"replayState": 2}}).Draw(t, "value")
			}
			raw, err := json.Marshal(fields{
				"id": rapid.String().Draw(t, "id"), "source": source, "extra": fields{"replayState": 1},
				"role":    rapid.SampledFrom([]string{"assistant", "user"}).Draw(t, "role"),
				"content": []any{fields{"type": "text", "text": rapid.String().Draw(t, "text")}},
			})
			require.NoError(t, err)
			m, err := message.ParseMessage(raw)
			require.NoError(t, err)
			in, before = append(in, m), append(before, string(raw))
		}
		reference := rapid.Bool().Draw(t, "reference")
		reports := 0
		r := Reader{Reference: reference, OnReport: func(Report) { reports++ }}
		out := r.Own(in, func(p string) bool { return p == "a" })
		require.Len(t, out, len(in))
		taken := 0
		for i := range in {
			require.Equal(t, before[i], string(in[i].AppendJSON(nil)))
			var want, got map[string]any
			require.NoError(t, json.Unmarshal([]byte(before[i]), &want))
			require.NoError(t, json.Unmarshal(out[i].AppendJSON(nil), &got))
			if out[i].Source.ReplayState == nil && in[i].Source.ReplayState != nil {
				taken++
				require.Equal(t, message.Assistant, in[i].Role)
				require.Equal(t, message.FromModel, in[i].Source.Kind)
				delete(want["source"].(map[string]any), "replayState")
			}
			require.Equal(t, want, got)
		}
		if reference {
			require.Zero(t, reports)
		} else {
			require.Equal(t, taken, reports)
		}
	})
}
