package settings

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEffectiveValue(t *testing.T) {
	both := []string{"developer", "context-user"}
	for _, c := range []struct {
		toml   string
		want   []string
		reason Reason
	}{
		{"", both, NotSet},
		{"appearance = 3", both, NotSet},
		{"appearance.pi-developer-messages = 3", both, NotSet},
		{"appearance.pi-developer-messages.auditEntries = 3", both, WrongType},
		{`appearance.pi-developer-messages.auditEntries = ["developer", 1]`, both, WrongType},
		{`appearance.pi-developer-messages.auditEntries = ["context-user", "x", "developer", "developer"]`, []string{"context-user", "developer", "developer"}, Stored},
		{`appearance.pi-developer-messages.auditEntries = ["x"]`, []string{}, Stored},
	} {
		d, err := Parse([]byte(c.toml))
		require.NoError(t, err, c.toml)
		got, reason := d.AuditEntries()
		assert.Equal(t, c.want, got, c.toml)
		assert.Equal(t, c.reason, reason, c.toml)
	}
}

func TestLoadMakesTheFile(t *testing.T) {
	path := Path(filepath.Join(t.TempDir(), "deep", "agent"))
	s := Store{Path: path}
	d, err := s.Load()
	require.NoError(t, err)
	assert.Equal(t, Document{}, d)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "# Shared Pi and extension settings.\n", string(data))
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, fs.FileMode(0o600), info.Mode().Perm())
}

func TestUnreadableFileIsLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	require.NoError(t, os.WriteFile(path, []byte("[appearance\npi = "), 0o644))
	s := Store{Path: path}
	d, err := s.Load()
	require.ErrorIs(t, err, ErrUnreadable)
	assert.Equal(t, Document{}, d)
	assert.True(t, strings.HasPrefix(Notification(err), "Could not load xsettings.toml: "))
	assert.ErrorContains(t, err, path+": settings cannot be read: line 1")
	_, err = s.Set(AuditEntries, []string{})
	require.ErrorIs(t, err, ErrUnreadable)
	_, err = s.Unset(AuditEntries)
	require.ErrorIs(t, err, ErrUnreadable)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "[appearance\npi = ", string(data))

	_, err = (&Store{Path: filepath.Join(path, "below-a-file")}).Load()
	assert.ErrorIs(t, err, ErrUnreadable)
	require.NoError(t, os.WriteFile(path, make([]byte, maxSize+1), 0o600))
	_, err = s.Load()
	assert.ErrorContains(t, err, "larger than")
}

const rich = `
top = 1
[zzz]
k = 1
f = 1.0
e = 1e30
inf = -inf
d = 1979-05-27
t = 07:32:00.5
dt = 1979-05-27T07:32:00
odt = 1979-05-27T00:32:00.999-07:00
s = "a\"\\\u0001\n\u007f é <b>"
"odd key" = true
nested.deep.er = [[1, 2], ["x"], [{a = 1, b = {}}]]
[[aot]]
n = 1
[[aot]]
n = 2
[tools]
pi.defaultTools = []
[appearance]
pi.theme = "dark"
pi.colors = {fg = "x"}
plain = 3
empty = {}
[behavior]
`

func TestSetKeepsEverythingElse(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "dotfiles.toml")
	require.NoError(t, os.WriteFile(target, []byte(rich), 0o640))
	require.NoError(t, os.Chmod(target, 0o640))
	path := filepath.Join(dir, FileName)
	require.NoError(t, os.Symlink(target, path))
	s := Store{Path: path}
	d, err := s.Set(AuditEntries, []string{"developer"})
	require.NoError(t, err)
	got, reason := d.AuditEntries()
	assert.Equal(t, []string{"developer"}, got)
	assert.Equal(t, Stored, reason)

	link, err := os.Lstat(path)
	require.NoError(t, err)
	assert.Equal(t, fs.ModeSymlink, link.Mode().Type(), "the link stays")
	info, err := os.Stat(target)
	require.NoError(t, err)
	assert.Equal(t, fs.FileMode(0o640), info.Mode().Perm())
	data, err := os.ReadFile(target)
	require.NoError(t, err)
	text := string(data)
	assert.Contains(t, text, "[appearance]\nempty = {}\npi.colors = {fg = \"x\"}\npi.theme = \"dark\"\npi-developer-messages.auditEntries = [\"developer\"]\nplain = 3\n")
	order := []string{"top = 1", "[appearance]", "[behavior]", "[tools]", "[zzz]", "[zzz.nested.deep]"}
	last := -1
	for _, part := range order {
		at := strings.Index(text, part)
		assert.Greater(t, at, last, part)
		last = at
	}

	_, err = s.Unset(AuditEntries)
	require.NoError(t, err)
	want, err := Parse([]byte(rich))
	require.NoError(t, err)
	after, err := s.Load()
	require.NoError(t, err)
	assert.Equal(t, want, after)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, left, 2, "no temporary file is left")
}

func TestUnsetPrunesOnlyItsOwnTables(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	require.NoError(t, os.WriteFile(path, []byte("[appearance]\npi-developer-messages.auditEntries = []\n[behavior]\n"), 0o600))
	s := Store{Path: path}
	_, err := s.Unset(AuditEntries)
	require.NoError(t, err)
	_, err = s.Unset(AuditEntries)
	require.NoError(t, err)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "[behavior]\n", string(data))
}

func TestSetRefusesToDestroy(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	require.NoError(t, os.WriteFile(path, []byte("appearance = 3\n"), 0o600))
	s := Store{Path: path}
	_, err := s.Set(AuditEntries, []string{})
	assert.ErrorContains(t, err, "appearance is not a table")
	_, err = s.Set(Key{"tools", "x", "y"}, struct{}{})
	assert.ErrorContains(t, err, "struct {}")
	_, err = s.Unset(AuditEntries)
	assert.NoError(t, err)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "appearance = 3\n", string(data))
}

func TestConcurrentWriters(t *testing.T) {
	s := Store{Path: filepath.Join(t.TempDir(), FileName)}
	var wg sync.WaitGroup
	for _, owner := range []string{"a", "b", "c", "d"} {
		wg.Go(func() {
			_, err := s.Set(Key{"tools", owner, "k"}, 1)
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	d, err := s.Load()
	require.NoError(t, err)
	for _, owner := range []string{"a", "b", "c", "d"} {
		_, ok := d.Value(Key{"tools", owner, "k"})
		assert.True(t, ok, owner)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(rich))
	f.Add([]byte("[appearance]\npi-developer-messages.auditEntries = [\"developer\"]\n"))
	f.Add([]byte("\"\" = nan\n[appearance.\"a.b\"]\nx = '''\ny'''"))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Parse(data)
		if err != nil {
			if !errors.Is(err, ErrUnreadable) {
				t.Fatal(err)
			}
			return
		}
		d.AuditEntries()
		out, err := d.encode()
		if err != nil {
			t.Fatalf("cannot write %q: %v", data, err)
		}
		again, err := Parse(out)
		if err != nil {
			t.Fatalf("cannot read back %q as %q: %v", data, out, err)
		}
		twice, err := again.encode()
		if err != nil || string(twice) != string(out) {
			t.Fatalf("%q became %q and then %q (%v)", data, out, twice, err)
		}
		if !strings.Contains(string(out), "nan") && !reflect.DeepEqual(d, again) {
			t.Fatalf("%q became %q", data, out)
		}
	})
}
