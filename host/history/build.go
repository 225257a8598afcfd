package history

import (
	"strings"

	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// A builder makes the prompt of one call, message by message.
type builder struct {
	cfg     *Config
	tools   *profile.Toolset
	renames map[string]string
	// todo is the tool whose operations are folded, "" for none.
	todo string

	out []Message
	// afterTool: the last message that is not the system's asks for a tool or brings a result.
	afterTool bool
	// calls are the newest ones with their ids.
	calls map[string]call
	folding
}

// A call is what became of a stored call, which its results follow.
type call struct {
	// tool is the host's name.
	tool    string
	dropped bool
	// fold is set if it is one of several operations that the provider sees as one call.
	fold *fold
}

func newBuilder(c *Config, set *profile.Toolset) *builder {
	b := &builder{cfg: c, tools: set, renames: set.Renames(), calls: map[string]call{}}
	b.todo, _ = set.TodoTool()
	b.heads = map[string]*fold{}
	return b
}

func (b *builder) prompt(system string, messages []jsonspan.Node) []Message {
	b.out = make([]Message, 0, len(messages)+1)
	b.system(system)
	for _, m := range messages {
		b.message(m)
	}
	b.finish()
	return b.out
}

// message adds what a host's message is to the provider. Those of role "system" have been used already, and
// other roles have no meaning.
func (b *builder) message(m jsonspan.Node) {
	switch role := jsonvalue.Member(m, "role"); {
	case role.Is("user"):
		c := readContent(jsonvalue.Member(m, "content"))
		if b.afterTool && b.isNote(m, c) {
			b.system(c.text())
		} else {
			b.user(c)
		}
	case role.Is("developer"):
		c := readContent(jsonvalue.Member(m, "content"))
		if b.tools.Profile().Context.WakeNotices && isWakeNotice(m, c) {
			b.user(c)
		} else {
			b.system(c.text())
		}
	case role.Is("assistant"):
		b.assistant(m)
	case role.Is("toolResult"):
		b.result(m)
	}
}

// system adds text that the host has written, if there is any.
func (b *builder) system(text string) {
	if text != "" {
		b.out = append(b.out, Message{Role: RoleSystem, Text: RestateNames(text, b.renames, true)})
	}
}

func (b *builder) user(c content) {
	b.out = append(b.out, Message{Role: RoleUser, Content: c})
	b.afterTool = false
}

func (b *builder) isNote(m jsonspan.Node, c content) bool {
	if b.cfg.Notes == nil || !b.tools.Profile().Context.HiddenNotes {
		return false
	}
	key, ok := noteKey(m, c)
	return ok && b.cfg.Notes.has(key)
}

// isWakeNotice says whether a developer message tells the agent that work in the background is done.
func isWakeNotice(m jsonspan.Node, c content) bool {
	if !jsonvalue.Member(m, "attribution").Is("agent") {
		return false
	}
	text := c.text()
	if !strings.HasPrefix(text, "<system-notice>") {
		return false
	}
	text = strings.ToLower(text)
	return strings.Contains(text, "background job") && strings.Contains(text, "resume your work using")
}
