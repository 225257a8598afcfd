//go:build unix

// Command latency measures what the sidecar adds to a turn of a real Pi: the same turns without the
// extension, with it and nothing to say, and with twenty contributions in guests or in Pi's own process, one
// of each kind after the other, against a mock on loopback that answers at once. make bench-pi runs it.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/pintle-wasm/pintle/internal/e2e/mock"
)

const (
	version       = "1.6.0"
	contributions = 20
	perSession    = 10 // turns
	warmUp        = perSession
)

func main() {
	turns := flag.Int("turns", 200, "turns of each kind")
	command := flag.String("pintle", "build/pintle", "the command that the sidecars are")
	flag.Parse()
	if err := run(*command, *turns); err != nil {
		fmt.Fprintln(os.Stderr, "latency:", err)
		os.Exit(1)
	}
}

func run(command string, turns int) error {
	command, err := filepath.Abs(command)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "pintle-latency-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	var arrived atomic.Int64 // developer messages in the last request
	server := mock.Start(func(r mock.Request) mock.Answer {
		arrived.Store(int64(bytes.Count(r.Body, []byte("<pi_developer_prompt_message id="))))
		return mock.Answer{Text: "Quay B."}
	})
	defer server.Close()

	kinds := kinds()
	for i := range kinds {
		k := &kinds[i]
		if err := k.start(filepath.Join(folder, fmt.Sprint(i)), command, server); err != nil {
			return err
		}
		defer k.process.Close()
	}
	for turn := range warmUp + turns {
		prompt := fmt.Sprintf("%d: %s", turn, strings.Repeat("Which quay does it leave from? ", 32))
		for i := range kinds {
			k := &kinds[(i+turn)%len(kinds)] // each is first as often as the others
			took, err := k.turn(prompt)
			if err != nil {
				return fmt.Errorf("%s: %w", k.name, err)
			}
			if got := int(arrived.Load()); got != k.messages {
				return fmt.Errorf("%s: a request with %d developer messages instead of %d", k.name, got, k.messages)
			}
			if turn >= warmUp {
				k.times = append(k.times, took)
			}
		}
	}
	fmt.Print(table(kinds))
	return nil
}
