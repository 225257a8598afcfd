package guestbuild_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/runtime"
)

// A guest in Go that uses what can be granted, through the SDK and the standard library.
const capableSource = `package main

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"strconv"
	"time"

	pintle "github.com/pintle-wasm/pintle/guests/sdk/go"
	"github.com/pintle-wasm/pintle/guests/sdk/go/message"
)

func init() {
	message.Handle("c", func(c *message.Context) (string, error) {
		switch c.Prompt {
		case "time":
			return time.Now().UTC().Format(time.RFC3339), nil
		case "random":
			b := make([]byte, 16)
			rand.Read(b)
			return hex.EncodeToString(b), nil
		case "forget":
			return "forgotten", pintle.KVDelete("n")
		case "large":
			if err := pintle.KVSet("n", make([]byte, 16<<10+1)); !errors.Is(err, pintle.ErrNoRoom) {
				return "", errors.New("no refusal")
			}
			value := make([]byte, 16<<10)
			value[len(value)-1] = 7
			if err := pintle.KVSet("large", value); err != nil {
				return "", err
			}
			again, ok := pintle.KVGet("large")
			return strconv.FormatBool(ok && string(again) == string(value)), nil
		}
		value, _ := pintle.KVGet("n")
		n, _ := strconv.Atoi(string(value))
		text := strconv.Itoa(n + 1)
		if err := pintle.KVSet("n", []byte(text)); err != nil {
			return err.Error(), nil
		}
		if c.Prompt == "count and fail" {
			return "", errors.New("counted in vain")
		}
		return text, nil
	})
}

func main() {}
`

const capableManifest = `id = "go"
version = "1"
[[contributions]]
id = "c"
needs = ["prompt"]
[[capabilities]]
name = "kv"
reason = "counts"
[[capabilities]]
name = "clock"
reason = "tells the time"
[[capabilities]]
name = "random"
reason = "draws numbers"
[limits]
memory = "24MiB"
`

func TestGoGuestWithCapabilities(t *testing.T) {
	r := runtime.New(enginetest.New(), runtime.Options{Limits: runtime.Limits{Time: time.Minute}})
	defer func() { require.NoError(t, r.Close(context.Background())) }()
	file := buildGoGuest(t, capableSource, capableManifest)
	load := func(source string, grants ...string) func(prompt string) string {
		g, err := r.Load(t.Context(), "go.wasm", file, runtime.GuestOptions{Source: source, Grants: grants})
		require.NoError(t, err)
		return func(prompt string) string {
			request, err := abi.Encode(map[string]any{"id": "c", "prompt": prompt})
			require.NoError(t, err)
			value, err := g.Call(t.Context(), runtime.Call{Op: abi.RenderV1, Session: "s", Request: request})
			if err != nil {
				return err.Error()
			}
			text, err := abi.Text(value)
			require.NoError(t, err)
			return text
		}
	}

	without := load("/without")
	assert.Equal(t, "kv is not granted", without("count"))
	assert.Contains(t, without("forget"), "kv is not granted")
	assert.True(t, strings.HasPrefix(without("time"), "2020-01-01T00:00:0"), without("time"))
	assert.Equal(t, without("random"), without("random"))

	with := load("/with", runtime.Grantable()...)
	assert.Equal(t, "1", with("count"))
	assert.Equal(t, "2", with("count"))
	assert.Contains(t, with("count and fail"), "counted in vain")
	assert.Equal(t, "3", with("count"))
	assert.Equal(t, "true", with("large"))
	assert.Equal(t, "forgotten", with("forget"))
	assert.Equal(t, "1", with("count"))
	now, err := time.Parse(time.RFC3339, with("time"))
	require.NoError(t, err)
	assert.WithinDuration(t, time.Now(), now, time.Hour)
	assert.NotEqual(t, with("random"), with("random"))
}
