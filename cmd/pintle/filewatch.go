package main

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
)

// A fileWatch tells which files in some folders changed. Changes that follow each other closely are told
// together: programs write a file in several steps, and several files at once.
type fileWatch struct {
	// Bursts has the paths of files that changed, sorted. While nobody receives they add up.
	bursts chan []string

	watcher *fsnotify.Watcher
	wanted  func(path string) bool // which files count
	enters  func(dir string) bool  // which folders below a watched one are watched too; nil: none
	done    chan struct{}
}

// settleTime is how long nothing has to happen before a burst is over.
const settleTime = 100 * time.Millisecond

// watchFiles begins to watch. The caller adds folders and closes the watch.
func watchFiles(wanted, enters func(path string) bool) (*fileWatch, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, watchError(err)
	}
	f := &fileWatch{bursts: make(chan []string), watcher: w, wanted: wanted, enters: enters, done: make(chan struct{})}
	go f.run()
	return f, nil
}

// watchError says what to do about the bounds of an operating system.
func watchError(err error) error {
	return &hintedError{fmt.Errorf("files cannot be watched: %w", err),
		"the system bounds how much is watched: on Linux see the settings fs.inotify.max_user_watches and max_user_instances"}
}

// add watches a folder, and those below it that the watch enters. It returns the wanted files that are
// there.
func (f *fileWatch) add(dir string) (files []string, err error) {
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil && path == dir:
			return err
		case err != nil:
			return nil // gone again, or nobody may look into it
		case !e.IsDir():
			if f.wanted(path) {
				files = append(files, path)
			}
			return nil
		case path != dir && (f.enters == nil || !f.enters(path)):
			return fs.SkipDir
		}
		if err := f.watcher.Add(path); err != nil {
			if _, gone := os.Stat(path); gone != nil && path != dir {
				return fs.SkipDir
			}
			return watchError(err)
		}
		return nil
	})
	return files, err
}

// close ends the watch.
func (f *fileWatch) close() error {
	err := f.watcher.Close() // ends run
	<-f.done
	return err
}

func (f *fileWatch) run() {
	defer close(f.done)
	pending := map[string]bool{} // whether it was made in this burst
	settled := time.NewTimer(0)
	<-settled.C
	var bursts chan []string // nil while there is nothing to tell
	for {
		var burst []string
		if bursts != nil {
			burst = slices.Sorted(maps.Keys(pending))
		}
		select {
		case event, more := <-f.watcher.Events:
			if !more {
				return
			}
			for _, path := range f.changed(event) {
				if _, known := pending[path]; !known {
					pending[path] = event.Has(fsnotify.Create)
				}
				bursts = nil
				settled.Reset(settleTime)
			}
		case err, more := <-f.watcher.Errors:
			if !more {
				return
			}
			pending["some files ("+err.Error()+")"] = false // too much happened at once
			settled.Reset(settleTime)
		case <-settled.C:
			maps.DeleteFunc(pending, func(path string, made bool) bool { return made && !exists(path) }) // a passing one
			if len(pending) > 0 {
				bursts = f.bursts
			}
		case bursts <- burst:
			pending, bursts = map[string]bool{}, nil
		}
	}
}

// changed returns the wanted files that an event is about.
func (f *fileWatch) changed(event fsnotify.Event) []string {
	if event.Op == fsnotify.Chmod {
		return nil
	}
	if info, err := os.Stat(event.Name); err == nil && info.IsDir() {
		var files []string
		if event.Has(fsnotify.Create) && f.enters != nil && f.enters(event.Name) {
			files, _ = f.add(event.Name) // one that cannot be watched is as good as empty
		}
		return files
	}
	if !f.wanted(event.Name) {
		return nil
	}
	return []string{event.Name}
}

// next waits for a burst. It returns nil when the context ends.
func (f *fileWatch) next(ctx context.Context) []string {
	select {
	case burst := <-f.bursts:
		return burst
	case <-ctx.Done():
		return nil
	}
}
