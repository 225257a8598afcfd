package conformance

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"reflect"

	"github.com/pelletier/go-toml/v2"

	"github.com/pintle-wasm/pintle/envelope/settings"
)

// runSettings works on a file in a folder of its own.
func runSettings(_ context.Context, c *testCase) (any, error) {
	dir, err := os.MkdirTemp("", "pintle-conformance-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	store := settings.Store{Path: settings.Path(dir)}
	if content := c.input.Get("toml").ptr(); content != nil {
		if err := os.WriteFile(store.Path, []byte(*content), 0o600); err != nil {
			return nil, err
		}
	}
	// Without the settings host the file is not looked at.
	hosted := !c.input.Has("host") || c.input.Get("host").isTrue()
	var doc settings.Document
	var out fields
	if hosted {
		if doc, err = store.Load(); errors.Is(err, settings.ErrUnreadable) {
			out = append(out, "loadFails", true, "errorKind", "settings-unreadable")
		} else if err != nil {
			return nil, err
		}
	}
	entries, _ := doc.AuditEntries()
	out = append(out, "auditEntries", entries)
	if hosted && writes(c) {
		if set := c.input.Get("set"); set.present() {
			doc, err = store.Set(settings.AuditEntries, set.strs())
		} else {
			doc, err = store.Unset(settings.AuditEntries)
		}
		switch {
		case err == nil:
			entries, _ = doc.AuditEntries()
			out = append(out, "auditEntriesAfter", entries)
		case !errors.Is(err, settings.ErrUnreadable): // such a file is left alone
			return nil, err
		}
	}
	after, err := os.ReadFile(store.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return append(out, "fileAfter", nil), nil
	}
	return append(out, "fileAfter", string(after)), err
}

func writes(c *testCase) bool {
	return c.input.Get("set").present() || c.input.Get("unset").isTrue()
}

// bindSettings compares a rewritten file as TOML.
func bindSettings(c *testCase, expected, got Value) (Value, Value) {
	if !writes(c) {
		return expected, got
	}
	var want, have map[string]any
	if toml.Unmarshal([]byte(expected.Get("fileAfter").str("")), &want) != nil ||
		toml.Unmarshal([]byte(got.Get("fileAfter").str("")), &have) != nil {
		return expected, got
	}
	if len(want) == 0 && len(have) == 0 || reflect.DeepEqual(want, have) {
		drop := func(key string, _ Value) bool { return key == "fileAfter" }
		return expected.without(drop), got.without(drop)
	}
	return expected, got
}
