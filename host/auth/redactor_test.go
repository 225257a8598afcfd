package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// textsOf is a JSON object of n members with texts of their own, keyed by a prefix.
func textsOf(prefix string, n int) string {
	members := make([]string, n)
	for i := range members {
		members[i] = fmt.Sprintf(`"%s%d":"%s-value-%d"`, prefix, i, prefix, i)
	}
	return "{" + strings.Join(members, ",") + "}"
}

// However much a credential or options hold, none of it displaces what is in use.
func TestRedactorKeepsWhatIsInUse(t *testing.T) {
	const many = 3000
	stored := APIKey(NewSecret(hidden), json.RawMessage(textsOf("meta", many)))
	a := accountOf(Method{Type: APIType})
	a.Hook.Load = func(_ context.Context, s *Store) (Options, error) {
		s.Set(stored)
		return ParseOptions([]byte(`{"headers":{"tokens":` + textsOf("header", many) + `}}`))
	}
	a.Redactor().Keep(NewSecret("configured-secret"))
	_, err := a.FactoryOptions(context.Background(), nil, NewSecret("the-key-of-the-host"))
	require.NoError(t, err)
	inUse := []string{
		hidden, "meta-value-0", "meta-value-2999", "header-value-0", "header-value-2999", "the-key-of-the-host", "configured-secret",
	}
	for _, text := range inUse {
		assert.Equal(t, "<[redacted]>", a.Redactor().Text("<"+text+">"), text)
	}
	a.Hook.Load = func(context.Context, *Store) (Options, error) { return nil, errors.New("401 for " + hidden) }
	_, err = a.SignIn(context.Background(), NewSecret(hidden))
	assert.ErrorContains(t, err, "401 for [redacted]")

	r := a.Redactor()
	for i := range fewestSets { // what is not in use is forgotten in the end
		c, err := ParseCredential([]byte(`{"type":"x","access":` + textsOf(fmt.Sprint("new", i), 20) + `}`))
		require.NoError(t, err)
		r.AddCredential(c)
	}
	assert.Equal(t, "[redacted] [redacted]", r.Text("new0-value-0 new31-value-19"))
	assert.Equal(t, "meta-value-0 [redacted]", r.Text("meta-value-0 configured-secret"))
	assert.Len(t, r.known.sets, fewestSets)
	assert.Equal(t, 20*fewestSets, r.known.size)
}

func TestRedactorSets(t *testing.T) {
	var r Redactor
	r.Add()
	r.Add(NewSecret("first-secret"), NewSecret("second-secret"))
	for range 1000 { // the same is not known twice
		r.Add(NewSecret("first-secret"), NewSecret("second-secret"))
		r.Add(NewSecret("other-secret"))
		r.Keep(NewSecret("kept-secret"))
	}
	assert.Len(t, r.known.sets, 2)
	assert.Len(t, r.known.kept, 1)
	assert.Equal(t, 3, r.known.size)
	assert.Equal(t, "[redacted] [redacted] [redacted] [redacted]", r.Text("first-secret second-secret other-secret kept-secret"))
	for i := range 3 * mostSecrets { // what is added again is in use
		r.Add(NewSecret("other-secret"))
		r.Add(NewSecret(fmt.Sprint("passing-secret-", i)))
		require.Equal(t, Redacted, r.Text("other-secret"))
	}
	assert.Equal(t, "first-secret", r.Text("first-secret"))
	secrets := []Secret{NewSecret("changed-later")}
	r.Add(secrets...)
	r.Keep(secrets...)
	secrets[0] = NewSecret("nothing")
	assert.Equal(t, "[redacted] nothing", r.Text("changed-later nothing"))
}

// A matcher is not larger than what it finds, and finds as much as a search for each text does.
func TestMatcher(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := []byte(rapid.StringMatching(`[ab-]{1,40}`).Draw(t, "in"))
		texts := rapid.SliceOfN(rapid.StringMatching(`[ab-]{1,12}`), 1, 5).Draw(t, "secrets")
		for range 8 { // some of them one inside of the other
			from := rapid.IntRange(0, len(in)-1).Draw(t, "from")
			size := rapid.IntRange(1, min(len(in)-from, 16)).Draw(t, "size")
			texts = append(texts, string(in[from:from+size])+rapid.SampledFrom([]string{"", "b", "-a"}).Draw(t, "more"))
		}
		size := 1
		covered := make([]bool, len(in))
		for _, text := range texts {
			size += len(text)
			for at := 0; at+len(text) <= len(in); at++ {
				word := len(text) < shortSecret && (inWord(in, at-1) || inWord(in, at+len(text)))
				for i := at; string(in[at:at+len(text)]) == text && !word && i < at+len(text); i++ {
					covered[i] = true
				}
			}
		}
		m := newMatcher(texts)
		assert.LessOrEqual(t, len(m.nodes), size)
		found := m.search(nil, in)
		assert.LessOrEqual(t, len(found), len(in), "of texts that end together one is enough")
		got := make([]bool, len(in))
		for _, span := range found {
			assert.Contains(t, texts, string(in[span.From:span.To]))
			for i := span.From; i < span.To; i++ {
				got[i] = true
			}
		}
		assert.Equal(t, covered, got)
	})
}
