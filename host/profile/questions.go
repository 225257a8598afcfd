package profile

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// callQuestion gives questions the ids that the host wants, and its key for those with several answers.
func callQuestion(v *conversion) {
	list, ok := ordered.Elements(v.args.Get("questions"))
	if !ok {
		return
	}
	changed := false
	for i, raw := range list {
		q, ok := ordered.ParseObject(raw)
		if !ok {
			continue
		}
		id, _ := q.Text("id")
		several := q.Get("multiple")
		if q.Has("multi") {
			several = nil
		}
		if id != "" && several == nil {
			continue
		}
		if id == "" {
			q.SetText("id", "q"+strconv.Itoa(i+1))
		}
		if several != nil {
			q.Set("multi", several)
			q.Delete("multiple")
		}
		list[i], changed = q.JSON(), true
	}
	if changed {
		v.set("questions", ordered.AppendList(nil, list))
	}
}

// restateQuestion makes the questions anew, with what a provider may say and nothing else.
func restateQuestion(v *conversion) {
	list, ok := ordered.Elements(v.args.Get("questions"))
	if !ok {
		return
	}
	for i, raw := range list {
		if q, ok := ordered.ParseObject(raw); ok {
			list[i] = restatedQuestion(&q)
		}
	}
	w := jsonvalue.Begin(nil)
	w.Raw("questions", ordered.AppendList(nil, list))
	v.built = w.End()
}

func restatedQuestion(q *ordered.Object) json.RawMessage {
	question, _ := q.Text("question")
	header, ok := q.Text("header")
	if !ok {
		header = questionHeader(question)
	}
	w := jsonvalue.Begin(nil)
	w.Text("question", question)
	w.Text("header", header)
	options, _ := ordered.Elements(q.Get("options"))
	for i, raw := range options {
		if option, ok := ordered.ParseObject(raw); ok {
			options[i] = restatedOption(&option)
		}
	}
	w.Raw("options", ordered.AppendList(nil, options))
	if isTrue(q.Get("multi")) || isTrue(q.Get("multiple")) {
		w.Bool("multiple", true)
	}
	return w.End()
}

func restatedOption(option *ordered.Object) json.RawMessage {
	label, ok := option.Text("label")
	if !ok {
		label = objectText
	}
	description, _ := option.Text("description")
	w := jsonvalue.Begin(nil)
	w.Text("label", label)
	w.Text("description", description)
	return w.End()
}

// objectText is what JavaScript makes of an object that it needs as a text.
const objectText = "[object Object]"

// The length of a header, in UTF-16 code units.
const headerUnits = 30

// questionHeader makes a header of a question: the question itself if it is short enough, else its
// beginning and an ellipsis. A character may be cut in half.
func questionHeader(question string) string {
	question = ecma.Trim(question)
	if question == "" {
		return "Question"
	}
	if head, whole := firstUnits(question, headerUnits); whole {
		return head
	}
	head, _ := firstUnits(question, headerUnits-1)
	return strings.TrimRightFunc(head, ecma.IsSpace) + "…"
}

// firstUnits returns the first n UTF-16 code units of a text, and whether that is all of it.
func firstUnits(text string, n int) (head string, whole bool) {
	at := 0
	for ; n > 0 && at < len(text); n-- {
		r, size := utf8.DecodeRuneInString(text[at:])
		if _, half := wtf8.Half(text[at:]); half {
			size = 3
		}
		if r > 0xFFFF {
			if n--; n == 0 {
				high, _ := utf16.EncodeRune(r)
				return string(wtf8.AppendHalf([]byte(text[:at]), high)), false
			}
		}
		at += size
	}
	return text[:at], at == len(text)
}
