package main

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/runtime"
)

// What commands write at the same time is all there in the end.
func TestGrantsAreNotLost(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pintle", "grants.json")
	// Each waits for its file to be on the disk, and whoever has the worst luck for all others.
	file := func() *grantsFile { return &grantsFile{path, 5 * time.Minute} }
	put := func(source string) error {
		return file().Put(runtime.Grant{Source: source, ID: "g", Version: "1",
			Manifest: &abi.Manifest{Transport: abi.Transport, ID: "g", Version: "1",
				Contributions: []abi.Contribution{{Interface: abi.DeveloperMessagesV1, ID: "c"}}}})
	}
	const commands = 24
	require.NoError(t, put("revoked"))
	var wait sync.WaitGroup
	for i := range commands {
		wait.Go(func() { assert.NoError(t, put(fmt.Sprint("source ", i))) })
	}
	wait.Go(func() {
		_, err := file().remove([]string{"revoked"})
		assert.NoError(t, err)
	})
	wait.Wait()
	records, err := file().all()
	require.NoError(t, err)
	assert.Len(t, records, commands)
	for _, r := range records {
		assert.NotEqual(t, "revoked", r.Source, "a change that began before undid it")
	}
}
