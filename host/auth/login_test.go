package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func clock() time.Time { return now }

// accountOf is an account with one method.
func accountOf(m Method) *Account {
	return &Account{Hook: &Hook{Provider: "acme", Methods: []Method{m}}, Now: clock}
}

// A user answers in turn and remembers what was shown.
type user struct {
	answers []string
	log     []string
}

func (u *user) callbacks() Callbacks {
	return Callbacks{
		OnAuth: func(_ context.Context, url string, instructions *string) error {
			u.log = append(u.log, "auth "+url+" "+quoted(instructions))
			return nil
		},
		OnProgress: func(_ context.Context, note string) { u.log = append(u.log, "progress") },
		OnPrompt: func(_ context.Context, message string, placeholder *string) (string, error) {
			u.log = append(u.log, fmt.Sprintf("prompt %q %s", message, quoted(placeholder)))
			answer := u.answers[0]
			u.answers = u.answers[1:]
			return answer, nil
		},
	}
}

// quoted tells a text from none.
func quoted(text *string) string {
	if text == nil {
		return "none"
	}
	return strconv.Quote(*text)
}

// An empty text is one, and not none.
func TestLoginShowsEmptyTexts(t *testing.T) {
	a := accountOf(Method{
		Type: OAuthType, Prompts: []Prompt{{Key: "k", Message: "Key?", Placeholder: new("")}},
		Authorize: func(context.Context, map[string]string) (Authorization, error) {
			return Authorization{URL: "https://x", Instructions: new(""), Callback: answering(`{"type":"success","key":"k"}`)}, nil
		},
	})
	u := &user{answers: []string{"one"}}
	_, err := a.Login(context.Background(), u.callbacks())
	require.NoError(t, err)
	assert.Equal(t, []string{`prompt "Key?" ""`, `auth https://x ""`, "progress"}, u.log)
}

func answering(answer string) func(context.Context) (json.RawMessage, error) {
	return func(context.Context) (json.RawMessage, error) { return json.RawMessage(answer), nil }
}

func TestLoginOAuth(t *testing.T) {
	a := accountOf(Method{
		Type:    OAuthType,
		Prompts: []Prompt{{Key: "tenant", Message: "Tenant"}, {Key: "region", Message: "Region", Placeholder: new("x"), Values: []string{"eu", "us"}}},
		Authorize: func(_ context.Context, answers map[string]string) (Authorization, error) {
			assert.Equal(t, map[string]string{"tenant": "acme-inc", "region": "elsewhere"}, answers)
			return Authorization{URL: "https://x", Instructions: new("open it"), Callback: answering(`{"type":"success","access":"A","refresh":"R","expires":42}`)}, nil
		},
	})
	u := &user{answers: []string{"acme-inc", "elsewhere"}}
	h, err := a.Login(context.Background(), u.callbacks())
	require.NoError(t, err)
	assert.Equal(t, HostCredential{NewSecret("A"), NewSecret("R"), 42}, h)
	assert.Equal(t, []string{`prompt "Tenant" none`, `prompt "Region (eu | us)" none`, `auth https://x "open it"`, "progress"}, u.log)
	assert.Equal(t, `{"type":"oauth","access":"A","refresh":"R","expires":42}`, string(a.Store().Get().Reveal()))
	assert.Equal(t, "[redacted] [redacted]", a.Redactor().Text("acme-inc elsewhere"), "what is not among the values was typed")
}

func TestLoginAPI(t *testing.T) {
	valid := func(_ context.Context, answer string) (string, error) { return "", nil }
	a := accountOf(Method{
		Type: APIType, Prompts: []Prompt{{Key: "k", Message: "Key?", Placeholder: new("sk-"), Validate: valid}, {Key: "k", Message: "Again?"}},
		Authorize: func(_ context.Context, answers map[string]string) (Authorization, error) {
			return Authorization{Result: json.RawMessage(`{"type":"success","key":"` + answers["k"] + `","access":"not this","metadata":{"refreshToken":"rt"}}`)}, nil
		},
	})
	u := &user{answers: []string{"one", "two"}}
	callbacks := u.callbacks()
	callbacks.OnAuth, callbacks.OnProgress = nil, nil
	h, err := a.Login(context.Background(), callbacks)
	require.NoError(t, err)
	assert.Equal(t, HostCredential{NewSecret("two"), NewSecret("rt"), inAnHour}, h)
	assert.Equal(t, []string{`prompt "Key?" "sk-"`, `prompt "Again?" none`}, u.log)
	assert.Equal(t, APIType, a.Store().Get().Type())
}

func TestLoginWithoutQuestions(t *testing.T) {
	a := accountOf(Method{Type: OAuthType, Authorize: func(context.Context, map[string]string) (Authorization, error) {
		return Authorization{Callback: answering(`{"type":"success","key":"k"}`)}, nil
	}})
	u := &user{}
	callbacks := u.callbacks()
	callbacks.OnPrompt, callbacks.OnProgress = nil, nil
	h, err := a.Login(context.Background(), callbacks)
	require.NoError(t, err)
	assert.Equal(t, HostCredential{NewSecret("k"), NewSecret(""), inTenYears}, h)
}

// Whatever fails, the error says what, wraps what can be asked for, and shows no secret: not what was
// typed, not what was stored before, not what is in the answer.
func TestLoginFailures(t *testing.T) {
	leak := fmt.Errorf("typed %s, stored %s: %w", hidden, "stored-before", context.DeadlineExceeded)
	fails := func(context.Context) (json.RawMessage, error) { return nil, leak }
	question := []Prompt{{Key: "k", Message: "Key?"}}
	begin := func(a Authorization, err error) func(context.Context, map[string]string) (Authorization, error) {
		return func(context.Context, map[string]string) (Authorization, error) { return a, err }
	}
	result := func(text string) Method {
		return Method{Type: APIType, Prompts: question, Authorize: begin(Authorization{Result: json.RawMessage(text)}, nil)}
	}
	callback := func(text string) Method {
		return Method{Type: OAuthType, Prompts: question, Authorize: begin(Authorization{Callback: answering(text)}, nil)}
	}
	validated := func(problem string, err error) Method {
		return Method{Type: APIType, Prompts: []Prompt{{Key: "k", Validate: func(context.Context, string) (string, error) { return problem, err }}}}
	}
	whole := func(c Callbacks) Callbacks { return c }
	for name, c := range map[string]struct {
		method Method
		host   func(Callbacks) Callbacks
		kind   Kind
		text   string
		leaks  bool
	}{
		"refused":          {result(`{"type":"failed","error":"` + hidden + `"}`), whole, KindLoginRefused, "did not succeed", false},
		"no result":        {result(``), whole, KindLoginRefused, "did not succeed", false},
		"no key":           {result(`{"type":"success","access":"` + hidden + `"}`), whole, KindNoCredential, "neither", false},
		"callback refused": {callback(`{"type":"failed","access":"` + hidden + `"}`), whole, KindLoginRefused, "did not succeed", false},
		"callback no key":  {callback(`{"type":"success","code":"` + hidden + `"}`), whole, KindNoCredential, "neither", false},
		"no authorize":     {Method{Type: APIType, Prompts: question}, whole, KindNoAuthorize, "API key", false},
		"no callback":      {Method{Type: OAuthType, Authorize: begin(Authorization{URL: hidden}, nil)}, whole, KindNoAuthorize, "login", false},
		"other type":       {Method{Type: "wellknown", Authorize: begin(Authorization{}, nil)}, whole, KindNoAuthorize, "no login", false},
		"authorize fails":  {Method{Type: APIType, Prompts: question, Authorize: begin(Authorization{}, leak)}, whole, KindPlugin, "begin", true},
		"callback fails":   {Method{Type: OAuthType, Prompts: question, Authorize: begin(Authorization{Callback: fails}, nil)}, whole, KindPlugin, "wait", true},
		"validation":       {validated("too short: "+hidden, nil), whole, KindValidation, "too short: [redacted]", false},
		"validation fails": {validated("", leak), whole, KindPlugin, "check", true},
		"host cannot ask":  {result(`{}`), func(c Callbacks) Callbacks { c.OnPrompt = nil; return c }, KindNoPromptCallback, "cannot ask", false},
		"host fails to ask": {result(`{}`), func(c Callbacks) Callbacks {
			c.OnPrompt = func(context.Context, string, *string) (string, error) { return "", errors.New("stored-before") }
			return c
		}, KindHost, "ask the user: [redacted]", false},
		"host cannot show": {callback(`{}`), func(c Callbacks) Callbacks { c.OnAuth = nil; return c }, KindNoAuthorize, "shown", false},
		"host fails to show": {callback(`{}`), func(c Callbacks) Callbacks {
			c.OnAuth = func(context.Context, string, *string) error { return leak }
			return c
		}, KindHost, "show", true},
	} {
		t.Run(name, func(t *testing.T) {
			a := accountOf(c.method)
			before := APIKey(NewSecret("stored-before"), nil)
			a.Store().Set(before)
			u := &user{answers: []string{hidden}}
			h, err := a.Login(context.Background(), c.host(u.callbacks()))
			require.Error(t, err)
			assert.Equal(t, HostCredential{}, h)
			assert.Equal(t, c.kind, kindOf(t, err))
			assert.ErrorContains(t, err, c.text)
			assert.True(t, strings.HasPrefix(err.Error(), "auth: acme: "), err.Error())
			assert.Equal(t, c.leaks, errors.Is(err, context.DeadlineExceeded))
			for inner := err; inner != nil; inner = errors.Unwrap(inner) {
				assert.NotContains(t, shown(t, inner), hidden)
				assert.NotContains(t, shown(t, inner), "stored-before")
			}
			assert.Same(t, before, a.Store().Get(), "a login that fails stores nothing")
		})
	}
	_, err := (&Account{}).Login(context.Background(), Callbacks{})
	assert.Equal(t, KindNoAuthorize, kindOf(t, err))
}

// What is answered is a secret, also to a question with values if it is none of them, and also if the host
// fails with it.
func TestAnswersAreSecrets(t *testing.T) {
	values := []string{"eu-region", "us-region"}
	for _, c := range []struct {
		prompt Prompt
		answer string
		asking error
		want   string
	}{
		{Prompt{Key: "k", Values: values}, hidden, nil, "begin the login: refused [redacted]"},
		{Prompt{Key: "k", Values: values}, "us-region", nil, "begin the login: refused us-region"},
		{Prompt{Key: "k", Values: []string{}}, hidden, nil, "begin the login: refused [redacted]"},
		{Prompt{Key: "k"}, hidden, nil, "begin the login: refused [redacted]"},
		{Prompt{Key: "k"}, hidden, errors.New("no line end behind " + hidden), "ask the user: no line end behind [redacted]"},
	} {
		a := accountOf(Method{Type: APIType, Prompts: []Prompt{c.prompt}, Authorize: func(_ context.Context, answers map[string]string) (Authorization, error) {
			return Authorization{}, errors.New("refused " + answers["k"])
		}})
		_, err := a.Login(context.Background(), Callbacks{OnPrompt: func(context.Context, string, *string) (string, error) { return c.answer, c.asking }})
		assert.EqualError(t, err, "auth: acme: "+c.want)
	}
}
