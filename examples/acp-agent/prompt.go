package main

import (
	"strings"
	"unicode"

	"github.com/coder/acp-go-sdk"
)

// promptText makes one text of what the user has written. A link to a resource becomes its name and
// address, for the model to look at with a tool.
func promptText(blocks []acp.ContentBlock) (string, error) {
	var text strings.Builder
	for i := range blocks {
		switch b := &blocks[i]; {
		case b.Text != nil:
			text.WriteString(b.Text.Text)
		case b.ResourceLink != nil:
			text.WriteString("[" + b.ResourceLink.Name + "](" + b.ResourceLink.Uri + ")")
		case b.Image != nil:
			return "", invalid("image prompt content is not supported")
		case b.Audio != nil:
			return "", invalid("audio prompt content is not supported")
		case b.Resource != nil:
			return "", invalid("embedded resources are not supported")
		default:
			return "", invalid("prompt content of an unknown kind")
		}
	}
	if strings.TrimFunc(text.String(), blank) == "" {
		return "", invalid("empty prompt")
	}
	return text.String(), nil
}

// blank is what JavaScript trims.
func blank(r rune) bool { return r == '\ufeff' || r != '\u0085' && unicode.IsSpace(r) }
