// Package templates has what `pintle new` writes: a folder for each language and kind of guest. {{name}} in
// a file stands for the guest's name.
package templates

import (
	"embed"
	"io/fs"
	"path"
)

//go:embed all:*/*
var files embed.FS

// Kinds are the kinds of guests that there are templates of.
func Kinds() []string { return []string{"contribution", "adapter"} }

// Languages are the languages that have a template of a kind, in alphabetical order.
func Languages(kind string) []string {
	all, err := files.ReadDir(".")
	if err != nil { // it is embedded
		panic(err)
	}
	var names []string
	for _, e := range all {
		if info, err := fs.Stat(files, path.Join(e.Name(), kind)); err == nil && info.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

// Of returns the files of a template. The error is fs.ErrNotExist if there is none.
func Of(language, kind string) (fs.FS, error) {
	dir := path.Join(language, kind)
	if _, err := fs.Stat(files, dir); err != nil {
		return nil, err
	}
	return fs.Sub(files, dir)
}
