package conformance

import (
	"fmt"
	"slices"

	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// bindAgent brings both sides of a case of acp into the form in which they are compared.
func bindAgent(c *testCase, expected, got Value) (Value, Value) {
	return boundAgent(c, expected), boundAgent(c, got)
}

func boundAgent(c *testCase, v Value) Value {
	ids := tokens{}
	steps := c.input.Get("steps").items
	var frames []any
	for _, frame := range v.Get("frames").items {
		if kept := boundFrame(frame, steps); kept.present() {
			frames = append(frames, ids.frame(kept))
		}
	}
	logs := slices.Clone(v.Get("logs").items)
	// The kit has the logs in the order in which their sessions were begun.
	place := func(log Value) int {
		if len(log.items) == 0 {
			return 0
		}
		return ids.number(log.items[0].Get("id").str(""))
	}
	for _, log := range logs {
		place(log)
	}
	slices.SortStableFunc(logs, func(a, b Value) int { return place(a) - place(b) })
	var bound []any
	for _, log := range logs {
		bound = append(bound, ids.log(log))
	}
	out, err := build(fields{"exit", v.Get("exit"), "frames", orEmpty(frames), "logs", orEmpty(bound)})
	if err != nil {
		return v
	}
	return out
}

// orEmpty is a list, also if there is nothing in it.
func orEmpty(list []any) []any {
	if list == nil {
		return []any{}
	}
	return list
}

// tokens numbers ids in the order of their first appearance.
type tokens map[string]int

func (t tokens) number(id string) int {
	if t[id] == 0 {
		t[id] = len(t) + 1
	}
	return t[id]
}

// in returns an object with a token in the place of an id, if it has one.
func (t tokens) in(v Value, key string) Value {
	id := v.Get(key).ptr()
	if id == nil {
		return v
	}
	token, err := build(fmt.Sprintf("{{id-%d}}", t.number(*id)))
	if err != nil {
		return v
	}
	return v.with(key, token)
}

func (t tokens) frame(v Value) Value {
	for _, key := range [...]string{"result", "params"} {
		if inner := v.Get(key); inner.Has("sessionId") {
			v = v.with(key, t.in(inner, "sessionId"))
		}
	}
	return v
}

// silentUpdates are the kinds of updates that carry no output of a model.
var silentUpdates = [...]string{
	"available_commands_update", "current_mode_update", "config_option_update", "session_info_update", "usage_update",
}

// boundFrame keeps of a frame what binds. A frame that does not bind at all is absent.
func boundFrame(v Value, steps []Value) Value {
	v = v.without(isMeta)
	if v.Get("method").str("") == "session/update" {
		params := v.Get("params").without(isMeta)
		update := params.Get("update").without(isMeta)
		kind := update.Get("sessionUpdate").str("")
		if slices.Contains(silentUpdates[:], kind) {
			return Value{}
		}
		if kind == "agent_message_chunk" {
			content := update.Get("content").without(isMeta)
			update = only(update, "sessionUpdate", "content")
			if content.present() {
				update = update.with("content", content)
			}
		}
		return v.with("params", params.with("update", update))
	}
	if failure := v.Get("error"); failure.present() {
		bare := only(failure, "code")
		if isMessage("message", failure.Get("message")) {
			return v.with("error", bare)
		}
		return v.with("error", bare.with("message", failure.Get("message"))) // there has to be a text
	}
	result := v.Get("result")
	at := int(v.Get("id").number()) - 1
	if !result.present() || at < 0 || at >= len(steps) {
		return v
	}
	switch steps[at].Get("op").str("") {
	case "initialize":
		result = boundCapabilities(result)
	case "newSession":
		result = only(result, "sessionId")
	case "prompt":
		result = only(result, "stopReason")
	}
	return v.with("result", result)
}

func isMeta(key string, _ Value) bool { return key == "_meta" }

// only returns an object with some of its members.
func only(v Value, keys ...string) Value {
	return v.without(func(key string, _ Value) bool { return !slices.Contains(keys, key) })
}

// boundCapabilities drops what is claimed of nothing: false, null, {} and [], from the inside out.
func boundCapabilities(result Value) Value {
	version, info := result.Get("protocolVersion"), result.Get("agentInfo")
	rest := claims(result.without(func(key string, _ Value) bool {
		return key == "protocolVersion" || key == "agentInfo"
	}))
	out := fields{"claims", rest}
	if version.present() {
		out = append(out, "protocolVersion", version)
	}
	if info.present() {
		out = append(out, "agentInfo", "{{agentInfo}}")
	}
	bound, err := build(out)
	if err != nil {
		return result
	}
	return bound
}

func claims(v Value) Value {
	v = v.each(claims)
	return v.without(func(key string, item Value) bool {
		return isMeta(key, item) || !item.present() || string(item.raw) == "false" || item.kind >= jsonspan.Array && len(item.items) == 0
	})
}

// agentEvents are the kinds of events that bind.
var agentEvents = [...]string{
	session.TurnStart, session.TurnEnd, session.StepStart, session.StepEnd, session.UserMessage, session.AssistantChunk,
	session.AssistantMessage, session.ToolCall, session.ToolResult,
}

// log keeps of a log what binds: of its header, and its events without seq and time, those that cite others
// with the kinds of these.
func (t tokens) log(lines Value) any {
	var out []any
	kinds := map[float64]string{}
	for i, line := range lines.items {
		kind := line.Get("type").str("")
		if i == 0 {
			out = append(out, t.in(only(line, "type", "version", "id", "cwd", "delegationDepth"), "id"))
			continue
		}
		kinds[line.Get("seq").number()] = kind
		if kind == session.AssistantChunk {
			kinds[line.Get("seq").number()] = line.Get("data").Get("chunk").Get("type").str("")
		}
		if !slices.Contains(agentEvents[:], kind) {
			continue
		}
		event := fields{"type", kind, "data", t.event(kind, line.Get("data"))}
		if op := line.Get("surfaceOp"); op.present() {
			event = append(event, "surfaceOp", op)
		}
		if sources := line.Get("sourceEventSeqs"); sources.present() {
			cited := []string{}
			for _, seq := range sources.items {
				cited = append(cited, kinds[seq.number()])
			}
			event = append(event, "sources", cited)
		}
		out = append(out, event)
	}
	return orEmpty(out)
}

func (t tokens) event(kind string, data Value) Value {
	switch kind {
	case session.UserMessage:
		return t.in(data, "id")
	case session.AssistantMessage, session.ToolResult:
		switch m := t.in(data.Get("message"), "id"); data.Get("error").Get("code").str("") {
		case session.ToolNotStarted, session.ToolOutcomeUnknown:
			return data.with("message", anyText(m)) // the words are free
		default:
			return data.with("message", m)
		}
	case session.TurnEnd:
		reason := data.Get("reason")
		if failure := reason.Get("error"); failure.present() {
			return data.with("reason", reason.with("error", failure.without(isMessage)))
		}
	}
	return data
}
