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
// The packages below it can be used on their own, and none of them links an engine: payload puts a prompt
// envelope into a request; stream, history, profile, model, auth and bridge run AI SDK providers; message,
// assembler, replay, session, turn and doctor take and keep the answer.
package host
