package guestbuild

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// LanguageOf names the language of a folder's sources as the command line does. The error says what there could
// be, or which files speak for which language.
func LanguageOf(dir string) (string, error) {
	l, err := languageOf(dir)
	if err != nil {
		return "", err
	}
	return l.name, nil
}

// A found language has a file that speaks for it.
type found struct {
	*language
	file string
}

func languageOf(dir string) (*language, error) {
	all := languagesOf(dir)
	switch len(all) {
	case 0:
		return nil, noLanguage(dir)
	case 1:
		return all[0].language, nil
	}
	// A file of another language, left in the folder of a project, does not change what the project is.
	projects := slices.DeleteFunc(slices.Clone(all), func(f found) bool { return first(dir, f.owns...) == "" })
	if len(projects) == 1 {
		return projects[0].language, nil
	}
	return nil, fmt.Errorf("%s makes %s a guest in %s, and %s one in %s: move what does not belong to it to another folder",
		all[0].file, dir, all[0].name, all[1].file, all[1].name)
}

// languagesOf finds the languages that have files in a folder, JavaScript only where TypeScript has none. AssemblyScript
// comes with a package.json, and any project may have one that names no code.
func languagesOf(dir string) (all []found) {
	for _, l := range languages {
		file := l.finds(dir)
		switch {
		case file == "":
		case l.script() && slices.ContainsFunc(all, func(f found) bool { return f.language == typescript || f.language == assemblyscript }):
		case l.script() && file == packageJSON && len(all) > 0:
		default:
			all = append(all, found{l, file})
		}
	}
	return all
}

func (l *language) script() bool { return l == typescript || l == javascript }

// leftOut lists the files that speak for another language than the one that a folder is built in: a script beside
// what a compiler takes, or the other way round. Compilers' languages mix by themselves.
func (l *language) leftOut(dir string) (files []string) {
	for _, f := range languagesOf(dir) {
		if f.language != l && f.script() != l.script() {
			files = append(files, f.file)
		}
	}
	return files
}

func noLanguage(dir string) error {
	if file := first(dir, "*.ts", "*.js", "src/*.ts", "src/*.js"); file != "" {
		return fmt.Errorf("a guest in TypeScript or JavaScript begins in index.ts, index.js, or one of them in src: rename %s, "+
			"or name it in package.json as \"source\"", filepath.Join(dir, file))
	}
	var names []string
	for _, l := range languages {
		names = append(names, l.name)
	}
	return fmt.Errorf("%s holds no source of a guest (%s); compile the module in its own language and pass it with --module",
		dir, strings.Join(names, ", "))
}

// has reports whether a folder has a file that matches one of the patterns.
func has(dir string, patterns ...string) bool { return first(dir, patterns...) != "" }

// first returns the first file of a folder that matches a pattern, of the first pattern that has any, "" if there is
// none. It is relative to the folder, with slashes.
func first(dir string, patterns ...string) string {
	files := os.DirFS(dir)
	for _, p := range patterns {
		if names, err := fs.Glob(files, p); err == nil && len(names) > 0 {
			return names[0]
		}
	}
	return ""
}
