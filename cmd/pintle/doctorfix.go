package main

import (
	"errors"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/host/doctor"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/internal/newfile"
)

// A repairReport is what was done to a file, as data.
type repairReport struct {
	// Copy is the repaired log, Original the file as it was.
	Copy     string `json:"copy"`
	Original string `json:"original"`
	doctor.Repaired
}

// repairLog makes a repaired copy of a log, and lets it take the file's name if asked to.
func repairLog(cmd *cobra.Command, path string, inPlace bool, o doctor.Options) (*repairReport, error) {
	ctx := cmd.Context()
	copied := besides(path, ".repaired")
	if !inPlace {
		repaired, err := doctor.Repair(ctx, path, copied, o)
		if err != nil {
			return nil, notOverwritten(err)
		}
		return &repairReport{copied, path, *repaired}, nil
	}
	backup := path + ".bak"
	if err := newfile.Free(backup); err != nil {
		return nil, notOverwritten(err)
	}
	lock, err := session.LockFile(path)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	var repaired *doctor.Repaired
	err = replaceLog(path, backup, func(copied string) error {
		if repaired, err = doctor.Repair(ctx, path, copied, o); err != nil {
			return err
		}
		return ctx.Err() // the last moment at which nothing has happened yet
	})
	if err != nil {
		return nil, notOverwritten(err)
	}
	return &repairReport{path, backup, *repaired}, nil
}

// replaceLog gives a log's name to a file that write makes under a temporary one, and keeps the log as
// backup. A log that is written to meanwhile is not replaced: not every program knows its lock.
func replaceLog(path, backup string, write func(copied string) error) error {
	was, err := os.Lstat(path)
	if err != nil {
		return err
	}
	// The name that the copy will take promises an encoding.
	copied := newfile.Temporary(path) + packedSuffix(path)
	if err = write(copied); err == nil {
		err = newfile.Exchange(copied, path, backup, was)
	}
	if err == nil {
		return nil
	}
	if in := (*fs.PathError)(nil); errors.As(err, &in) && in.Path == copied {
		in.Path = path
	}
	if gone := os.Remove(copied); !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}

func notOverwritten(err error) error {
	if errors.Is(err, fs.ErrExist) {
		return &usageError{err: err, hint: "it may be of an earlier repair: look at it, and move it away"}
	}
	return err
}

func printRepair(p *printer, r *repairReport) {
	p.printf("  %s %s; %s is as it was\n", p.paint(green, "repaired in"), oneLine(r.Copy, 300), oneLine(r.Original, 300))
	for _, line := range r.Done {
		p.printf("    + %s\n", oneLine(line, 300))
	}
	for i := range r.Left {
		p.printf("    %s %s\n", p.paint(red, "not cured: "+string(r.Left[i].Code)), oneLine(safeText(r.Left[i].Detail), 300))
	}
}
