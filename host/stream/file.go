package stream

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// file takes a generated file: as a block if the host has one for it, else as a text that says where the
// file is.
func (t *Translator) file(p *Part) {
	if t.cfg.Reference {
		return
	}
	data, url := fileData(p.Data)
	switch {
	case url != "":
		t.say(fmt.Sprintf("Generated file (%s): %s", p.MediaType, url))
	case data == "":
	case t.isImage(p):
		b := t.blocks.block()
		b.Type, b.MediaType, b.Data, b.shown = BlockImage, strings.Clone(p.MediaType), data, true
		t.add(b)
		t.send(Event{Type: EventImageEnd, ContentIndex: len(t.m.Content) - 1, Block: b})
	default:
		if content, ok := decodeBase64(data); ok {
			t.say(t.save(p.MediaType, content))
		}
	}
}

// isImage says whether a file is one that the host's messages can hold.
func (t *Translator) isImage(p *Part) bool {
	return t.answer.Images && strings.HasPrefix(p.MediaType, "image/")
}

func (t *Translator) save(mediaType string, content []byte) string {
	if t.cfg.Files == nil {
		return fmt.Sprintf("A file (%s, %d bytes) was generated. It was not kept: there is no place for it.", mediaType, len(content))
	}
	path, err := t.cfg.Files(mediaType, content)
	if err != nil {
		return fmt.Sprintf("A file (%s, %d bytes) was generated. It was not kept: %v", mediaType, len(content), err)
	}
	return fmt.Sprintf("Generated file (%s): %s", mediaType, path)
}

// say makes a whole text block.
func (t *Translator) say(text string) {
	at := len(t.m.Content)
	b := t.blocks.block()
	b.Type = BlockText
	t.add(b)
	if !t.send(Event{Type: EventTextStart, ContentIndex: at}) {
		return
	}
	b.text = t.arena.grow(nil, text)
	_ = t.send(Event{Type: EventTextDelta, ContentIndex: at, Delta: text}) &&
		t.send(Event{Type: EventTextEnd, ContentIndex: at, Content: text})
}

// fileData reads the data of a file: base64 text, or a URL; neither if it is malformed.
func fileData(raw json.RawMessage) (data, url string) {
	if data = fileBytes(raw); data != "" {
		return data, ""
	}
	var kind string
	var inner json.RawMessage
	var address string
	if !jsonspan.Members(raw, func(key, value []byte) {
		switch jsonspan.Text(key) {
		case "type":
			kind = jsonvalue.StringOf(value)
		case "data":
			inner = value
		case "url":
			address = jsonvalue.StringOf(value)
		}
	}) {
		return "", ""
	}
	switch kind {
	case "data":
		return fileBytes(inner), ""
	case "url":
		return "", address
	}
	return "", ""
}

// fileBytes reads base64 text, or bytes as recordings write them.
func fileBytes(raw json.RawMessage) (data string) {
	if text, ok := jsonvalue.TextOf(raw); ok {
		return text
	}
	jsonspan.Members(raw, func(key, value []byte) {
		if jsonspan.Text(key) == "$uint8array" {
			data = jsonvalue.StringOf(value)
		}
	})
	return data
}

// decodeBase64 takes both alphabets, with or without padding.
func decodeBase64(text string) ([]byte, bool) {
	text = strings.TrimRight(text, "=\r\n")
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(text, "-_") {
		encoding = base64.RawURLEncoding
	}
	data, err := encoding.DecodeString(text)
	return data, err == nil && len(data) > 0
}
