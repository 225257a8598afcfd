package session_test

import (
	"fmt"
	"strings"

	"github.com/pintle-wasm/pintle/host/session"
)

// A log whose writer died in the middle of a line is read up to there.
func ExampleScanner() {
	const log = `{"type":"session","version":0,"id":"demo","createdAt":1700000000000,"delegationDepth":0}
{"type":"turn/start","seq":0,"time":1,"data":{"turn":1}}
{"type":"text-chunks","seq0":1,"time0":2,"data":{"turn":1,"step":1,"index":0,"dt":[1],"texts":["Hel","lo"]}}
{"type":"turn/end","seq":3,"ti`
	s := session.NewScanner(strings.NewReader(log))
	for e, err := range s.Events() {
		if err != nil {
			fmt.Println(err) // the log is damaged
			return
		}
		fmt.Printf("%d %s %s\n", e.Seq, e.Type, e.Data)
	}
	fmt.Println(s.Total()-s.Committed(), "bytes are to be cut")
	// Output:
	// 0 turn/start {"turn":1}
	// 1 assistant/chunk {"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":"Hel"}}
	// 2 assistant/chunk {"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":"lo"}}
	// 30 bytes are to be cut
}

func ExamplePack() {
	var events []session.Event
	for i, text := range []string{"Hel", "lo", "!"} {
		events = append(events, session.Event{
			Type: session.AssistantChunk, Seq: int64(7 + i), Time: int64(1000 + 5*i),
			Data: fmt.Appendf(nil, `{"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":%q}}`, text),
		})
	}
	for _, record := range session.Pack(events) {
		fmt.Printf("%s\n", record)
	}
	// Output:
	// {"type":"text-chunks","seq0":7,"time0":1000,"data":{"turn":1,"step":1,"index":0,"dt":[5,5],"texts":["Hel","lo","!"]}}
}
