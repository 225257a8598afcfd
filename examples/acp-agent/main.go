// Command acp-agent is a small agent for editors that speak the Agent Client Protocol. It keeps its sessions
// in a folder, and guests have their say in what the model is told.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/coder/acp-go-sdk"

	"github.com/pintle-wasm/pintle/guests/stock"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/host/turn"
	"github.com/pintle-wasm/pintle/runtime"
	"github.com/pintle-wasm/pintle/runtime/wazero"
)

const version = "0.1.0"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends us at once
	// An editor that dies closes our output too: what is written then fails, and the end of the input ends us.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run serves one editor until its input ends or ctx is done, and returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	opts, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errShown):
		return 2
	case err != nil:
		fmt.Fprintln(stderr, "acp-agent:", err)
		return 2
	}
	opts.log = slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	if err := serve(ctx, opts, stdin, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "acp-agent:", err)
		return 1
	}
	return 0
}

func serve(ctx context.Context, opts options, stdin io.Reader, stdout, stderr io.Writer) error {
	// What is being done goes to its end, whatever ends the process.
	work := context.WithoutCancel(ctx)
	a, err := open(work, opts, stderr)
	if err == nil {
		a.serve(ctx, stdin, stdout)
	}
	return errors.Join(err, a.close(work))
}

// open makes an agent ready. It is to be closed, also after an error.
func open(ctx context.Context, opts options, stderr io.Writer) (*agent, error) {
	a := &agent{
		options: opts, host: openHost(opts.log), store: session.NewDir(opts.sessions), router: &turn.Router{},
		conversations: map[acp.SessionId]*conversation{},
	}
	if err := a.model(stderr); err != nil {
		return a, err
	}
	return a, a.loadGuests(ctx)
}

// serve answers an editor until its input ends or ctx is done, and then ends what runs.
func (a *agent) serve(ctx context.Context, stdin io.Reader, stdout io.Writer) {
	gate := newGate(stdin, stdout, a.log, a.dispose)
	a.admit = gate.admit
	conn := acp.NewAgentSideConnection(a, gate, gate)
	conn.SetLogger(a.log)
	a.update = conn.SessionUpdate
	gate.admit()
	select {
	case <-conn.Done():
	case <-ctx.Done():
	}
	gate.end()
}

func openHost(log *slog.Logger) *host.Host {
	cache, err := wazero.DefaultCacheDir()
	if err != nil {
		log.Warn("compiled guests are not kept", "error", err)
	}
	return host.Open(host.Options{CacheDir: cache, Logger: log})
}

// loadGuests loads what puts developer messages into requests, and what makes them.
func (a *agent) loadGuests(ctx context.Context) error {
	if a.script == nil {
		adapters, err := stock.Adapters()
		if err != nil {
			return err
		}
		if _, err := a.host.Load(ctx, stock.AdaptersName, adapters, runtime.GuestOptions{}); err != nil {
			return err
		}
	}
	if a.guests == "" {
		return nil
	}
	changes, err := a.host.Folder(a.guests, nil).Sync(ctx)
	if err != nil {
		return fmt.Errorf("guests: %w", err)
	}
	for name, err := range changes.Failed {
		a.log.Warn("a guest is left out", "file", name, "error", err)
	}
	return nil
}
