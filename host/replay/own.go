package replay

import "github.com/pintle-wasm/pintle/host/message"

// Own takes away the replay states that are not those of the adapter which is about to serve a request.
// owned tells whether a provider is, at this moment, registered to that very adapter; it is asked about
// the provider that gave the message. The contents of a state and the models play no part. Messages of
// users, and assistant messages that no model gave, stay as they are. See the replay-state protocol,
// section "Step one: ownership, in the runtime".
//
// Each state that is taken away is reported, in the order of the messages, with the reader's route as the
// serving one. In reference mode nothing is reported, and an answering route beside the requested one is
// not looked at.
//
// messages is not changed. If there is nothing to take away, it is what is returned.
func (r *Reader) Own(messages []message.Message, owned func(provider string) bool) []message.Message {
	out := messages
	for i := range messages {
		m := &messages[i]
		if m.Role != message.Assistant || m.Source.Kind != message.FromModel || m.Source.ReplayState == nil {
			continue
		}
		route := m.Source.Serving()
		if r.Reference {
			route = m.Source.Requested()
		}
		if owned(route.Provider) {
			continue
		}
		if &out[0] == &messages[0] {
			out = append([]message.Message(nil), messages...)
		}
		out[i] = m.WithoutReplayState()
		if !r.Reference {
			r.report(Report{Code: StateNotOwned, MessageID: m.ID, Route: route, Serving: r.Route})
		}
	}
	return out
}
