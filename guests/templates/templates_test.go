package templates_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/guests/templates"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/internal/guesttest"
	"github.com/pintle-wasm/pintle/runtime"
)

var languages = []string{"assemblyscript", "c", "go", "javascript", "rust", "typescript"}

// written reads a template as `pintle new hello` writes it.
func written(t *testing.T, language, kind string) map[string]string {
	t.Helper()
	template, err := templates.Of(language, kind)
	require.NoError(t, err)
	files := map[string]string{}
	require.NoError(t, fs.WalkDir(template, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := fs.ReadFile(template, name)
		files[name] = strings.ReplaceAll(string(text), "{{name}}", "hello")
		return err
	}))
	return files
}

// All templates have the same parts and, for a kind, the same cases, of which the first one shows something.
func TestTemplates(t *testing.T) {
	for _, kind := range templates.Kinds() {
		assert.Equal(t, languages, templates.Languages(kind))
		for _, language := range languages {
			files := written(t, language, kind)
			title := language + " " + kind
			assert.Contains(t, files["pintle.toml"], `id = "example/hello"`, title)
			for name, text := range files {
				assert.NotContains(t, text, "{{name", "%s: %s", title, name)
			}
			if language != "javascript" && language != "typescript" { // whose code says what it offers
				m, err := guestbuild.ParseManifest([]byte(files["pintle.toml"]))
				require.NoError(t, err, title)
				assert.Equal(t, "example/hello", m.ID, title)
			}
			suite, err := guesttest.Parse("cases.json", []byte(files["cases.json"]))
			require.NoError(t, err, title)
			assert.Contains(t, []guesttest.Kind{guesttest.Text, guesttest.Payload}, suite.Cases[0].Want.Kind, title)
			assert.Equal(t, names(t, kind), caseNames(suite), title)
		}
	}
	_, err := templates.Of("cobol", "contribution")
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = templates.Of("go", "pancake")
	require.ErrorIs(t, err, fs.ErrNotExist)
	assert.Empty(t, templates.Languages("pancake"))
}

// names are those of the cases of a kind, as the template in Go has them.
func names(t *testing.T, kind string) []string {
	t.Helper()
	suite, err := guesttest.Parse("cases.json", []byte(written(t, "go", kind)["cases.json"]))
	require.NoError(t, err)
	return caseNames(suite)
}

func caseNames(suite *guesttest.Suite) []string {
	var list []string
	for _, c := range suite.Cases {
		list = append(list, c.Name)
	}
	return list
}

// The templates of languages that need no compiler but Go's pass their own cases as they stand here: {{name}}
// is a name like any other. Go's contribution is built by the tests of the command.
func TestTemplatesPassTheirCases(t *testing.T) {
	cache := t.TempDir() // builds evaluate scripts, all on one engine
	run := runtime.New(enginetest.New(), runtime.Options{Limits: runtime.Limits{Time: time.Minute}})
	t.Cleanup(func() { assert.NoError(t, run.Close(context.Background())) })
	for _, dir := range []string{"go/adapter", "typescript/contribution", "typescript/adapter", "javascript/contribution", "javascript/adapter"} {
		t.Run(dir, func(t *testing.T) {
			out, _, err := guestbuild.Build(t.Context(), guestbuild.Options{Dir: filepath.FromSlash(dir), Out: filepath.Join(t.TempDir(), "guest.wasm"), CacheDir: cache})
			require.NoError(t, err)
			file, err := os.ReadFile(out)
			require.NoError(t, err)
			r := &guesttest.Runner{Load: func(ctx context.Context, config map[string]string) (*runtime.Guest, error) {
				return run.Load(ctx, "guest.wasm", file, runtime.GuestOptions{Config: config})
			}}
			t.Cleanup(func() { assert.NoError(t, r.Close(context.Background())) })
			text, err := os.ReadFile(filepath.Join(filepath.FromSlash(dir), "cases.json"))
			require.NoError(t, err)
			suite, err := guesttest.Parse("cases.json", text)
			require.NoError(t, err)
			for _, c := range suite.Cases {
				result := r.Run(t.Context(), c)
				assert.True(t, result.Passed, "%s: %s %v", c.Name, result.Fault, result.Diff)
			}
		})
	}
}

// What is left of a tool in a template's folder would be written into every new guest.
func TestTemplatesHoldNothingBuilt(t *testing.T) {
	for _, kind := range templates.Kinds() {
		for _, language := range templates.Languages(kind) {
			for name := range written(t, language, kind) {
				assert.NotRegexp(t, regexp.MustCompile(`node_modules/|target/|\.wasm$|lock$|-lock\.json$|~$`), name, "%s %s", language, kind)
			}
		}
	}
}
