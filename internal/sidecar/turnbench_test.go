package sidecar

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/internal/jsonrpc"
	"github.com/pintle-wasm/pintle/registry"
)

// BenchmarkTurnStart is a turn with 20 contributions of the client's process over a connection, against the
// same turn without one: as texts, which need no callback, and as callbacks.
func BenchmarkTurnStart(b *testing.B) {
	service := &envelope.Service{Registry: &registry.Registry{}, Environment: envelope.Environment{Zone: "UTC"}}
	for i := range 20 {
		_, err := service.Registry.Register(registry.Contribution{ID: fmt.Sprint("c", i), Render: registry.Text("Be brief.")})
		require.NoError(b, err)
	}
	direct := func() {
		got := service.BeforeTurn(b.Context(), envelope.Turn{Request: envelope.Request{SessionID: "s", CWD: "/w"}})
		require.NoError(b, got.Err)
	}
	for _, kind := range []string{"texts", "callbacks"} {
		b.Run(kind, func(b *testing.B) {
			fromClient, clientOut := io.Pipe()
			clientIn, serverOut := io.Pipe()
			quiet := slog.New(slog.DiscardHandler)
			ctx, stop := context.WithCancel(context.Background())
			served := make(chan error, 2)
			go func() { served <- Serve(ctx, fromClient, serverOut, patient(Options{})) }()
			handlers := rendering(func(int64) any { return object{"text": "Be brief."} })
			client := jsonrpc.NewConn(clientIn, clientOut, jsonrpc.DefaultLimits(), func(req *jsonrpc.Request) (jsonrpc.Handler, string, error) {
				return handlers[req.Method], "", nil
			}, quiet)
			go func() { served <- client.Serve(ctx) }()
			defer func() { stop(); <-served; <-served }()
			require.NoError(b, client.Call(ctx, "initialize", object{"protocol": []int{1}, "client": object{"name": "bench", "version": "1"},
				"agentDir": b.TempDir(), "capabilities": object{"render": true}, "config": object{"adapters": false}}, nil))
			list := []any{}
			for i := range 20 {
				c := object{"handle": i + 1, "id": fmt.Sprint("c", i)}
				if kind == "texts" {
					c["content"] = "Be brief."
				}
				list = append(list, c)
			}
			params := object{"request": object{"sessionId": "s", "cwd": "/w"}, "contributions": list}
			var floor time.Duration
			for b.Loop() {
				b.StopTimer()
				start := time.Now()
				direct()
				floor += time.Since(start)
				b.StartTimer()
				if err := client.Call(ctx, "turn/start", params, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed())/float64(floor), "x-direct")
		})
	}
}
