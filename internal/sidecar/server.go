package sidecar

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/internal/jsonrpc"
	"github.com/pintle-wasm/pintle/runtime"
)

// ErrNoShutdown is returned by [Serve] when the client said exit without shutdown before it.
var ErrNoShutdown = errors.New("the client ended the connection without shutdown")

// Options are what the process that serves decides. All may be zero.
type Options struct {
	Version    string // of the program
	ConfigFile string // read instead of the one in the client's agent directory
	Engine     runtime.Engine
	CacheDir   string // of compiled guests; empty: no cache
	Grants     runtime.Grants
	Limits     runtime.Limits // of every guest
	Logger     *slog.Logger   // nil: nowhere
	// Environment is where facts come from that the client does not tell. Zero looks at this process.
	Environment envelope.Environment
	// RenderPatience is how long a client may take to render; 0: 5 s. That is long: a busy machine must not cost
	// contributions, and a client that hangs has a limit of its own.
	RenderPatience time.Duration
	// Flush is how long the end of the connection waits for a client that does not read; 0: 1 s.
	Flush time.Duration
}

// A Server is one connection and all that belongs to it.
type Server struct {
	options Options
	conn    *jsonrpc.Conn
	log     *slog.Logger
	logTo   atomic.Pointer[jsonrpc.Conn] // set if the client wants the log

	mu      sync.Mutex
	state   state
	process *process // from the handshake on; handlers other than initialize find it set
	streams streams
}

// Serve serves one client, from the handshake to the end of the connection. It returns nil after shutdown and
// exit, at the end of in, and when the context ends; an error when in is no stream of messages, out cannot
// be written, or for [ErrNoShutdown]. All that was going on has ended by then, and in and out are closed.
func Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser, o Options) error {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.RenderPatience = cmp.Or(o.RenderPatience, 5*time.Second)
	limits := jsonrpc.DefaultLimits()
	limits.Flush = cmp.Or(o.Flush, limits.Flush)
	s := &Server{}
	o.Logger = slog.New(&clientLog{next: o.Logger.Handler(), to: &s.logTo})
	s.options, s.log = o, o.Logger
	s.conn = jsonrpc.NewConn(in, out, limits, s.route, o.Logger)
	err := s.conn.Serve(ctx)
	s.streams.close()
	if s.process != nil {
		err = errors.Join(err, s.process.close(context.WithoutCancel(ctx)))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == exited {
		err = errors.Join(ErrNoShutdown, err)
	}
	return err
}

// CheckSettings says what is wrong with a file of settings. The handshake would tell it as a problem only.
func CheckSettings(path string) error {
	_, err := readSettings(path)
	return err
}
