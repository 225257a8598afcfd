package replay

import "github.com/pintle-wasm/pintle/host/message"

// Own takes away the replay states that are not those of the adapter which is about to serve a request.
// owned tells whether a provider is, at this moment, registered to that very adapter; it is asked about
// the provider that gave the message. The contents of a state and the models play no part. Messages of
// users, and assistant messages that no model gave, stay as they are. See the replay-state protocol,
// section "Step one: ownership, in the runtime".
//
// serving is the route of the request. It goes into the reports, one for each state that is taken away,
// in the order of the messages; if report is nil, the default logger gets them (see [Process]). In reference mode nothing is reported, and an
// answering route beside the requested one is not looked at.
//
// messages is not changed. If there is nothing to take away, it is what is returned.
func Own(
	messages []message.Message, owned func(provider string) bool, serving message.Route,
	reference bool, report func(Report),
) []message.Message {
	out := messages
	if report == nil {
		report = shown.Report
	}
	for i := range messages {
		m := &messages[i]
		if m.Role != message.Assistant || m.Source.Kind != message.FromModel || m.Source.ReplayState == nil {
			continue
		}
		route := m.Source.Serving()
		if reference {
			route = m.Source.Requested()
		}
		if owned(route.Provider) {
			continue
		}
		if &out[0] == &messages[0] {
			out = append([]message.Message(nil), messages...)
		}
		out[i] = m.WithoutReplayState()
		if !reference {
			report(Report{Code: StateNotOwned, MessageID: m.ID, Route: route, Serving: serving})
		}
	}
	return out
}
