package stream

import (
	"bytes"
	"encoding/json"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// Ignored is a part, or a member of one, that an answer had and its events do not tell of.
//
// Whole parts are those whose type has no effect (the warnings of a stream-start, a source), those of types
// that the protocol does not have, and those that have none where they are: the end of a block that was
// not opened, the result of a call that the provider did not run, a file without data that can be read.
//
// Members are those of parts that have an effect, such as the citations of a text-end. They are known
// only of parts with [Part].Raw. A member that is null counts as one that is not there. What the members
// hold is not looked into.
type Ignored struct {
	// Part is the type of the part, "" if it has none.
	Part string
	// Member is the member's name, "" for the whole part.
	Member string
	// Unknown says that the protocol does not have the type of part, or not this member of it.
	Unknown bool
	// Raw is the part or the member's value as JSON, nil for a part without Raw. It shares the part's memory.
	Raw json.RawMessage
}

// KnownPart says whether the language model specification, V2, V3 or V4, has parts of a type. Hosts have
// no use for all of them.
func KnownPart(kind string) bool {
	_, effect := partMembersOf[kind]
	return effect || kind == "stream-start" || kind == "response-metadata" || kind == "source" || kind == "raw" ||
		kind == "reasoning-file" || kind == "custom" || kind == "ping" || kind == "tool-approval-request"
}

// partMembersOf are the members of parts that have an effect. The value says whether the member has one: it
// is in the message, says where it belongs, or repeats what another part has said.
var partMembersOf = map[string]map[string]bool{
	PartTextStart:      {"id": true, "providerMetadata": true},
	PartTextDelta:      {"id": true, "delta": true, "providerMetadata": true},
	PartTextEnd:        {"id": true, "providerMetadata": true, "citations": false},
	PartReasoningStart: {"id": true, "providerMetadata": true},
	PartReasoningDelta: {"id": true, "delta": true, "providerMetadata": true},
	PartReasoningEnd:   {"id": true, "providerMetadata": true},
	PartToolInputStart: {
		"id": true, "toolName": true, "providerExecuted": true, "providerMetadata": true,
		"dynamic": false, "title": false, "inputEncoding": false,
	},
	PartToolInputDelta: {"id": true, "delta": true, "providerExecuted": true, "providerMetadata": true},
	PartToolInputEnd:   {"id": true, "providerExecuted": true, "providerMetadata": true},
	PartToolCall: {
		"toolCallId": true, "toolName": true, "input": true, "providerExecuted": true, "providerMetadata": true,
		"dynamic": false,
	},
	PartToolResult: {
		"toolCallId": true, "toolName": true, "result": true, "isError": true, "preliminary": true,
		"providerExecuted": true, "providerMetadata": false, "dynamic": false,
	},
	PartFile:   {"mediaType": true, "data": true, "providerMetadata": false},
	PartFinish: {"finishReason": true, "usage": true, "providerMetadata": true},
	PartError:  {"error": true},
}

// marksOnly are the members of a result whose call has not come: it says that its id is the provider's,
// and what else it says is lost.
var marksOnly = map[string]bool{
	"toolCallId": true, "providerExecuted": true,
	"toolName": false, "result": false, "isError": false, "preliminary": false, "providerMetadata": false, "dynamic": false,
}

// tellIgnored tells of what a part has that is about to be ignored.
func (t *Translator) tellIgnored(p *Part) {
	if !t.hasEffect(p) {
		t.cfg.OnIgnored(Ignored{Part: p.Type, Unknown: !KnownPart(p.Type), Raw: bytes.TrimSpace(p.Raw)})
		return
	}
	members := partMembersOf[p.Type]
	if p.Type == PartToolResult && !t.hasCall(p.ID) {
		members = marksOnly
	}
	jsonspan.Members(p.Raw, func(key, value []byte) {
		name := unquote(key)
		effect, known := members[name]
		if name == "type" || string(value) == "null" || effect && (name != "providerMetadata" || t.readsMetadata(p)) {
			return
		}
		t.cfg.OnIgnored(Ignored{Part: p.Type, Member: name, Unknown: !known, Raw: value})
	})
}

// hasEffect says whether a part does anything where it is.
func (t *Translator) hasEffect(p *Part) bool {
	switch p.Type {
	case PartTextEnd:
		_, ok := t.texts.find(p.ID)
		return ok
	case PartReasoningEnd:
		_, ok := t.thoughts.find(p.ID)
		return ok
	case PartToolInputEnd: // which marks a place where nothing happens, even where it belongs
		_, ok := t.tools.find(p.ID)
		return ok || t.isTheirs(p)
	case PartToolResult:
		_, marked := t.theirs[p.ID]
		return t.isTheirs(p) && (!marked || t.hasCall(p.ID))
	case PartFile:
		return !t.cfg.Reference && t.isFile(p)
	}
	_, ok := partMembersOf[p.Type]
	return ok
}

// isFile says whether a file is one.
func (t *Translator) isFile(p *Part) bool {
	data, url := fileData(p.Data)
	if url != "" || data != "" && t.isImage(p) {
		return true
	}
	_, ok := decodeBase64(data)
	return ok
}

// readsMetadata says whether anything is made of a part's metadata.
func (t *Translator) readsMetadata(p *Part) bool {
	if p.Type == PartFinish {
		return t.cfg.Integration != NoIntegration
	}
	return !t.cfg.Reference
}
