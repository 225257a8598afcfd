package assemblyscriptsdk_test

import (
	"bytes"
	"log/slog"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	renderv1 "github.com/pintle-wasm/pintle/abi/developermessages/v1"
	"github.com/pintle-wasm/pintle/runtime"
)

func TestContext(t *testing.T) {
	g := load(t, probe, options{})
	text, err := g.renderFor(renderv1.RenderRequest{ID: "context", Provider: ptr("acme"), ActiveTools: &[]string{"read", "bash"},
		SessionID: ptr("s1"), Prompt: ptr("päth 🚢 \u0000"), SystemPromptOptions: map[string]any{
			"cwd": "/srv", "n": []any{0, 23, 24, 1 << 40, uint64(math.MaxUint64), -1, -500, 1.5, 1e300, float32(0.1), 6.103515625e-05, 5.960464477539063e-08,
				0.0, math.Inf(1), math.Inf(-1), math.NaN(), 65504.0},
			"deep": map[string]any{"": []any{}, "é": map[string]any{}, "t": true, "f": false, "z": nil}, "raw": []byte{1, 2, 3}}})
	require.NoError(t, err)
	assert.Equal(t, strings.Join([]string{
		"provider <acme>", "tools [read|bash]", "bash true", "session <s1>", "prompt <päth 🚢 \u0000>",
		"options {n:[0.0 23.0 24.0 1099511627776.0 18446744073709552000.0 -1.0 -500.0 1.5 1e+300 0.10000000149011612" +
			" 0.00006103515625 5.960464477539063e-8 0.0 Infinity -Infinity NaN 65504.0]" +
			" cwd:</srv> raw:bytes 3 deep:{:[] f:false t:true z:null é:{}}}",
	}, "\n"), text)

	text, err = g.renderFor(renderv1.RenderRequest{ID: "context", ActiveTools: &[]string{}, Prompt: ptr("")})
	require.NoError(t, err)
	assert.Equal(t, "provider absent\ntools []\nbash false\nsession absent\nprompt <>\noptions absent", text)
	text, err = g.renderFor(renderv1.RenderRequest{ID: "context"})
	require.NoError(t, err)
	assert.Contains(t, text, "tools absent\n")
}

// A key whose value is null, or of another type, counts as absent; numbers and lengths have heads of any size.
func TestContextOfOtherSpelling(t *testing.T) {
	g := load(t, probe, options{})
	request := "\xb8\x04" + "\x62id" + "\x79\x00\x07context" + "\x66prompt\xf6" + "\x68provider\x07" + "\x73systemPromptOptions" +
		"\xba\x00\x00\x00\x02" + "\x01\x20" + "\x7b\x00\x00\x00\x00\x00\x00\x00\x01a" + "\x9b\x00\x00\x00\x00\x00\x00\x00\x02" +
		"\x1b\x00\x00\x00\x00\x00\x00\x00\x05" + "\xfa\x40\x00\x00\x00"
	require.NoError(t, abi.Check([]byte(request)))
	value, err := g.answer(abi.RenderV1, []byte(request), 0)
	require.NoError(t, err)
	text, err := abi.Text(value)
	require.NoError(t, err)
	assert.Equal(t, "provider absent\ntools absent\nbash false\nsession absent\nprompt absent\noptions {a:[5.0 2.0]}", text)
}

func TestConfigAndLog(t *testing.T) {
	var logged bytes.Buffer
	long := strings.Repeat("tide é🚢 ", 500)
	g := load(t, probe, options{config: map[string]string{"short": "", "long": long, "undeclared": "x"}, logger: slog.NewTextHandler(&logged, nil)})
	text, err := g.render("config", nil)
	require.NoError(t, err)
	assert.Equal(t, "<> <"+long+"> absent", text)
	assert.Contains(t, logged.String(), `level=WARN msg="reads 🚢 �"`)

	text, err = load(t, probe, options{}).render("config", nil)
	require.NoError(t, err)
	assert.Equal(t, "absent absent absent", text)
}

func TestKV(t *testing.T) {
	const done, denied, noRoom = "0", "1", "2"
	g := load(t, probe, options{grants: []string{"kv"}})
	steps := func(s string) string {
		text, err := g.render("kv", &s)
		require.NoError(t, err)
		return text
	}
	assert.Equal(t, "absent "+done+" <3🚢> "+done+" absent "+done, steps("get a\nset a 3🚢\nget a\nremove a\nget a\nremove a"))
	assert.Equal(t, done+" "+done, steps("fill big 16384\nset small x"))
	assert.Equal(t, "16384 <x> "+noRoom+" 16384", steps("size big\nget small\nfill big 16385\nsize big"))

	g = load(t, probe, options{})
	assert.Equal(t, denied+" absent "+denied, steps("set a 1\nget a\nremove a"))
}

func TestClockAndRandom(t *testing.T) {
	world := func(g guest) (now time.Time, drawn string) {
		text, err := g.render("world", nil)
		require.NoError(t, err)
		ms, drawn, _ := strings.Cut(text, " ")
		n, err := strconv.ParseInt(ms, 10, 64)
		require.NoError(t, err)
		return time.UnixMilli(n), drawn
	}
	g := load(t, probe, options{})
	now, drawn := world(g)
	assert.Equal(t, "2020-01-01T00:00:00Z", now.UTC().Format(time.RFC3339))
	assert.Len(t, strings.Fields(drawn), 8)
	_, again := world(g)
	assert.Equal(t, drawn, again)

	g = load(t, probe, options{grants: []string{"clock", "random"}})
	now, other := world(g)
	assert.WithinDuration(t, time.Now(), now, time.Hour)
	assert.NotEqual(t, drawn, other)
	_, again = world(g)
	assert.NotEqual(t, other, again)
}

func TestFailures(t *testing.T) {
	g := load(t, probe, options{})
	failure := func(op, id string, prompt *string) abi.Failure {
		_, err := g.ask(op, renderv1.RenderRequest{ID: id, Prompt: prompt}, 0)
		var e *runtime.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, runtime.KindFailed, e.Kind)
		var f *abi.Failure
		require.ErrorAs(t, err, &f)
		return *f
	}
	assert.Equal(t, abi.Failure{Message: "no prompt"}, failure(abi.RenderV1, "fail", nil))
	assert.Equal(t, abi.Failure{Code: "tide", Message: "low water �"}, failure(abi.RenderV1, "fail", ptr("")))
	assert.Equal(t, abi.Failure{Message: "no handler for contribution é; there are handlers for:" +
		" config, context, counter, fail, kv, surrogates, throw, world"}, failure(abi.RenderV1, "é", nil))
	assert.Equal(t, abi.Failure{Message: "no handler for adapter ; there are handlers for: view"}, failure(abi.EditV2, "", nil))
	assert.Equal(t, abi.Failure{Message: "no handler for adapter x; there are handlers for: changes"},
		failure(abi.ReadSystemPromptV1, "x", nil))
	assert.Equal(t, abi.Failure{Message: "no handler for adapter x; there are handlers for: changes"},
		failure(abi.ReplaceSystemPromptV1, "x", nil))
	assert.Equal(t, abi.Failure{Message: "no developer message handler for adapter x; there are handlers for: changes"},
		failure(abi.ReplaceDeveloperMessagesV1, "x", nil))
	// An error leaves nothing behind.
	text, err := g.render("counter", nil)
	require.NoError(t, err)
	assert.Equal(t, "1", text)
}

// Half a surrogate pair is no Unicode, so it may not leave the guest.
func TestSurrogates(t *testing.T) {
	text, err := load(t, probe, options{}).render("surrogates", nil)
	require.NoError(t, err)
	assert.Equal(t, "a�b 🚢 ��", text)
}

func TestStateOfAGuestWithoutState(t *testing.T) {
	g := load(t, probe, options{})
	for range 3 {
		text, err := g.render("counter", nil)
		require.NoError(t, err)
		assert.Equal(t, "1", text)
	}
	reset := g.Reset()
	assert.True(t, reset.Copied, "%v", reset.Reasons)
	assert.LessOrEqual(t, reset.MemoryBytes, 128<<10)
	assert.LessOrEqual(t, reset.ImageBytes, 32<<10)
	t.Logf("%d bytes of image, %d of memory", reset.ImageBytes, reset.MemoryBytes)
}
