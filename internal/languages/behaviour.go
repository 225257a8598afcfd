package languages

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pintle-wasm/pintle/internal/guesttest"
	"github.com/pintle-wasm/pintle/runtime"
)

// Behaviour is all that is observed of a guest: what its file says of itself, what it answers to the cases beside
// its source, and what the kit and the faults bring to light. dir is the folder of its source.
func Behaviour(ctx context.Context, r *runtime.Runtime, guest, dir, kit string, file []byte) ([]Observation, error) {
	seen, err := Surface(file)
	if err != nil {
		return nil, err
	}
	add := func(more []Observation, err error) error {
		seen = append(seen, more...)
		return err
	}
	text, err := os.ReadFile(filepath.Join(dir, "cases.json"))
	if err == nil {
		var suite *guesttest.Suite
		if suite, err = guesttest.Parse("cases.json", text); err != nil {
			return nil, err
		}
		err = add(Answers(ctx, r, file, suite))
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	switch guest {
	case Example:
		err = errors.Join(err, add(Templates(ctx, r, file, kit)), add(Codex(ctx, r, file, kit)))
	case Faults:
		faults, failed := Fail(ctx, r, file)
		for _, f := range faults {
			seen = append(seen, f.Observe())
		}
		err = errors.Join(err, failed)
	}
	return seen, err
}
