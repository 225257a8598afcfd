package auth

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPickAndLabel(t *testing.T) {
	oauth, oauth2 := Method{Type: OAuthType, Label: "Sign in"}, Method{Type: OAuthType, Label: "Second"}
	api, other := Method{Type: APIType, Label: "Key"}, Method{Type: "wellknown", Label: "Other"}
	for _, c := range []struct {
		methods []Method
		prefer  string
		want    string
		ok      bool
	}{
		{[]Method{api, oauth, oauth2}, "", "Sign in", true},
		{[]Method{other, api}, "", "Key", true},
		{[]Method{oauth, api}, "api", "Key", true},
		{[]Method{api, oauth2, oauth}, "oauth", "Second", true},
		{[]Method{api}, "oauth", "", false},
		{[]Method{oauth}, "api", "", false},
		{[]Method{oauth, other}, "wellknown", "", false},
		{[]Method{other}, "", "", false},
		{nil, "", "", false},
		{[]Method{{Type: APIType}}, "", "acme", true},
	} {
		a := &Account{Hook: &Hook{Provider: "acme", Methods: c.methods}, Prefer: c.prefer}
		label, ok := a.Label()
		assert.Equal(t, c.want, label)
		assert.Equal(t, c.ok, ok)
	}
	_, ok := (&Account{}).Label()
	assert.False(t, ok)
}

func TestFromKey(t *testing.T) {
	jwt := token(`{"exp":1800000000}`)
	oauth := Method{Type: OAuthType}
	a := accountOf(oauth)
	assert.Equal(t, OAuth(jwt, NewSecret(""), 1_800_000_000_000), a.FromKey(jwt))
	stored := OAuth(NewSecret("known"), NewSecret("r"), 5)
	a.Store().Set(stored)
	assert.Same(t, stored, a.FromKey(NewSecret("known")), "with its refresh token")
	assert.Equal(t, OAuth(NewSecret("r"), NewSecret(""), inAnHour), a.FromKey(NewSecret("r")), "the refresh token is another key")
	key := APIKey(NewSecret("k"), json.RawMessage(`{"a":1}`))
	a.Store().Set(key)
	assert.Same(t, key, a.FromKey(NewSecret("k")))
	other, err := ParseCredential([]byte(`{"type":"wellknown"}`))
	require.NoError(t, err)
	a.Store().Set(other)
	assert.NotSame(t, other, a.FromKey(NewSecret("")), "a credential without a secret has no key")

	assert.Equal(t, APIKey(jwt, nil), accountOf(Method{Type: APIType}).FromKey(jwt))
	assert.Equal(t, APIKey(jwt, nil), (&Account{}).FromKey(jwt))
	preferred := accountOf(oauth)
	preferred.Prefer = "api"
	assert.Equal(t, APIKey(jwt, nil), preferred.FromKey(jwt), "the method is none")
}

func TestRefresh(t *testing.T) {
	in := HostCredential{NewSecret("a"), NewSecret("r"), 5}
	load := func(store func(*Store)) *Account {
		return &Account{Now: clock, Hook: &Hook{Provider: "acme", Load: func(_ context.Context, s *Store) (Options, error) {
			assert.Equal(t, `{"type":"oauth","access":"a","refresh":"r","expires":5}`, string(s.Get().Reveal()))
			store(s)
			return nil, nil
		}}}
	}
	for name, c := range map[string]struct {
		store func(*Store)
		want  HostCredential
	}{
		"nothing stored":      {func(*Store) {}, in},
		"the same again":      {func(s *Store) { s.Set(s.Get()) }, in},
		"removed":             {func(s *Store) { s.Remove() }, in},
		"an equal one":        {func(s *Store) { s.Set(OAuth(NewSecret("a"), NewSecret("r"), 0)) }, HostCredential{NewSecret("a"), NewSecret("r"), inAnHour}},
		"refreshed":           {func(s *Store) { s.Set(OAuth(NewSecret("b"), NewSecret("r2"), 9)) }, HostCredential{NewSecret("b"), NewSecret("r2"), 9}},
		"no refresh any more": {func(s *Store) { s.Set(OAuth(NewSecret("b"), NewSecret(""), 9)) }, HostCredential{NewSecret("b"), NewSecret(""), inTenYears}},
		"a key":               {func(s *Store) { s.Set(APIKey(NewSecret("k"), nil)) }, HostCredential{NewSecret("k"), NewSecret(""), inTenYears}},
	} {
		got, err := load(c.store).Refresh(context.Background(), in)
		require.NoError(t, err, name)
		assert.Equal(t, c.want, got, name)
	}
	never := func(*Store) { t.Error("the loader was run") }
	bare := HostCredential{NewSecret("a"), NewSecret(""), 5}
	got, err := load(never).Refresh(context.Background(), bare)
	require.NoError(t, err)
	assert.Equal(t, bare, got)
	for _, a := range []*Account{{}, {Hook: &Hook{}}} {
		got, err := a.Refresh(context.Background(), in)
		require.NoError(t, err)
		assert.Equal(t, in, got)
	}
	useless, err := ParseCredential([]byte(`{"type":"wellknown","token":"` + hidden + `"}`))
	require.NoError(t, err)
	_, err = load(func(s *Store) { s.Set(useless) }).Refresh(context.Background(), in)
	assert.Equal(t, KindMalformed, kindOf(t, err))
	assert.NotContains(t, shown(t, err), hidden)
}

func TestLoaderFails(t *testing.T) {
	refreshed := "token-that-was-just-refreshed"
	a := &Account{Now: clock, Hook: &Hook{Provider: "acme", Load: func(_ context.Context, s *Store) (Options, error) {
		old := s.Get().Secret().Reveal()
		s.Set(OAuth(NewSecret(refreshed), NewSecret("r2-r2-r2"), 9))
		return nil, fmt.Errorf("refused %s and %s and r2-r2-r2: %w", old, refreshed, context.DeadlineExceeded)
	}}}
	check := func(err error) {
		t.Helper()
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, KindPlugin, kindOf(t, err))
		assert.ErrorContains(t, err, "auth: acme: the login's loader: refused [redacted] and [redacted] and [redacted]")
		for _, secret := range []string{hidden, refreshed, "r2-r2-r2"} {
			assert.NotContains(t, shown(t, err), secret)
		}
	}
	_, err := a.Refresh(context.Background(), HostCredential{NewSecret(hidden), NewSecret("old-refresh"), 5})
	check(err)
	_, err = a.FactoryOptions(context.Background(), nil, NewSecret(hidden))
	check(err)
	_, err = a.SignIn(context.Background(), NewSecret(hidden))
	check(err)
}

func TestAccountFactoryOptions(t *testing.T) {
	runs := 0
	a := &Account{Now: clock, Hook: &Hook{Load: func(_ context.Context, s *Store) (Options, error) {
		runs++
		assert.Equal(t, APIKey(NewSecret("K"), nil), s.Get())
		return Options{{Name: "headers", JSON: NewSecret(`{"Authorization":"Bearer 123","x-plan":"pro"}`)}}, nil
	}}}
	options, err := a.FactoryOptions(context.Background(), []byte(`{"token":"$apiKey","mode":"fast"}`), NewSecret("K"))
	require.NoError(t, err)
	assert.Equal(t, `{"token":"K","mode":"fast","headers":{"Authorization":"Bearer 123","x-plan":"pro"}}`, string(options.Reveal()))
	assert.Equal(t, "[redacted] pro fast", a.Redactor().Text("Bearer 123 pro fast"))
	for _, key := range []Secret{{}, NewSecret("")} {
		_, err = a.FactoryOptions(context.Background(), nil, key)
		require.NoError(t, err)
	}
	assert.Equal(t, 1, runs, "without a key there is nothing to sign in with")
	for _, a := range []*Account{{}, {Hook: &Hook{}}} {
		options, err = a.FactoryOptions(context.Background(), nil, NewSecret("K"))
		require.NoError(t, err)
		assert.Equal(t, `{"apiKey":"K"}`, string(options.Reveal()), "without a loader there is no way to")
	}
	_, err = a.FactoryOptions(context.Background(), []byte(`[1]`), NewSecret("K"))
	assert.ErrorContains(t, err, "createOptions")
}

// The loader runs once at a time, and finds the credential that it was run for.
func TestLoaderRunsAlone(t *testing.T) {
	var running sync.Mutex
	a := &Account{Now: clock, Hook: &Hook{Load: func(_ context.Context, s *Store) (Options, error) {
		if !running.TryLock() {
			t.Error("the loader runs twice")
			return nil, nil
		}
		defer running.Unlock()
		return Options{{Name: "seen", JSON: NewSecret(`"` + s.Get().Secret().Reveal() + `"`)}}, nil
	}}}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			key := fmt.Sprintf("key-%d", i)
			options, err := a.SignIn(context.Background(), NewSecret(key))
			assert.NoError(t, err)
			assert.JSONEq(t, `{"seen":"`+key+`"}`, string(options.Reveal()))
			_ = shownByText(a.Store())
		})
	}
	wg.Wait()

	block := make(chan struct{})
	entered := make(chan struct{})
	a = &Account{Hook: &Hook{Load: func(context.Context, *Store) (Options, error) {
		close(entered)
		<-block
		return nil, nil
	}}}
	wg.Go(func() { _, _ = a.SignIn(context.Background(), NewSecret("a")) })
	<-entered
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := a.SignIn(ctx, NewSecret("b"))
	assert.ErrorIs(t, err, context.Canceled)
	close(block)
	wg.Wait()
}

func shownByText(s *Store) string { return s.Redactor().Text("key-1 key-2") }

func TestStore(t *testing.T) {
	var s Store
	assert.Nil(t, s.Get())
	assert.Empty(t, s.All("acme"))
	c := APIKey(NewSecret("first-key"), nil)
	s.Set(c)
	assert.Same(t, c, s.Get())
	assert.Equal(t, map[string]*Credential{"acme": c}, s.All("acme"))
	s.Remove()
	assert.Nil(t, s.Get())
	assert.Equal(t, Redacted, s.Redactor().Text("first-key"), "what was stored once stays a secret")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			s.Set(c)
			s.Get()
			s.All("x")
			s.Remove()
		})
	}
	wg.Wait()
}

// A plugin whose provider takes a refresh token only once, and a host that goes on with the key that it
// has: what the plugin has stored is not lost.
func TestKeyOfAReplacedCredential(t *testing.T) {
	ctx := context.Background()
	var found []string
	rotate, login := "", `{"type":"success","access":"A","refresh":"R","expires":5}`
	a := &Account{Now: clock, Hook: &Hook{Methods: []Method{{
		Type: OAuthType, Authorize: func(context.Context, map[string]string) (Authorization, error) {
			return Authorization{Callback: answering(login)}, nil
		},
	}}, Load: func(_ context.Context, s *Store) (Options, error) {
		found = append(found, s.Get().Secret().Reveal()+" "+s.Get().refresh.Reveal())
		if rotate != "" {
			s.Set(OAuth(NewSecret(rotate), NewSecret("R-"+rotate), 9))
		}
		return nil, nil
	}}}
	signIn := func(key string) string {
		found = nil
		_, err := a.SignIn(ctx, NewSecret(key))
		require.NoError(t, err)
		require.Len(t, found, 1)
		return found[0]
	}
	held, err := a.Login(ctx, (&user{}).callbacks())
	require.NoError(t, err)
	rotate = "B"
	assert.Equal(t, "A R", signIn("A"))
	rotate = ""
	assert.Equal(t, "B R-B", signIn("A"), "the host does not know better")
	assert.Equal(t, "B", a.FromKey(NewSecret("A")).Secret().Reveal())
	a.Store().Set(OAuth(NewSecret("C"), NewSecret("R-C"), 9)) // as what the loader returns does during a call
	assert.Equal(t, "C R-C", signIn("A"))
	found = nil
	got, err := a.Refresh(ctx, held)
	require.NoError(t, err)
	assert.Equal(t, []string{"C R-C"}, found, "R is used up")
	assert.Equal(t, HostCredential{NewSecret("C"), NewSecret("R-C"), 9}, got)
	assert.Equal(t, "C R-C", signIn("C"))
	_, err = a.Refresh(ctx, HostCredential{NewSecret("C"), NewSecret("R-C"), 9})
	require.NoError(t, err)
	assert.Equal(t, "C R-C", signIn("A"), "a call that was begun before")
	assert.Equal(t, "B ", signIn("B"), "the host has never had this one")
	assert.Equal(t, "A ", signIn("A"), "and now the store has another's")

	_, err = a.Refresh(ctx, HostCredential{NewSecret("A"), NewSecret("R2"), 9})
	require.NoError(t, err)
	assert.Equal(t, "R2", a.Store().Get().refresh.Reveal(), "the host knows more than its key alone")
	rotate = "D"
	signIn("A")
	rotate = ""
	_, err = a.Login(ctx, (&user{}).callbacks())
	require.NoError(t, err)
	assert.Equal(t, "A R", signIn("A"), "a login counts")
	login = `{"type":"success","access":"L","refresh":"R-L"}`
	_, err = a.Login(ctx, (&user{}).callbacks())
	require.NoError(t, err)
	assert.Equal(t, "A ", signIn("A"), "this may be another user's")
	_, err = a.Login(ctx, (&user{}).callbacks())
	require.NoError(t, err)
	a.Store().Set(OAuth(NewSecret("M"), NewSecret("R-M"), 9))
	assert.Equal(t, "M R-M", signIn("L"), "the host has got it from the login")
	signIn("A")

	rotate = "E"
	signIn("A")
	rotate = ""
	a.Store().Remove()
	assert.Equal(t, "A ", signIn("A"), "there is nothing to keep")
	a.Store().Remove()
	a.Store().Set(OAuth(NewSecret("G"), NewSecret("R-G"), 9))
	assert.Equal(t, "A ", signIn("A"), "what was removed has nothing in its place")
	useless, err := ParseCredential([]byte(`{"type":"wellknown"}`))
	require.NoError(t, err)
	a.Store().Set(useless)
	assert.Equal(t, "A ", signIn("A"), "it has no key that could stand for another")

	for i := range 20 { // the host's keys are not collected without end, and the one in use is not the one that goes
		rotate = fmt.Sprint("F", i)
		signIn("A")
		signIn(rotate)
	}
	rotate = ""
	for range 20 {
		assert.Equal(t, "F19 R-F19", signIn("A"))
	}
	assert.Equal(t, "F19 R-F19", signIn("F18"))
	assert.Len(t, a.Store().keys, mostKeys)
}
