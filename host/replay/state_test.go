package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/message"
)

// parse reads a message from JSON.
func parse(t testing.TB, text string) message.Message {
	t.Helper()
	m, err := message.ParseMessage([]byte(text))
	require.NoError(t, err)
	return m
}

const storedContent = `[{"type":"reasoning","text":"hm"},{"type":"text","text":"yes"},` +
	`{"type":"tool-call","id":"c1","name":"look","arguments":"{\"a\":1}"}]`

// stored is a message with content of every kind.
func stored(t testing.TB) message.Message {
	return parse(t, `{"id":"m-1","role":"assistant","content":`+storedContent+
		`,"source":{"kind":"model","provider":"north","model":"large"}}`)
}

type fields = map[string]any

// validState is one that fits the message of stored.
func validState() fields {
	return fields{
		"response": fields{
			"kind": "pi-ai", "version": 2, "api": "chat", "provider": "north", "model": "large", "stopReason": "toolUse",
		},
		"blocks": []any{fields{"type": "reasoning"}, fields{"type": "text"}, fields{"type": "tool-call"}},
	}
}

func encode(t testing.TB, v any) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(v)
	require.NoError(t, err)
	return raw
}

func validate(state json.RawMessage, m message.Message, reference bool) error {
	m.Source.ReplayState = state
	return (&Reader{Reference: reference}).Validate(m)
}

// diagnose returns what Validate finds, nil for nothing.
func diagnose(t testing.TB, state json.RawMessage, reference bool) *Diagnostic {
	t.Helper()
	err := validate(state, stored(t), reference)
	if err == nil {
		return nil
	}
	var d *Diagnostic
	require.True(t, errors.As(err, &d), "%v", err)
	assert.Equal(t, InvalidState, d.Code)
	assert.Equal(t, "m-1", d.MessageID)
	assert.Equal(t, message.Route{}, d.Route)
	assert.NotEmpty(t, d.Error())
	return d
}

// A fault makes a valid state fail one check.
type fault struct {
	name string
	do   func(s fields)
	want Diagnostic
}

func response(s fields) fields { return s["response"].(fields) }

func entryAt(s fields, i int) fields { return s["blocks"].([]any)[i].(fields) }

// faults are listed in the order of the checks.
func faults() []fault {
	set := func(key string, value any) func(fields) { return func(s fields) { response(s)[key] = value } }
	unset := func(key string) func(fields) { return func(s fields) { delete(response(s), key) } }
	var all []fault
	add := func(name string, want Diagnostic, do func(fields)) { all = append(all, fault{name, do, want}) }

	for name, v := range map[string]any{"null": nil, "list": []any{}, "text": "x", "number": 1, "word": true} {
		add("response "+name, Diagnostic{Reason: ResponseNotObject}, func(s fields) { s["response"] = v })
	}
	add("response absent", Diagnostic{Reason: ResponseNotObject}, func(s fields) { delete(s, "response") })

	for _, v := range []any{nil, "PI-AI", "pi-ai ", "", 1, []any{"pi-ai"}, fields{}} {
		add(fmt.Sprintf("kind %v", v), Diagnostic{Reason: WrongKind}, set("kind", v))
	}
	add("kind absent", Diagnostic{Reason: WrongKind}, unset("kind"))

	for want, v := range map[string]any{
		"null": nil, "2": "2", "": "", "1": 1, "3": 3, "2.5": 2.5, "-2": -2, "true": true, "false": false,
		"1e+21": json.Number("1000000000000000000000"), "Infinity": json.Number("1e999"), "0": json.Number("-0"),
		"1,2,,a,true,[object Object]": []any{1, []any{2, nil, []any{"a"}}, true, fields{"x": 1}},
		"[object Object]":             fields{"toString": "x"},
		",":                           []any{[]any{}, []any{[]any{}}},
	} {
		add(fmt.Sprintf("version %v", v), Diagnostic{Reason: WrongVersion, Version: want}, set("version", v))
	}
	add("version [2]", Diagnostic{Reason: WrongVersion, Version: "2"}, set("version", []any{2}))
	add("version absent", Diagnostic{Reason: WrongVersion, Version: "undefined"}, unset("version"))

	for _, key := range []string{"api", "provider", "model"} {
		for _, v := range []any{nil, "", 1, true, []any{"x"}, fields{}} {
			add(fmt.Sprintf("%s %v", key, v), Diagnostic{Reason: FieldNotString, Field: key}, set(key, v))
		}
		add(key+" absent", Diagnostic{Reason: FieldNotString, Field: key}, unset(key))
	}

	for _, v := range []any{nil, "", "STOP", "pause", "tool-calls", 1, fields{}, []any{"pause"}, []any{}, []any{"stop", nil}} {
		add(fmt.Sprintf("stopReason %v", v), Diagnostic{Reason: WrongStopReason}, set("stopReason", v))
	}
	add("stopReason absent", Diagnostic{Reason: WrongStopReason}, unset("stopReason"))

	for _, key := range []string{"responseModel", "responseId"} {
		for _, v := range []any{nil, 1, true, []any{"x"}, fields{}} {
			add(fmt.Sprintf("%s %v", key, v), Diagnostic{Reason: FieldNotString, Field: key}, set(key, v))
		}
	}

	for name, v := range map[string]any{"null": nil, "object": fields{"length": 3}, "text": "abc", "number": 3} {
		add("blocks "+name, Diagnostic{Reason: EntriesNotArray}, func(s fields) { s["blocks"] = v })
	}
	add("blocks absent", Diagnostic{Reason: EntriesNotArray}, func(s fields) { delete(s, "blocks") })

	for i := range 3 {
		for _, v := range []any{nil, []any{}, "text", 1, false} {
			add(fmt.Sprintf("entry %d %v", i, v), Diagnostic{Reason: EntryNotObject, At: i},
				func(s fields) { s["blocks"].([]any)[i] = v })
		}
		for _, v := range []any{nil, "", "thinking", "toolCall", "image", 1, []any{"text"}, fields{}} {
			add(fmt.Sprintf("entry %d type %v", i, v), Diagnostic{Reason: EntryType, At: i},
				func(s fields) { entryAt(s, i)["type"] = v })
		}
		add(fmt.Sprintf("entry %d type absent", i), Diagnostic{Reason: EntryType, At: i},
			func(s fields) { delete(entryAt(s, i), "type") })
		for _, key := range []string{"textSignature", "thinkingSignature", "thoughtSignature"} {
			for _, v := range []any{nil, 1, true, []any{}, fields{}} {
				add(fmt.Sprintf("entry %d %s %v", i, key, v), Diagnostic{Reason: EntrySignature, At: i, Field: key},
					func(s fields) { entryAt(s, i)[key] = v })
			}
		}
		for _, v := range []any{nil, 1, "true", []any{}, fields{}} {
			add(fmt.Sprintf("entry %d redacted %v", i, v), Diagnostic{Reason: EntryRedacted, At: i},
				func(s fields) { entryAt(s, i)["redacted"] = v })
		}
	}

	for _, v := range []string{"North", "north ", "harbor"} {
		add("provider "+v, Diagnostic{Reason: RouteMismatch, Field: "provider"}, set("provider", v))
	}
	add("model", Diagnostic{Reason: RouteMismatch, Field: "model"}, set("model", "LARGE"))
	add("an entry too many", Diagnostic{Reason: EntryCount},
		func(s fields) { s["blocks"] = append(s["blocks"].([]any), fields{"type": "text"}) })
	add("no entries", Diagnostic{Reason: EntryCount}, func(s fields) { s["blocks"] = []any{} })
	for i, kind := range []string{"text", "tool-call", "reasoning"} {
		add(fmt.Sprintf("kind of entry %d", i), Diagnostic{Reason: EntryKindMismatch, At: i},
			func(s fields) { entryAt(s, i)["type"] = kind })
	}
	return all
}

func TestValidateEveryCheck(t *testing.T) {
	require.Nil(t, diagnose(t, encode(t, validState()), false))
	require.Nil(t, diagnose(t, encode(t, validState()), true))
	for _, f := range faults() {
		s := validState()
		f.do(s)
		for _, reference := range []bool{false, true} {
			got := diagnose(t, encode(t, s), reference)
			if assert.NotNil(t, got, f.name) {
				want := f.want
				want.Code, want.MessageID = InvalidState, "m-1"
				assert.Equal(t, want, *got, f.name)
			}
		}
	}
}

func TestValidateEnvelope(t *testing.T) {
	for _, state := range []string{"null", "[]", `"x"`, "1", "true", `[{"response":{}}]`, "", "{", "{}x"} {
		got := diagnose(t, json.RawMessage(state), false)
		if assert.NotNil(t, got, state) {
			assert.Equal(t, EnvelopeNotObject, got.Reason, state)
		}
	}
	got := diagnose(t, nil, false)
	require.NotNil(t, got)
	assert.Equal(t, EnvelopeNotObject, got.Reason)
}

// rank is the place of a check in the order.
func rank(d Diagnostic) int {
	order := []string{
		"response-not-object", "kind", "version", "field-not-string api", "field-not-string provider",
		"field-not-string model", "stop-reason", "field-not-string responseModel", "field-not-string responseId",
		"entries-not-array",
	}
	for i := range 3 {
		for _, reason := range []string{
			"entry-not-object", "entry-type", "entry-signature textSignature", "entry-signature thinkingSignature",
			"entry-signature thoughtSignature", "entry-redacted",
		} {
			order = append(order, fmt.Sprint(reason, i))
		}
	}
	order = append(order, "route-mismatch provider", "route-mismatch model", "entry-count",
		"entry-kind-mismatch0", "entry-kind-mismatch1", "entry-kind-mismatch2")
	key := string(d.Reason)
	if d.Field != "" {
		key += " " + d.Field
	}
	if d.Reason.Positioned() {
		key += fmt.Sprint(d.At)
	}
	for i, k := range order {
		if k == key {
			return i
		}
	}
	return -1
}

// Of two faults the one of the earlier check is reported, whichever it is.
func TestValidateOrder(t *testing.T) {
	all := faults()
	for _, f := range all {
		require.GreaterOrEqual(t, rank(f.want), 0, f.name)
	}
	pairs := 0
	for i, first := range all {
		// One fault of a check stands for the others of that check.
		if i > 0 && rank(all[i-1].want) == rank(first.want) {
			continue
		}
		for j, second := range all {
			if j <= i || rank(all[j-1].want) == rank(second.want) || rank(first.want) == rank(second.want) {
				continue
			}
			s := validState()
			if !apply(s, second.do) || !apply(s, first.do) {
				continue // the first has taken away what the second is about
			}
			got := diagnose(t, encode(t, s), false)
			require.NotNil(t, got)
			assert.Equal(t, rank(first.want), rank(*got), "%s and %s: %v", first.name, second.name, got)
			pairs++
		}
	}
	assert.Greater(t, pairs, 300)
}

// apply makes a fault if the state still has the place of it.
func apply(s fields, do func(fields)) (ok bool) {
	defer func() { ok = recover() == nil }()
	do(s)
	return true
}

func TestValidateAccepts(t *testing.T) {
	for name, change := range map[string]func(s fields){
		"stop":             func(s fields) { response(s)["stopReason"] = "stop" },
		"length":           func(s fields) { response(s)["stopReason"] = "length" },
		"version 2.0":      func(s fields) { response(s)["version"] = json.Number("2.0") },
		"version 20e-1":    func(s fields) { response(s)["version"] = json.Number("20e-1") },
		"empty ids":        func(s fields) { response(s)["responseModel"], response(s)["responseId"] = "", "" },
		"other model name": func(s fields) { response(s)["responseModel"] = "large-2031-02" },
		"extra keys": func(s fields) {
			s["extra"], response(s)["usage"], entryAt(s, 0)["weight"] = nil, fields{"input": 3}, 1
		},
		"signatures of other kinds": func(s fields) {
			for i := range 3 {
				e := entryAt(s, i)
				e["textSignature"], e["thinkingSignature"], e["thoughtSignature"], e["redacted"] = "", "b", "c", false
			}
		},
	} {
		s := validState()
		change(s)
		assert.Nil(t, diagnose(t, encode(t, s), false), name)
	}
	// Of repeated keys the last counts, and an escaped key is the key.
	assert.Nil(t, validate(json.RawMessage(`{"response":1,"resp\u006fnse":{"kind":"x","kind":"pi-ai","version":2,"api":"a",`+
		`"provider":"p","model":"m","stopReason":"stop"},"blocks":[{"type":"text"}],"blocks":[]}`),
		parse(t, `{"id":"m","role":"assistant","content":[],"source":{"kind":"model","provider":"p","model":"m"}}`), false))
}

func TestValidateStopReasonOfReference(t *testing.T) {
	for _, v := range []any{"error", "aborted", []any{"stop"}, []any{[]any{"length"}}, []any{"error"}} {
		s := validState()
		response(s)["stopReason"] = v
		got := diagnose(t, encode(t, s), false)
		if assert.NotNil(t, got, "%v", v) {
			assert.Equal(t, WrongStopReason, got.Reason)
		}
		assert.Nil(t, diagnose(t, encode(t, s), true), "%v", v)
	}
}

func TestValidateAnsweredRoute(t *testing.T) {
	with := func(answered string) message.Message {
		return parse(t, `{"id":"m-1","role":"assistant","content":`+storedContent+
			`,"source":{"kind":"model","provider":"asked","model":"small","answered":`+answered+`}}`)
	}
	state := encode(t, validState())
	answered := with(`{"provider":"north","model":"large"}`)
	assert.NoError(t, validate(state, answered, false))
	assert.ErrorContains(t, validate(state, answered, true), "provider")
	assert.ErrorContains(t, validate(state, with(`{"provider":"north","model":"x"}`), false), "model")
	// What is no route is not looked at.
	for _, bad := range []string{`null`, `{}`, `{"provider":"north"}`, `{"provider":"north","model":""}`, `[]`, `{"provider":1,"model":"large"}`} {
		assert.ErrorContains(t, validate(state, with(bad), false), "provider", bad)
	}
}

func TestRenderDeepList(t *testing.T) {
	const depth = 9000
	list := make([]byte, 0, 2*depth+1)
	for range depth {
		list = append(list, '[')
	}
	list = append(list, '7')
	for range depth {
		list = append(list, ']')
	}
	s := validState()
	response(s)["version"] = json.RawMessage(list)
	got := diagnose(t, encode(t, s), false)
	require.NotNil(t, got)
	assert.Equal(t, "7", got.Version)
}

func TestDiagnosticJSON(t *testing.T) {
	d := Diagnostic{
		Code: InvalidState, Reason: EntrySignature, Field: "textSignature", MessageID: "m",
		Route: message.Route{Provider: "p", Model: "q"},
	}
	assert.JSONEq(t, `{"code":"INVALID_REPLAY_STATE","reason":"entry-signature","field":"textSignature","at":0,`+
		`"messageId":"m","route":{"provider":"p","model":"q"},"message":"`+d.Error()+`"}`, string(encode(t, d)))
	d = Diagnostic{Code: InvalidState, Reason: WrongVersion}
	assert.JSONEq(t, `{"code":"INVALID_REPLAY_STATE","reason":"version","version":"","message":"`+d.Error()+`"}`,
		string(encode(t, d)))
	d = Diagnostic{Code: InvalidState, Reason: EntryCount}
	assert.JSONEq(t, `{"code":"INVALID_REPLAY_STATE","reason":"entry-count","message":"`+d.Error()+`"}`, string(encode(t, d)))
}
