package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Events come from the test here and the clock is its own, so that what belongs together does not depend on the
// machine.
func TestBursts(t *testing.T) {
	kept := filepath.Join(t.TempDir(), "kept")
	require.NoError(t, os.WriteFile(kept, nil, 0o600))
	synctest.Test(t, func(t *testing.T) {
		w := &fsnotify.Watcher{Events: make(chan fsnotify.Event), Errors: make(chan error)}
		f := &fileWatch{bursts: make(chan []string), watcher: w, wanted: func(path string) bool { return path != "object.o" },
			done: make(chan struct{})}
		go f.run()
		happens := func(op fsnotify.Op, path string) { w.Events <- fsnotify.Event{Name: path, Op: op} }
		const nearly = settleTime - 1

		begun := time.Now()
		happens(fsnotify.Write, "b")
		time.Sleep(nearly)
		happens(fsnotify.Write, "a")
		happens(fsnotify.Write, "b")
		assert.Equal(t, []string{"a", "b"}, f.next(t.Context()), "told together")
		assert.Equal(t, nearly+settleTime, time.Since(begun), "when nothing more has come")

		happens(fsnotify.Write, "a")
		time.Sleep(2 * settleTime)
		happens(fsnotify.Write, "b")
		assert.Equal(t, []string{"a", "b"}, f.next(t.Context()), "they add up while nobody asks")
		happens(fsnotify.Write, "b")
		assert.Equal(t, []string{"b"}, f.next(t.Context()), "and are told once")

		happens(fsnotify.Create, "passing")
		happens(fsnotify.Create, kept)
		happens(fsnotify.Remove, "gone")
		happens(fsnotify.Write, "object.o")
		happens(fsnotify.Chmod, "mode")
		assert.Equal(t, []string{kept, "gone"}, f.next(t.Context()), "not what came and went, nor what nobody wants")
		happens(fsnotify.Create, "passing")
		happens(fsnotify.Write, "object.o")
		synctest.Wait()
		time.Sleep(2 * settleTime)
		select {
		case burst := <-f.bursts:
			assert.Fail(t, "there is nothing to tell", burst)
		default:
		}

		w.Errors <- errors.New("too many")
		assert.Equal(t, []string{"some files (too many)"}, f.next(t.Context()))
		close(w.Events)
		<-f.done
	})
}
