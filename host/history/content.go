package history

import (
	"strings"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// A content is what there is to read in a message that is not an assistant's: parts of type Text and File.
type content []Part

// readContent reads a text, which is one part unless it is empty, or a list of blocks. Blocks other than
// texts and images, and those whose text, data or mimeType is not a text, are left out.
func readContent(n jsonspan.Node) content {
	switch n.Kind() {
	case jsonspan.String:
		if text := jsonvalue.String(n); text != "" {
			return content{{Type: Text, Text: text}}
		}
	case jsonspan.Array:
		var c content
		for b := n.First(); b.Kind() != jsonspan.Absent; b = b.Next() {
			switch kind := jsonvalue.Member(b, "type"); {
			case kind.Is("text"):
				if text, ok := jsonvalue.Text(jsonvalue.Member(b, "text")); ok {
					c = append(c, Part{Type: Text, Text: text})
				}
			case kind.Is("image"):
				if file, ok := readImage(b); ok {
					c = append(c, file)
				}
			}
		}
		return c
	}
	return nil
}

func readImage(b jsonspan.Node) (Part, bool) {
	data, hasData := jsonvalue.Text(jsonvalue.Member(b, "data"))
	media, hasType := jsonvalue.Text(jsonvalue.Member(b, "mimeType"))
	return Part{Type: File, Data: data, MediaType: media}, hasData && hasType
}

// text is the texts, joined by line feeds.
func (c content) text() string {
	if len(c) == 1 {
		return c[0].Text
	}
	var texts []string
	for i := range c {
		if c[i].Type == Text {
			texts = append(texts, c[i].Text)
		}
	}
	return strings.Join(texts, "\n")
}

func (c content) hasImage() bool {
	for i := range c {
		if c[i].Type == File {
			return true
		}
	}
	return false
}
