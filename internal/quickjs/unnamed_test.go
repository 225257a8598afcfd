package quickjs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The places are those that the engine gives: of the last name in front of a call, and of the first one of an
// expression that reads a property. ▲ marks them.
func TestMembersOfTheGlobalObjectAreNamed(t *testing.T) {
	const (
		none  = "TypeError: not a function"
		env   = "TypeError: cannot read property 'env' of undefined"
		fetch = ": globalThis.fetch is undefined: a guest has no network: what it works on comes with the request"
	)
	for code, want := range map[string][2]string{
		`let a = await globalThis.▲fetch("https://x")`:                                  {none, none + fetch},
		`globalThis.fetch(▲url).then((x) => x.json())`:                                  {none, none + fetch},
		"globalThis.fetch(url, {\n  body: JSON.stringify({ url }),\n  id: ▲id(3)\n})":   {none, none + fetch},
		`globalThis?.▲fetch(3)`:                                                         {none, none + fetch},
		`globalThis.fetch(globalThis.URL(▲url))`:                                        {none, none + ": globalThis.URL is undefined: a guest has no URL: take addresses apart as strings"},
		`new globalThis.URL(▲url)`:                                                      {none, none + ": globalThis.URL is undefined: a guest has no URL: take addresses apart as strings"},
		`return ▲globalThis.process.env.HOME`:                                           {env, env + ": globalThis.process is undefined: a guest has no process: settings come by the capability `config`"},
		`globalThis.fetch(url); ▲nothing(3)`:                                            {none, none},
		`▲nothing(3); globalThis.fetch(url)`:                                            {none, none},
		`globalThis.mine(▲url)`:                                                         {none, none},
		`globalThis.fetch = mine; globalThis.fetch(▲url)`:                               {none, none},
		`globalThis.fetch ??= mine; globalThis.fetch(▲url)`:                             {none, none},
		`globalThis["fetch"] = mine; globalThis.fetch(▲url)`:                            {none, none},
		`Object.assign(globalThis, { fetch }); globalThis.fetch(▲url)`:                  {none, none},
		`Object.defineProperty(globalThis, "fetch", { value }); globalThis.fetch(▲url)`: {none, none},
		`Object.defineProperty(globalThis, "URL", { value }); globalThis.fetch(▲url)`:   {none, none + fetch},
		`globalThis.fetch?.(▲url)`:                                                      {none, none},
		`▲mine.process.env; globalThis.process.env`:                                     {env, env},
		`globalThis.fetch(▲url) `:                                                       {"TypeError: mine", "TypeError: mine"},
		`globalThis.fetch(` + strings.Repeat("1, ", 1000) + `▲url)`:                     {none, none},
	} {
		before, after, found := strings.Cut(code, "▲")
		assert.True(t, found, code)
		line := strings.Count(before, "\n") + 1
		column := len(before) - strings.LastIndex(before, "\n")
		e := &Exception{Reason: want[0], Stack: []Frame{{File: "guest.js", Line: line, Column: column}}}
		assert.Equal(t, want[1], e.Reason+e.Hint("guest.js", before+after), code)
		assert.Empty(t, e.Hint("other.js", before+after), "the place is in another file")
	}
}

// A stack is what a program says it is.
func TestPlacesThatAreNone(t *testing.T) {
	for _, f := range []Frame{{Line: 1}, {Column: 1}, {Line: 3, Column: 1}, {Line: 1, Column: 99}, {Line: 1 << 30, Column: 1 << 30}} {
		e := &Exception{Reason: "TypeError: not a function", Stack: []Frame{f}}
		assert.Empty(t, e.Hint("", "globalThis.fetch(1)\n"), f)
	}
	assert.Empty(t, (&Exception{Reason: "TypeError: not a function"}).Hint("", "globalThis.fetch(1)"))
}
