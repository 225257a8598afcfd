// Package guestlist reads the lists of guests in files of turns and of settings.
package guestlist

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// A Ref names a guest's file, or a folder of them, and its configuration.
type Ref struct {
	File   string
	Config map[string]string
}

// UnmarshalJSON accepts a path, or {file, config}. Values of the configuration are texts; numbers,
// truth values and structures are handed over as their JSON, null counts as absent.
func (r *Ref) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		if err := json.Unmarshal(data, &r.File); err != nil {
			return err
		}
		return r.check()
	}
	var full struct {
		File   string                     `json:"file"`
		Config map[string]json.RawMessage `json:"config"`
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&full); err != nil {
		return shapeError(err)
	}
	r.File, r.Config = full.File, Texts(full.Config)
	return r.check()
}

// check keeps an empty path from meaning the folder that paths are relative to.
func (r *Ref) check() error {
	if r.File == "" {
		return errors.New("a guest needs the path of its file")
	}
	return nil
}

// shapeError says what a guest is instead of what Go calls it.
func shapeError(err error) error {
	const want = "a guest is a path or {file, config}"
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		return fmt.Errorf("%s: found %s", want, wrong.Value)
	}
	return fmt.Errorf("%s: %w", want, err)
}

// Texts makes a guest's configuration of values.
func Texts(raw map[string]json.RawMessage) map[string]string {
	config := map[string]string{}
	for key, value := range raw {
		if string(value) == "null" {
			continue
		}
		var s string
		if json.Unmarshal(value, &s) != nil {
			s = string(value)
		}
		config[key] = s
	}
	return config
}

// Files returns the guests that a path stands for: itself, or if it is a folder the files in it that end
// in .wasm, in alphabetical order.
func Files(path string) (files []string, folder bool, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, false, fmt.Errorf("guests: %w", err)
	}
	if !info.IsDir() {
		return []string{path}, false, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, true, err
	}
	for _, e := range entries {
		if !e.IsDir() && filepath.Ext(e.Name()) == ".wasm" {
			files = append(files, filepath.Join(path, e.Name()))
		}
	}
	return files, true, nil
}
