package assemblyscriptsdk_test

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	renderv1 "github.com/pintle-wasm/pintle/abi/developermessages/v1"
	adaptersv1 "github.com/pintle-wasm/pintle/abi/payloadadapters/v1"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/runtime"
)

// A guest that goes on in a session lives with its garbage: it is collected, and nothing that is in use is.
func TestGarbageOfASession(t *testing.T) {
	manifest, err := guestbuild.ReadManifest("testdata/probe")
	require.NoError(t, err)
	manifest.State, manifest.Limits.MemoryBytes = abi.StateSession, 4<<20
	file, err := guestbuild.Attach(guestFile(t, probe), manifest)
	require.NoError(t, err)
	r := runtime.New(enginetest.New(), runtime.Options{Remember: runtime.Remember{SessionBytes: -1}, Limits: runtime.Limits{Time: time.Minute}})
	defer func() { require.NoError(t, r.Close(context.Background())) }()
	loaded, err := r.Load(t.Context(), "probe", file, runtime.GuestOptions{})
	require.NoError(t, err)
	g := guest{t, loaded}
	for i := range 1500 {
		text, err := g.render("counter", nil)
		require.NoError(t, err)
		require.Equal(t, strconv.Itoa(i+1), text)

		prompt := strings.Repeat("tide é🚢 ", 1+i*7%900)
		text, err = g.renderFor(renderv1.RenderRequest{ID: "context", Prompt: &prompt,
			SystemPromptOptions: map[string]any{"a": []any{prompt, 1, map[string]any{"b": prompt}}}})
		require.NoError(t, err)
		require.Equal(t, "provider absent\ntools absent\nbash false\nsession absent\nprompt <"+prompt+">\noptions {a:[<"+prompt+"> 1.0 {b:<"+prompt+">}]}", text)

		payload := `{"a":["` + strings.Repeat(`x\u00e9\n`, i%500) + `"],"b":` + strconv.Itoa(i) + `}`
		got, err := g.change([]byte(payload), "set /a/0 \"é\"\ninsert /a/0 "+strconv.Itoa(i)+"\nput /c [{}]")
		require.NoError(t, err)
		require.Equal(t, `{"a":[`+strconv.Itoa(i)+`,"é"],"b":`+strconv.Itoa(i)+`,"c":[{}]}`, string(got))
	}
	_, err = g.ask(abi.ReadSystemPromptV1, adaptersv1.ReadSystemPromptRequest{Payload: adaptersv1.Payload{ID: "nobody"}}, 0)
	assert.ErrorContains(t, err, "there are handlers for: changes")
}
