package languages_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/guesttest"
	"github.com/pintle-wasm/pintle/internal/languages"
	"github.com/pintle-wasm/pintle/runtime"
)

const (
	guests = "../../testdata/guests"
	kit    = "../../testdata/vectors"
)

// newRuntime makes a runtime in which fuel ends what has no end, however slow the machine is.
func newRuntime(t *testing.T) *runtime.Runtime {
	r := runtime.New(enginetest.New(), runtime.Options{Limits: runtime.Limits{Time: time.Minute}})
	t.Cleanup(func() { assert.NoError(t, r.Close(context.Background())) })
	return r
}

func read(t *testing.T, guest, language string) []byte {
	t.Helper()
	file, err := languages.Read(guests, guest, language)
	require.NoError(t, err)
	return file
}

func forEachLanguage(t *testing.T, test func(t *testing.T, language string)) {
	for _, language := range languages.All() {
		t.Run(language, func(t *testing.T) { test(t, language) })
	}
}

// sameAsGo compares what is seen of each language's guest with what is seen of the one in Go.
func sameAsGo(t *testing.T, observe func(t *testing.T, language string) []languages.Observation) {
	const model = "go"
	want := observe(t, model)
	require.NotEmpty(t, want)
	forEachLanguage(t, func(t *testing.T, language string) {
		if language != model {
			assert.Empty(t, languages.Differences(want, observe(t, language)), "other answers than those of the guest in Go")
		}
	})
}

func TestTemplatesOfTheKit(t *testing.T) {
	sameAsGo(t, func(t *testing.T, language string) []languages.Observation {
		seen, err := languages.Templates(t.Context(), newRuntime(t), read(t, languages.Example, language), kit)
		require.NoError(t, err)
		assert.Len(t, seen, 3, "cases that use the template callback")
		return seen
	})
}

func TestCodexAdapterOfTheKit(t *testing.T) {
	sameAsGo(t, func(t *testing.T, language string) []languages.Observation {
		seen, err := languages.Codex(t.Context(), newRuntime(t), read(t, languages.Example, language), kit)
		require.NoError(t, err)
		assert.Equal(t, languages.Observation{What: "codex-adapter", Seen: "25 passed, 0 failed"}, seen[len(seen)-1])
		return seen
	})
}

func TestCases(t *testing.T) {
	sameAsGo(t, func(t *testing.T, language string) []languages.Observation {
		suite := suiteOf(t, language)
		require.Len(t, suite.Cases, 23)
		seen, err := languages.Answers(t.Context(), newRuntime(t), read(t, languages.Example, language), suite)
		require.NoError(t, err)
		return seen
	})
}

func suiteOf(t *testing.T, language string) *guesttest.Suite {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(languages.Dir(guests, languages.Example, language), "cases.json"))
	require.NoError(t, err)
	suite, err := guesttest.Parse("cases.json", text)
	require.NoError(t, err)
	return suite
}

// The cases are the same file in all languages.
func TestCasesAreTheSame(t *testing.T) {
	var model string
	for _, language := range languages.All() {
		text, err := os.ReadFile(filepath.Join(languages.Dir(guests, languages.Example, language), "cases.json"))
		require.NoError(t, err)
		if model == "" {
			model = string(text)
		}
		assert.Equal(t, model, string(text), language)
	}
}

// The guests offer the same: all that differs is the id.
func TestManifestsAreTheSame(t *testing.T) {
	for _, guest := range []string{languages.Example, languages.Faults} {
		t.Run(guest, func(t *testing.T) {
			var model *runtime.Artifact
			forEachLanguage(t, func(t *testing.T, language string) {
				a, err := runtime.Examine(language, read(t, guest, language))
				require.NoError(t, err)
				assert.Empty(t, a.Problems)
				assert.Equal(t, guest+"/"+language, a.Manifest.ID)
				if model == nil {
					model = a
				}
				assert.ElementsMatch(t, model.Manifest.Contributions, a.Manifest.Contributions)
				assert.ElementsMatch(t, model.Manifest.Adapters, a.Manifest.Adapters)
				assert.Equal(t, model.Manifest.Capabilities, a.Manifest.Capabilities)
				assert.Equal(t, model.Manifest.Limits, a.Manifest.Limits)
				assert.Equal(t, model.Manifest.Version, a.Manifest.Version)
			})
		})
	}
}
