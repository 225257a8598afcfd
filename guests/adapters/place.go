package main

// Message is one developer message of a turn.
type Message struct{ ID, Content string }

// place is where the payloads of one API keep the prompt, and where developer messages go. Payloads are
// JSON; they are never changed, and one that is not understood, or not JSON at all, is read as having
// no prompt and left unchanged.
type place interface {
	// read returns the prompt; ok is false if there is none.
	read(payload []byte) (text string, ok bool)
	// replaceSystem returns the payload with another prompt; nil means unchanged.
	replaceSystem(payload []byte, text string) []byte
	// replaceDeveloper returns the payload with these developer messages instead of the ones that an
	// earlier replacement left in it; nil means unchanged.
	replaceDeveloper(payload []byte, messages []Message) []byte
}

// placeFor returns the adapter of an API; nil for an API that has none. With compat "reference" the
// adapters behave as the Pi prompt-envelope extension's own, where it has any. developerRole says
// whether the server accepts the role developer: "yes", "no", and anything else leaves that to the
// payload.
func placeFor(api, compat, developerRole string) place {
	if compat == "reference" {
		switch api {
		case "openai-codex-responses":
			return codexReference{}
		case "openai-responses":
			return openAIReference{list: "input", instructions: true}
		case "openai-completions":
			return openAIReference{list: "messages"}
		}
	}
	if r := rulesFor(api, developerRole); r != nil {
		return sound{r}
	}
	return nil
}

// rules are the decisions for one API. They hold for whole payloads and for what a view shows of one;
// what they ask of a view that it does not show makes its document blind.
type rules interface {
	// levels is how deep the rules look into all of a payload.
	levels() int
	// prompt returns the string whose first own bytes are the prompt; ok is false if there is none.
	prompt(d *document) (at node, own int, ok bool)
	// setPrompt puts another prompt in its place, or adds it.
	setPrompt(d *document, text string)
	// setMessages makes these the developer messages. They are JSON strings, one segment each.
	setMessages(d *document, segments [][]byte)
}

func rulesFor(api, developerRole string) rules {
	switch api {
	case "openai-codex-responses":
		return openAI{list: "input", partType: "input_text", instructions: true, codex: true, developerRole: developerRole}
	case "openai-responses":
		return openAI{list: "input", partType: "input_text", instructions: true, developerRole: developerRole}
	case "openai-completions":
		return openAI{list: "messages", partType: "text", developerRole: developerRole}
	case "anthropic-messages":
		return anthropic{}
	case "google-generative-ai":
		return google{}
	}
	return nil
}

// sound applies rules to whole payloads.
type sound struct{ rules rules }

func (s sound) read(payload []byte) (string, bool) {
	d := open(payload, s.rules.levels())
	if d == nil {
		return "", false
	}
	at, own, ok := s.rules.prompt(d)
	if !ok || d.doubtful {
		return "", false
	}
	return at.text()[:own], true
}

func (s sound) replaceSystem(payload []byte, text string) []byte {
	d := open(payload, s.rules.levels())
	if d == nil {
		return nil
	}
	s.rules.setPrompt(d, text)
	return d.changed()
}

func (s sound) replaceDeveloper(payload []byte, messages []Message) []byte {
	d := open(payload, s.rules.levels())
	if d == nil {
		return nil
	}
	s.rules.setMessages(d, segments(messages))
	return d.changed()
}
