package auth

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

const hidden = "sk-hidden-0123456789"

// shown is everything that printing, logging and marshaling show of a value.
func shown(t *testing.T, v any) string {
	t.Helper()
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%T %[1]v", "%10.3v"} {
		fmt.Fprintf(&out, verb+"\n", v)
	}
	fmt.Fprintln(&out, v)
	for _, h := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(h).Info("shown", "value", v, slog.Group("group", "value", v))
	}
	if data, err := json.Marshal(v); err == nil {
		out.Write(data)
	}
	if data, err := xml.Marshal(v); err == nil {
		out.Write(data)
	}
	return out.String()
}

func TestNothingIsShown(t *testing.T) {
	secret := NewSecret(hidden)
	store := &Store{}
	full, err := ParseCredential([]byte(`{"type":"oauth","access":"` + hidden + `","refresh":"` + hidden + `","idToken":"` + hidden + `"}`))
	require.NoError(t, err)
	store.Set(full)
	other, err := ParseCredential([]byte(`{"type":"wellknown","token":"` + hidden + `"}`))
	require.NoError(t, err)
	options, err := ParseOptions([]byte(`{"apiKey":"` + hidden + `","x":["` + hidden + `"]}`))
	require.NoError(t, err)
	account := &Account{Hook: &Hook{Provider: "acme"}}
	account.Store().Set(full)
	type nested struct{ secret Secret }
	type deep struct {
		Exported   any
		unexported any
		value      HostCredential
		pointer    *Credential
		store      Store
	}
	host := HostCredential{secret, secret, 5}
	for name, v := range map[string]any{
		"secret": secret, "pointer": &secret, "nested": nested{secret}, "list": []Secret{secret},
		"map": map[string]Secret{"a": secret}, "key": map[Secret]int{secret: 1},
		"host": host, "host pointer": &host, "oauth": OAuth(secret, secret, 5), "api": APIKey(secret, json.RawMessage(`{"t":"`+hidden+`"}`)),
		"full": full, "value": *full, "other": other, "store": store, "redactor": store.Redactor(), "account": account,
		"options": options, "option": options[0],
		"deep": deep{host, host, host, full, Store{current: full}}, "deep pointer": &deep{full, secret, host, full, Store{}},
	} {
		assert.NotContains(t, shown(t, v), hidden, name)
	}
	assert.Equal(t, hidden, secret.Reveal())
	assert.Equal(t, "[redacted]", fmt.Sprint(secret))
	assert.Equal(t, `{[redacted] [redacted] 5}`, fmt.Sprint(host))
	assert.Equal(t, `credential "oauth" [redacted]`, full.String())
	assert.Empty(t, fmt.Sprint(Secret{}))
	assert.Empty(t, fmt.Sprint(NewSecret("")))
	assert.False(t, Secret{}.IsSet())
	assert.True(t, NewSecret("").IsSet(), "an empty text is a secret")
	assert.Equal(t, "no credential", fmt.Sprint((*Credential)(nil)))
}

func TestRedactorText(t *testing.T) {
	var r Redactor
	r.Add(NewSecret(hidden), NewSecret("abck"), NewSecret("pä\"ss/w &rd"), NewSecret("  "), NewSecret(""), Secret{}, NewSecret("overlap-one"), NewSecret("one-lapped"))
	for in, want := range map[string]string{
		"":                                    "",
		"nothing to hide":                     "nothing to hide",
		hidden:                                "[redacted]",
		"x" + hidden + "y":                    "x[redacted]y", // a long one goes wherever it is
		hidden + hidden:                       "[redacted][redacted]",
		"abck":                                "[redacted]",
		"bad key abck.":                       "bad key [redacted].",
		"key=abck&x":                          "key=[redacted]&x",
		"abckd xabck abck_ äabck abcké 0abck": "abckd xabck abck_ äabck abcké 0abck", // a short one may be part of a word
		"xabck":                               "xabck",
		"Àabck":                               "Àabck",
		"abckabck abck":                       "abckabck [redacted]",
		"say pä\"ss/w &rd now":                "say [redacted] now",
		`{"error":"pä\"ss/w &rd"}`:            `{"error":"[redacted]"}`,
		"?k=" + url.QueryEscape("pä\"ss/w &rd") + "&": "?k=[redacted]&",
		"/" + url.PathEscape("pä\"ss/w &rd") + "/":    "/[redacted]/",
		"overlap-one-lapped":                          "[redacted]",
		"overlap-one, one-lapped":                     "[redacted], [redacted]",
		"a  b":                                        "a  b",
	} {
		assert.Equal(t, want, r.Text(in), in)
	}
	var none Redactor
	assert.Equal(t, hidden, none.Text(hidden))
}

// What is no secret by its look stays, as it would be taken out of texts that have it by chance.
func TestRedactorLeavesWhatIsThereByChance(t *testing.T) {
	for _, text := range []string{"k", "42", "abc", "4.2", "123", "true", "false", "null", "4096", "1234567", "-1e+21", "é"} {
		var r Redactor
		r.Add(NewSecret(text))
		r.Keep(NewSecret(text))
		r.AddCredential(APIKey(NewSecret(text), nil))
		assert.Equal(t, "<"+text+">", r.Text("<"+text+">"))
		assert.Equal(t, "[1,"+"true,4096]", string(r.JSON(json.RawMessage("[1,true,4096]"))))
	}
	for _, text := range []string{"abcd", "truer", "True", "0042", "12345678", "1e+21x", `"abc"`, "[1,2]", "éé"} {
		var r Redactor
		r.Add(NewSecret(text))
		assert.Equal(t, "<"+Redacted+">", r.Text("<"+text+">"))
	}
}

func TestRedactorForgetsTheOldest(t *testing.T) {
	var r Redactor
	for i := range mostSecrets + 10 {
		r.Add(NewSecret(fmt.Sprintf("secret-%04d", i)))
		r.Add(NewSecret("used all the time"))
	}
	assert.Equal(t, "secret-0000", r.Text("secret-0000"))
	assert.Equal(t, Redacted, r.Text("secret-0265"))
	assert.Equal(t, Redacted, r.Text("used all the time"))
	assert.Len(t, r.known.sets, mostSecrets)
}

func TestRedactorKnowsCredentials(t *testing.T) {
	var r Redactor
	c, err := ParseCredential([]byte(`{"type":"oauth","access":"access-token","refresh":"refresh-token","expires":1700000000000,
		"account":{"id":"account-id","n":[12345678,2468,135,7,"in-a-list"],"ok":true},"plan":"free","tier":"pro"}`))
	require.NoError(t, err)
	r.AddCredential(c)
	r.AddCredential(nil)
	for _, text := range []string{"access-token", "refresh-token", "account-id", "12345678", "in-a-list", "free"} {
		assert.Equal(t, "<"+Redacted+">", r.Text("<"+text+">"))
	}
	for _, text := range []string{"oauth", "1700000000000", "2468", "135", "7", "true", "expires", "provider", "pro"} {
		assert.Equal(t, text, r.Text(text))
	}
	metadata := APIKey(NewSecret("the-api-key"), json.RawMessage(`{"refreshToken":"the-refresh","more":{"password":"hunter2"}}`))
	r.AddCredential(metadata)
	assert.Equal(t, "[redacted] [redacted] [redacted]", r.Text("the-api-key the-refresh hunter2"))
}

func TestRedactorJSON(t *testing.T) {
	var r Redactor
	r.Add(NewSecret(hidden), NewSecret("q\"uoted\n"), NewSecret("12345678"))
	for in, want := range map[string]string{
		``:                 ``,
		`{"a":1}`:          `{"a":1}`,
		`"` + hidden + `"`: `"[redacted]"`,
		`{"message":"key ` + hidden + `!", "n":[ "q\"uoted\n" ]}`: `{"message":"key [redacted]!", "n":[ "[redacted]" ]}`,
		`{"\u0073k-hidden-0123456789":{"` + hidden + `":null}}`:   `{"[redacted]":{"[redacted]":null}}`,
		`[12345678,123456789,{"n":12345678}]`:                     `["[redacted]","[redacted]9",{"n":"[redacted]"}]`,
		`not JSON ` + hidden:                                      `"not JSON [redacted]"`,
		`"` + hidden + `\u0021` + `"`:                             `"[redacted]!"`,
	} {
		assert.Equal(t, want, string(r.JSON(json.RawMessage(in))), in)
	}
	deep := strings.Repeat(`[`, 9000) + `"` + hidden + `"` + strings.Repeat(`]`, 9000)
	assert.NotContains(t, string(r.JSON(json.RawMessage(deep))), hidden)
}

// A secret is nowhere in what comes out, and what comes out is still JSON.
func TestRedactorProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[ -~äé€]{8,20}`).Filter(func(s string) bool {
			return strings.TrimSpace(s) != "" && !strings.Contains(Redacted, strings.TrimSpace(s))
		}).Draw(t, "secret")
		var r Redactor
		r.Add(NewSecret(secret))
		text := rapid.StringMatching(`[ -~]{0,5}`).Draw(t, "before") + secret + rapid.StringMatching(`[ -~]{0,5}`).Draw(t, "after")
		assert.NotContains(t, r.Text(text), secret)
		document, err := json.Marshal(map[string]any{"a": []string{text}, text: 1})
		require.NoError(t, err)
		out := r.JSON(document)
		require.True(t, jsonspan.Valid(out), "%s", out)
		var decoded map[string]any
		require.NoError(t, json.Unmarshal(out, &decoded))
		for key := range decoded {
			assert.NotContains(t, key, secret)
		}
		assert.NotContains(t, fmt.Sprint(decoded), secret)
	})
}

type leaky struct {
	status int
	body   string
}

func (e *leaky) Error() string { return fmt.Sprintf("status %d", e.status) }

func TestRedactedError(t *testing.T) {
	var r Redactor
	r.Add(NewSecret(hidden))
	assert.NoError(t, r.Error(nil))
	cause := fmt.Errorf("401 for %s: %w", hidden, context.Canceled)
	err := r.Error(cause)
	assert.EqualError(t, err, "401 for [redacted]: context canceled")
	assert.ErrorIs(t, err, context.Canceled)
	assert.NotErrorIs(t, err, fs.ErrNotExist)
	assert.NotContains(t, shown(t, err), hidden)
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		assert.NotContains(t, shown(t, inner), hidden)
	}
	// What an error holds beside its text cannot be got out.
	err = r.Error(&leaky{401, hidden})
	assert.EqualError(t, err, "status 401")
	assert.NotContains(t, shown(t, err), hidden)
	var inner *leaky
	assert.False(t, errors.As(err, &inner))
	assert.NotContains(t, shown(t, &Error{Kind: KindPlugin, Text: "x", Err: err}), hidden)
}

// longSecret is a secret of 50 KB.
func longSecret() string {
	var b strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&b, "s%d-€/", i)
	}
	return b.String()
}

// However long a text is, what is kept of it has no secret, and no beginning of one at its end.
func TestRedactorCutsLongTexts(t *testing.T) {
	var r Redactor
	assert.Len(t, r.Text(strings.Repeat("x", 2*longestText)), 2*longestText, "nothing is looked for")
	long := longSecret()
	r.Add(NewSecret(hidden), NewSecret(long))
	whole := strings.Repeat("x", longestText)
	assert.Equal(t, whole, r.Text(whole))
	assert.Equal(t, whole+"… [1 more bytes are left out]", r.Text(whole+"y"))
	assert.Equal(t, whole[1:]+"… [3 more bytes are left out]", r.Text(whole[1:]+"€"), "characters stay whole")
	for at := range len(hidden) {
		text := whole[at:] + hidden + whole
		want := whole[at:] + Redacted + fmt.Sprintf("… [%d more bytes are left out]", len(text)-longestText)
		if at == 0 {
			want = strings.Replace(want, Redacted, "", 1)
		}
		require.Equal(t, want, r.Text(text))
	}
	quoted := fmt.Sprintf("%q", fmt.Sprintf("%q", long))
	assert.True(t, strings.HasPrefix(r.Text(whole[9:]+quoted), whole[9:]+`"\"[redacted]… [`))
	assert.Equal(t, `{"a":"`+whole+`… [1 more bytes are left out]"}`, string(r.JSON(json.RawMessage(`{"a":"`+whole+`y"}`))))
}

// Of a long secret the beginning is enough to find it, and all of it goes.
func TestRedactorLongSecrets(t *testing.T) {
	long := longSecret()
	var r Redactor
	r.Add(NewSecret(long), NewSecret(long[:lookedFor+1]))
	require.LessOrEqual(t, len(r.matcher().nodes), lookedFor+1)
	assert.Equal(t, "a[redacted]b", r.Text("a"+long+"b"))
	assert.Equal(t, "a[redacted]", r.Text("a"+long[:lookedFor]))
	assert.Equal(t, "a%[redacted]%b", r.Text("a%"+url.QueryEscape(long)+"%b"))
	assert.Equal(t, `"[redacted]"`, r.Text(fmt.Sprintf("%+q", long)))
}
