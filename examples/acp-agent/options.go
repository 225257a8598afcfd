package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/pintle-wasm/pintle/host/message"
)

// The environment variables that stand in for flags of the same meaning: a runner of the conformance kit
// sets them.
const (
	envScript   = "PINTLE_ACP_SCRIPT"
	envSessions = "PINTLE_ACP_SESSIONS"
)

// options are what the command line says.
type options struct {
	route message.Route
	// api is the protocol of the route's provider, "" if a script stands in for it.
	api              string
	sessions, guests string
	live, load       bool
	script           *script
	log              *slog.Logger
}

// errShown says that the command line is wrong, and that this has been said.
var errShown = errors.New("see above")

// parse reads the command line. Help goes to stderr: stdout belongs to the protocol.
func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	var file string
	flags := flag.NewFlagSet("acp-agent", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.route.Provider, "provider", "", "whose models to use: openai or anthropic; the key is in OPENAI_API_KEY or ANTHROPIC_API_KEY")
	flags.StringVar(&o.route.Model, "model", "", "the model's name at the provider")
	flags.StringVar(&o.sessions, "sessions", os.Getenv(envSessions), "folder that keeps the sessions (env "+envSessions+"; default ~/.pintle/acp/sessions)")
	flags.StringVar(&o.guests, "guests", "", "folder with guests, *.wasm (default ~/.pintle/acp/guests, if it is there)")
	flags.BoolVar(&o.live, "live", false, "show answers while they come in, and tool calls")
	flags.BoolVar(&o.load, "load", false, "let the editor take up sessions again (session/load)")
	flags.StringVar(&file, "script", os.Getenv(envScript), "file with recorded answers, in the place of a provider (env "+envScript+")")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return o, err
	} else if err != nil {
		return o, errShown
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unknown argument %q", flags.Arg(0))
	}
	if file != "" {
		var err error
		if o.script, err = readScript(file); err != nil {
			return o, err
		}
		o.route = message.Route{Provider: "script", Model: "recorded"}
		if o.script.Route != nil {
			o.route = *o.script.Route
		}
	}
	if o.route.Provider == "" || o.route.Model == "" {
		return o, errors.New("give a --provider and a --model, or a --script")
	}
	// OpenAI's SDK would send requests without a key.
	if o.script == nil && o.route.Provider == "openai" && os.Getenv("OPENAI_API_KEY") == "" && os.Getenv("OPENAI_BASE_URL") == "" {
		return o, errors.New("the key of OpenAI is missing: set OPENAI_API_KEY")
	}
	return o, o.places()
}

// places fills in the folders that were not given.
func (o *options) places() error {
	if o.sessions != "" && o.guests != "" {
		return nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return fmt.Errorf("give --sessions and --guests: %w", err)
	}
	base := filepath.Join(home, ".pintle", "acp")
	if o.sessions == "" {
		o.sessions = filepath.Join(base, "sessions")
	}
	if o.guests == "" {
		if guests := filepath.Join(base, "guests"); isFolder(guests) {
			o.guests = guests
		}
	}
	return nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
