package profile_test

import (
	"strings"
	"testing"
)

func TestQuestionsGetIds(t *testing.T) {
	toHost(t, onOmp(t), "question", "ask", conversions{
		`{"questions":["s",{"id":null},{"id":3,"x":1}]}`:         `{"questions":["s",{"id":"q2"},{"id":"q3","x":1}]}`,
		`{"questions":[{"id":"a","multiple":null}]}`:             `{"questions":[{"id":"a","multi":null}]}`,
		`{"questions":[{"multi":null,"multiple":true}]}`:         `{"questions":[{"multi":null,"multiple":true,"id":"q1"}]}`,
		`{"questions":[{"id":" ","multi":1}],"other":{}}`:        `{"questions":[{"id":" ","multi":1}],"other":{}}`,
		`{"questions":[[{}],{"id":"k","question":"\ud83d"},{}]}`: `{"questions":[[{}],{"id":"k","question":"\ud83d"},{"id":"q3"}]}`,
		`{"questions":{"0":{}}}`:                                 `{"questions":{"0":{}}}`,
		`{"questions":null}`:                                     `{"questions":null}`,
	})
}

func TestQuestionsAreRestated(t *testing.T) {
	toProvider(t, onOmp(t), "ask", "question", conversions{
		`{"questions":[]}`: `{"questions":[]}`,
		`{"questions":[{"question":3,"header":"","options":{}}],"x":1}`:                `{"questions":[{"question":"","header":"","options":[]}]}`,
		`{"questions":[{"question":"Q","header":null,"multi":true,"multiple":false}]}`: `{"questions":[{"question":"Q","header":"Q","options":[],"multiple":true}]}`,
		`{"questions":[{"header":"H","options":["a",null,{},{"label":1,"description":2},{"label":"","x":1}]}]}`: `{"questions":[{"question":"","header":"H","options":["a",null,` +
			`{"label":"[object Object]","description":""},{"label":"[object Object]","description":""},{"label":"","description":""}]}]}`,
		`{"questions":[null,[{}],{"multiple":"true"}]}`: `{"questions":[null,[{}],{"question":"","header":"Question","options":[]}]}`,
		`{"questions":"Q"}`:                             `{"questions":"Q"}`,
	})
}

// Headers are cut by UTF-16 code units, be it in the middle of a character.
func TestQuestionHeaders(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	for question, header := range map[string]string{
		`\ufeff\u0085\u00a0`:    `\u0085`,
		` ` + x(30) + ` `:       x(30),
		x(31):                   x(29) + "…",
		x(28) + "😀":             x(28) + "😀",
		x(29) + "😀":             x(29) + "…",
		x(28) + "😀y":            x(28) + `\ud83d…`,
		x(27) + "😀yz":           x(27) + "😀…",
		x(27) + "\u00a0 yz":     x(27) + "…",
		x(28) + `\ud83dyz`:      x(28) + `\ud83d…`,
		x(29) + `\ud83d`:        x(29) + `\ud83d`,
		strings.Repeat("é", 30): strings.Repeat("é", 30),
		strings.Repeat("😀", 15): strings.Repeat("😀", 15),
		strings.Repeat("😀", 16): strings.Repeat("😀", 14) + `\ud83d…`,
	} {
		want := strings.ReplaceAll(header, `\u0085`, "\u0085")
		quoted := strings.NewReplacer(`\ufeff`, "\ufeff", `\u0085`, "\u0085", `\u00a0`, "\u00a0").Replace(question)
		toProvider(t, onOmp(t), "ask", "question", conversions{
			`{"questions":[{"question":"` + question + `"}]}`: `{"questions":[{"question":"` + quoted +
				`","header":"` + want + `","options":[]}]}`,
		})
	}
}
