package host

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/pintle-wasm/pintle/internal/digest"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

// FollowOptions configure how a file is followed. The zero value is usable.
type FollowOptions struct {
	// Guest holds the options of every build. If it names no source that is the file's absolute path.
	Guest runtime.GuestOptions
	// Every is the time between two looks at the file; 0: half a second. A build is loaded when two looks in a
	// row have found the same file, so that one that is still being written is not.
	Every time.Duration
	// Changed, if set, is called with a nil error when another build is in use, and with the reason when one
	// cannot be used and the build before stays. Calls come one after the other, on a goroutine of the host's
	// own. Changed may remove the guest, but it must not call Close of the Followed or of the host, which wait
	// for it.
	Changed func(g *registry.Guest, err error)
}

// A Followed is a guest whose file is followed. Its methods are safe for concurrent use.
type Followed struct {
	host  *Host
	guest *registry.Guest
	path  string
	opts  FollowOptions

	stop context.CancelFunc
	done chan struct{}

	seen   os.FileInfo // in the look before; nil: there was no file
	judged os.FileInfo // of what was read last
	digest [sha256.Size]byte
	failed bool // what was read last is not in use
	gone   bool // that there is no file was told

	// youth is how long a file could change again within the same modification time.
	youth time.Duration
}

// Follow loads a guest's file like LoadFile, and from then on puts every other build that the file comes to
// hold in the guest's place. Turns that are running end with the build that they began with. A build that
// cannot be loaded, or that wants more than was granted, changes nothing: the one before stays in use, and
// so it does when the file goes away. The logger and Changed are told of each new build and of each failure.
//
// The context is for the first load. The file is followed until Close of what Follow returns, or of the
// host, or until the guest is removed.
func (h *Host) Follow(ctx context.Context, path string, opts FollowOptions) (*Followed, error) {
	path, err := filepath.Abs(path) // of this working directory, also later
	if err != nil {
		return nil, fmt.Errorf("follow guest: %w", err)
	}
	if opts.Guest.Source == "" {
		opts.Guest.Source = path
	}
	if opts.Every <= 0 {
		opts.Every = 500 * time.Millisecond
	}
	f := &Followed{host: h, path: path, opts: opts, done: make(chan struct{}), youth: 2 * time.Second}
	f.judged, err = os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("follow guest: %w", err)
	}
	f.seen = f.judged
	file, err := runtime.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("follow guest: %w", err)
	}
	f.digest = digest.Sum(file)
	if f.guest, err = h.Load(ctx, filepath.Base(path), file, opts.Guest); err != nil {
		return nil, err
	}
	var run context.Context
	run, f.stop = context.WithCancel(context.Background())
	if !h.following.add(f) {
		f.stop()
		return nil, errors.Join(fmt.Errorf("follow guest: %w", runtime.ErrClosed), f.guest.Remove(ctx))
	}
	go f.run(run)
	return f, nil
}

// Guest returns the guest's entry, which is the same for all builds. Removing the guest ends the following
// too, within [FollowOptions.Every].
func (f *Followed) Guest() *registry.Guest { return f.guest }

// Close ends the following and waits until a look at the file that has begun is over; the guest stays as it
// is. Closing twice is harmless.
func (f *Followed) Close() {
	f.stop()
	<-f.done
	f.host.following.remove(f)
}

func (f *Followed) run(ctx context.Context) {
	defer close(f.done)
	defer f.stop()
	tick := time.NewTicker(f.opts.Every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if f.guest.Runtime() == nil { // it was removed
				f.host.following.remove(f)
				return
			}
			f.look(ctx)
		}
	}
}

// look takes what the file holds, if that is new and nobody is writing it.
func (f *Followed) look(ctx context.Context) {
	info, err := os.Stat(f.path)
	before := f.seen
	f.seen = info
	if err == nil {
		f.gone = false
	}
	switch {
	case err != nil:
		f.seen = nil
		f.missing(before, err)
	case before == nil || !sameState(before, info):
		// Somebody may be writing it. The next look decides.
	case sameState(f.judged, info) && !f.recent(info):
	default:
		f.read(ctx, info)
	}
	// The builds before are closed here and not at once: the turns that hold them may take their time.
	drain, cancel := context.WithTimeout(ctx, f.opts.Every)
	defer cancel()
	_ = f.guest.Drain(drain)
}

// missing tells that there is no file, if there was none in the look before either: some programs take a
// file away before they write it anew.
func (f *Followed) missing(before os.FileInfo, err error) {
	if before != nil || f.gone {
		return
	}
	f.gone = true
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("the guest stays in use, its file is gone: %w", err)
	}
	f.tell(err)
}

// recent says that a file changed so lately that it could change again within the same modification time.
func (f *Followed) recent(info os.FileInfo) bool { return time.Since(info.ModTime()).Abs() < f.youth }

func sameState(a, b os.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// read loads a file that was the same in two looks, unless it is the build that was read before. One that
// failed gets another try if somebody touched it.
func (f *Followed) read(ctx context.Context, info os.FileInfo) {
	touched := !sameState(f.judged, info)
	f.judged = info
	file, err := runtime.ReadFile(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return // the next look says so
	}
	if err == nil {
		sum := digest.Sum(file)
		if sum == f.digest && !(f.failed && touched) {
			return
		}
		f.digest = sum
		err = f.swap(ctx, file)
	} else if !touched {
		return // it was told
	}
	if ctx.Err() != nil || f.guest.Runtime() == nil {
		return
	}
	f.failed = err != nil
	f.tell(err)
}

// swap puts a build in the place of the one in use.
func (f *Followed) swap(ctx context.Context, file []byte) error {
	g, err := f.host.runtime.Load(ctx, filepath.Base(f.path), file, f.opts.Guest)
	if err != nil {
		return err
	}
	f.host.warnConfig(g, f.opts.Guest.Config)
	return f.guest.Swap(ctx, g)
}

func (f *Followed) tell(err error) {
	log := f.host.logger.With(slog.String("file", f.path))
	if g := f.guest.Runtime(); g != nil {
		log = log.With(slog.String("guest", g.Name()))
	}
	if err != nil {
		log.Warn("the build before stays in use", slog.Any("error", err))
	} else {
		log.Info("another build is in use")
	}
	if f.opts.Changed != nil {
		f.opts.Changed(f.guest, err)
	}
}

// A followers is what a host follows.
type followers struct {
	mu     sync.Mutex
	all    map[*Followed]struct{}
	closed bool
}

// add answers false if the host is closed.
func (s *followers) add(f *Followed) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	if s.all == nil {
		s.all = map[*Followed]struct{}{}
	}
	s.all[f] = struct{}{}
	return true
}

func (s *followers) remove(f *Followed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, f)
}

// close ends all of them.
func (s *followers) close() {
	s.mu.Lock()
	s.closed = true
	var all []*Followed
	for f := range s.all {
		all = append(all, f)
	}
	s.mu.Unlock()
	for _, f := range all {
		f.Close()
	}
}
