// Package host is the embedding API: one [Host] per process loads guests and composes, for each turn of
// a session, what is sent to the model besides the conversation.
//
//	h := host.Open(host.Options{})
//	defer h.Close(ctx)
//	guest, err := h.Load(ctx, "style.wasm", file, runtime.GuestOptions{})
//	s := h.Session("s1")
//	env, err := s.Capture(ctx, turn)
//	client := &http.Client{Transport: s.Transport("openai", "openai-responses", nil)}
//
// [Session.Turn] is all of it in one call: the envelope is composed, the model is asked over a loop of
// package turn, the answer is translated, assembled and kept, tools run, and the next request has what the
// provider wants to see again. One client with [Host.Transport] and one provider then serve all sessions.
//
// The packages below it can be used on their own, and none of them links an engine: payload puts a prompt
// envelope into a request; stream, history, parts, profile, model, auth and bridge run AI SDK providers;
// message, assembler, replay, session, turn and doctor take and keep the answer.
//
// # One turn in the source
//
// A turn begins in [Session.Turn], host/turn.go, and a [turn.Loop], host/turn/loop.go, goes through its steps.
// What happens on the way can be read in five files, in this order:
//
//	envelope/service.go            compose: contributions and context files become the prompt envelope
//	host/payload/apply.go          adapt: the envelope gets into the provider's request
//	host/stream/translator.go      translate: the parts of the answer become events, and chunks of these
//	host/assembler/assembler.go    assemble: chunks become blocks and the replay state beside them
//	host/session/session.go        persist: what was said is an event of the log
//
// The next request reads it back: host/replay/reader.go.
package host
