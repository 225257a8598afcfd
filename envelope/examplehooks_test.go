package envelope_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"time"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/registry"
)

// fixed is the same on every machine and day.
func fixed() envelope.Environment {
	return envelope.Environment{
		OS: "linux", Zone: "Europe/Berlin",
		Now:    func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) },
		Getenv: func(key string) string { return map[string]string{"SHELL": "/bin/bash", "HOME": "/home/ada"}[key] },
	}
}

// The hooks of a host, in the order of a turn: the start of the turn, and the history before each call of
// the model.
func ExampleService() {
	ctx := context.Background()
	r := &registry.Registry{}
	_, err := r.Register(registry.Contribution{ID: "style", Render: registry.Text("Answer in one sentence.")})
	if err != nil {
		log.Fatal(err)
	}
	s := &envelope.Service{Registry: r, Environment: fixed()}

	prompt := "You are a coding agent."
	result := s.BeforeTurn(ctx, envelope.Turn{Request: envelope.Request{
		SessionID: "s1", Provider: "openai", CWD: "/srv/app", SystemPrompt: &prompt,
		Options: registry.PromptOptions{ContextFiles: []registry.ContextFile{
			{Path: "/srv/app/AGENTS.md", Content: "Run make test."},
		}},
	}})
	fmt.Println(*result.SystemPrompt)
	for _, m := range result.Envelope.DeveloperMessages {
		fmt.Println(m.ID)
	}

	history := []json.RawMessage{json.RawMessage(`{"role":"user","content":"Hello"}`)}
	history, changed := s.Context("s1", history)
	fmt.Println(changed)
	for _, m := range history {
		fmt.Printf("%.60s…\n", m)
	}
	// Output:
	// You are a coding agent.
	// style
	// environment
	// true
	// {"role":"custom","customType":"pi-developer-messages/agents-…
	// {"role":"user","content":"Hello"}…
}

// What a turn would send in another place is seen without a turn.
func ExampleService_Current() {
	ctx := context.Background()
	s := &envelope.Service{Environment: fixed()}
	if _, err := s.Capture(ctx, envelope.Request{SessionID: "s1", CWD: "/srv/app"}); err != nil {
		log.Fatal(err)
	}
	elsewhere := "/srv/docs"
	env, err := s.Current(ctx, "s1", envelope.Overrides{CWD: &elsewhere})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(env.DeveloperMessages[0].Content)
	env, err = s.Current(ctx, "another session", envelope.Overrides{})
	fmt.Println(env, err)
	// Output:
	// <environment_context>
	//   <cwd>/srv/docs</cwd>
	//   <shell>bash</shell>
	//   <current_date>2026-03-01</current_date>
	//   <timezone>Europe/Berlin</timezone>
	// </environment_context>
	// <nil> <nil>
}

// branch is a host's session log with one branch.
type branch []envelope.Entry

func (b *branch) Branch(context.Context) ([]envelope.Entry, error) { return *b, nil }

func (b *branch) Append(_ context.Context, customType string, data json.RawMessage) error {
	*b = append(*b, envelope.Entry{Type: "custom", CustomType: customType, Data: data})
	return nil
}

// What a model was told is recorded in the host's log, and only what has changed since.
func ExampleService_SessionStart() {
	ctx := context.Background()
	r := &registry.Registry{}
	rule := "Answer in one sentence."
	_, err := r.Register(registry.Contribution{
		ID: "style", Render: func(context.Context, *registry.RenderContext) (string, error) { return rule, nil },
	})
	if err != nil {
		log.Fatal(err)
	}
	s := &envelope.Service{Registry: r, Environment: fixed()}
	kept := &branch{}
	s.SessionStart("s1", kept)
	for range 3 {
		env, err := s.Capture(ctx, envelope.Request{SessionID: "s1"})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%d recorded, %d current\n", env.Report.Audit.Recorded, env.Report.Audit.Current)
	}
	rule = "Answer in two sentences."
	if _, err := s.Capture(ctx, envelope.Request{SessionID: "s1"}); err != nil {
		log.Fatal(err)
	}
	last := (*kept)[len(*kept)-1]
	view, _ := envelope.ViewAudit(last.CustomType, last.Data, false, 40)
	for _, row := range view.Rows {
		fmt.Println(row.Heading, row.Markdown)
	}
	// Output:
	// 2 recorded, 0 current
	// 0 recorded, 2 current
	// 0 recorded, 2 current
	// [developer] developer · style Answer in two sentences.
}

// An adapter puts developer messages into a payload in this form.
func ExampleSerialize() {
	fmt.Println(envelope.Serialize(registry.Message{ID: "style", Content: "Answer in one sentence."}))
	// Output:
	// <pi_developer_prompt_message id="style">
	// Answer in one sentence.
	// </pi_developer_prompt_message>
}

// A custom prompt takes the place of the host's own.
func ExampleInstructions() {
	built := "You are a coding agent."
	fmt.Println(envelope.Instructions(&registry.PromptOptions{AppendSystemPrompt: "Be brief."}, &built))
	custom := &registry.PromptOptions{CustomPrompt: "You are Harbour.", AppendSystemPrompt: "Be brief."}
	fmt.Println(envelope.Instructions(custom, &built))
	// Output:
	// You are a coding agent.
	// You are Harbour.
	//
	// Be brief.
}
