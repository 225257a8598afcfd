package stream

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pintle-wasm/pintle/internal/newfile"
)

// FilesIn keeps generated files in a folder, for [Config.Files]: each one under its SHA-256 and an
// extension that goes with its media type. The folder is made when the first file comes. A file is there
// whole or not at all, and one that is there already is not written again. The function is safe for
// concurrent use.
func FilesIn(folder string) func(mediaType string, data []byte) (path string, err error) {
	return func(mediaType string, data []byte) (string, error) {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return "", fmt.Errorf("generated file: %w", err)
		}
		sum := sha256.Sum256(data)
		path := filepath.Join(folder, hex.EncodeToString(sum[:])+"."+extension(mediaType))
		err := newfile.Write(path, 0o600, func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		})
		if errors.Is(err, fs.ErrExist) {
			err = same(path, data)
		}
		if err != nil {
			return "", fmt.Errorf("generated file: %w", err)
		}
		return path, nil
	}
}

// same says why what is in a file's place is not that file.
func same(path string, data []byte) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if info.Mode().IsRegular() && info.Size() == int64(len(data)) {
		if there, err := os.ReadFile(path); err == nil && bytes.Equal(there, data) {
			return nil
		}
	}
	return fmt.Errorf("%s is there and is something else: remove it", path)
}

// extension is that of a media type's files, "bin" for one that says nothing about them.
func extension(mediaType string) string {
	kind, _, _ := strings.Cut(mediaType, ";")
	kind = strings.ToLower(strings.Trim(kind, " \t"))
	switch kind {
	case "text/plain":
		return "txt"
	case "text/markdown":
		return "md"
	case "text/javascript", "application/javascript":
		return "js"
	case "image/jpeg":
		return "jpg"
	case "image/svg+xml":
		return "svg"
	case "image/vnd.microsoft.icon", "image/x-icon":
		return "ico"
	case "audio/mpeg":
		return "mp3"
	case "audio/mp4":
		return "m4a"
	case "audio/x-wav", "audio/wave":
		return "wav"
	case "video/quicktime":
		return "mov"
	case "application/gzip", "application/x-gzip":
		return "gz"
	case "application/msword":
		return "doc"
	case "application/vnd.openxmlformats-officedocument.wordprocessingml.document":
		return "docx"
	case "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":
		return "xlsx"
	case "application/vnd.openxmlformats-officedocument.presentationml.presentation":
		return "pptx"
	}
	_, name, _ := strings.Cut(kind, "/")
	if len(name) < 2 || len(name) > 5 {
		return "bin"
	}
	for _, c := range name {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return "bin"
		}
	}
	return name
}
