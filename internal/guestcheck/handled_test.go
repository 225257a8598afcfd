package guestcheck_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/internal/guestcheck"
	"github.com/pintle-wasm/pintle/internal/languages"
	"github.com/pintle-wasm/pintle/runtime"
)

// What pintle.toml offers and the code does not is found in every language that is compiled.
func TestHandled(t *testing.T) {
	r := runtime.New(enginetest.New(), runtime.Options{})
	t.Cleanup(func() { require.NoError(t, r.Close(context.Background())) })
	for _, language := range []string{"go", "rust", "assemblyscript", "c"} {
		t.Run(language, func(t *testing.T) {
			file, err := languages.Read("../../testdata/guests", languages.Example, language)
			require.NoError(t, err)
			assert.Empty(t, handled(t, r, file), "the guest as it is")

			m := guest(t, file).Artifact.Manifest
			m.Contributions = append(m.Contributions, abi.Contribution{Interface: abi.DeveloperMessagesV1, ID: "tide"})
			var want []string
			for _, a := range slices.Clone(m.Adapters) {
				other := "a v2"
				if a.Interface == abi.ProviderPayloadAdaptersV1 {
					other = "a v1"
				}
				a.ID, a.Providers = other, []string{other}
				m.Adapters = append(m.Adapters, a)
				want = append(want, "contract: no handler for adapter "+other)
			}
			file, err = guestbuild.Attach(file, m)
			require.NoError(t, err)
			assert.ElementsMatch(t, append(want, "contract: no handler for contribution tide"), handled(t, r, file))
		})
	}
}

// handled lists what is found, without what the guest has instead.
func handled(t *testing.T, r *runtime.Runtime, file []byte) []string {
	t.Helper()
	loaded, err := r.Load(t.Context(), "g.wasm", file, runtime.GuestOptions{})
	require.NoError(t, err)
	defer func() { require.NoError(t, loaded.Close(context.Background())) }()
	var report guestcheck.Report
	guest(t, file).Handled(t.Context(), &report, loaded)
	list := texts(&report, guestcheck.Error)
	assert.Len(t, report.Findings, len(list))
	for i, text := range list {
		list[i], _, _ = strings.Cut(text, "; there are handlers for: ")
	}
	return list
}
