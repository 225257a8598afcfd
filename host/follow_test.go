package host_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

// A followedFile is a guest's file that is followed, and what the host tells of it.
type followedFile struct {
	path string
	*host.Followed
	changes chan error
}

func follow(t testing.TB, h *host.Host, first []byte, opts runtime.GuestOptions) *followedFile {
	t.Helper()
	f := &followedFile{path: filepath.Join(t.TempDir(), "g.wasm"), changes: make(chan error, 1000)}
	f.replace(t, first)
	var err error
	f.Followed, err = h.Follow(t.Context(), f.path, host.FollowOptions{Guest: opts, Every: time.Millisecond,
		Changed: func(g *registry.Guest, err error) {
			assert.NotNil(t, g.Runtime())
			f.changes <- err
		}})
	require.NoError(t, err)
	return f
}

// replace puts another file in the place of the one that is there.
func (f *followedFile) replace(t testing.TB, file []byte) {
	t.Helper()
	next := f.path + ".next"
	require.NoError(t, os.WriteFile(next, file, 0o600))
	require.NoError(t, os.Rename(next, f.path))
}

// change waits for what the host tells next.
func (f *followedFile) change(t testing.TB) error {
	t.Helper()
	select {
	case err := <-f.changes:
		return err
	case <-time.After(time.Minute):
		require.Fail(t, "the host noticed nothing")
		return nil
	}
}

// twins is a guest with two contributions that say the same.
func twins(text string) []byte {
	m := wasmtest.Manifest()
	m.Contributions = append(m.Contributions, abi.Contribution{Interface: abi.DeveloperMessagesV1, ID: "b"})
	answer := wasmtest.Text(text)
	return wasmtest.Guest(wasmtest.Module{Data: []wasmtest.Data{{Offset: 16, Bytes: answer}}}, m, wasmtest.Answer(16, uint32(len(answer))))
}

// The next turn has what the file holds, and a turn never sees half of a guest.
func TestFollowUnderTurns(t *testing.T) {
	h := newHost(t, host.Options{})
	f := follow(t, h, twins("build 0"), runtime.GuestOptions{})
	stop := make(chan struct{})
	var turns sync.WaitGroup
	for _, session := range []string{"s", "t", ""} { // the last one remembers nothing
		turns.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				e, err := h.Session(session).Capture(context.Background(), envelope.Request{CWD: "/srv"})
				if !assert.NoError(t, err) {
					return
				}
				said := texts(e)
				if !assert.Len(t, said, 2, "%+v", e.Report) || !assert.Equal(t, strings.TrimPrefix(said[0], "a: "), strings.TrimPrefix(said[1], "b: ")) {
					return
				}
			}
		})
	}
	const builds = 200
	for i := range builds {
		text := fmt.Sprintf("build %d", i+1)
		f.replace(t, twins(text))
		require.NoError(t, f.change(t))
		e, err := h.Session("next").Capture(t.Context(), envelope.Request{CWD: "/srv"})
		require.NoError(t, err)
		require.Equal(t, []string{"a: " + text, "b: " + text}, texts(e))
	}
	close(stop)
	turns.Wait()
	assert.Empty(t, f.changes)
}

// A slowStore makes guests wait in the middle of a call.
type slowStore struct {
	began chan struct{}
	goOn  chan struct{}
}

func (s *slowStore) Load(ctx context.Context, _ runtime.StoreKey) (map[string][]byte, error) {
	s.began <- struct{}{}
	select {
	case <-s.goOn:
		return nil, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *slowStore) Save(context.Context, runtime.StoreKey, map[string][]byte) error { return nil }
func (s *slowStore) EndSession(context.Context, string) error                        { return nil }

// slow is a guest that reads its kv and then says something.
func slow(text string) []byte {
	m := wasmtest.Manifest()
	m.Capabilities = []abi.Capability{{Name: abi.CapabilityKV, Reason: "to be slow"}}
	m.Limits.Milliseconds = uint64(time.Minute.Milliseconds())
	answer := wasmtest.Text(text)
	get := wasmtest.Import{Module: abi.HostModule, Name: "kv_get", Type: wasmbin.FuncType{
		Params: slices.Repeat([]wasmbin.ValueType{wasmbin.I32}, 4), Results: []wasmbin.ValueType{wasmbin.I32}}}
	return wasmtest.Guest(wasmtest.Module{Imports: []wasmtest.Import{get}, Data: []wasmtest.Data{{Offset: 16, Bytes: answer}}}, m, wasmtest.Code(
		wasmtest.I32Const(0), wasmtest.I32Const(1), wasmtest.I32Const(512), wasmtest.I32Const(8), wasmtest.Call(0), wasmtest.Drop,
		wasmtest.Answer(16, uint32(len(answer)))))
}

// A turn that is in the middle of a guest ends with that guest, whatever happens to the file meanwhile.
func TestFollowWhileAGuestRuns(t *testing.T) {
	store := &slowStore{began: make(chan struct{}), goOn: make(chan struct{})}
	h := newHost(t, host.Options{Limits: runtime.Limits{Time: time.Minute}, Store: store})
	f := follow(t, h, slow("old"), runtime.GuestOptions{Grants: []string{abi.CapabilityKV}})
	old := f.Guest().Runtime()
	said := make(chan []string)
	go func() {
		e, err := h.Session("s").Capture(context.Background(), envelope.Request{CWD: "/srv"})
		assert.NoError(t, err)
		said <- texts(e)
	}()
	<-store.began
	for i := range 3 { // the old build waits, the following does not
		f.replace(t, guest("a", fmt.Sprintf("new %d", i), nil))
		require.NoError(t, f.change(t))
		e, err := h.Session("t").Capture(t.Context(), envelope.Request{CWD: "/srv"})
		require.NoError(t, err)
		assert.Equal(t, []string{fmt.Sprintf("a: new %d", i)}, texts(e))
	}
	close(store.goOn)
	assert.Equal(t, []string{"a: old"}, <-said)
	require.NoError(t, f.Guest().Drain(t.Context()))
	assert.False(t, old.Hold(), "the old build is closed")
}

// What cannot be used changes nothing, and is told once.
func TestFollowRefuses(t *testing.T) {
	var log bytes.Buffer
	h := newHost(t, host.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	f := follow(t, h, guest("a", "one", nil), runtime.GuestOptions{})
	now := func() []string {
		e, err := h.Session("s").Capture(t.Context(), envelope.Request{CWD: "/srv"})
		require.NoError(t, err)
		return texts(e)
	}
	refused := (*runtime.Error)(nil)

	half := guest("a", "two", nil)
	f.replace(t, half[:len(half)-5])
	require.ErrorAs(t, f.change(t), &refused)
	assert.Equal(t, runtime.KindRefused, refused.Kind)
	assert.Equal(t, []string{"a: one"}, now())

	more := wasmtest.Manifest()
	more.ID = "a"
	more.Contributions[0].Needs = []abi.ContextField{abi.FieldPrompt}
	f.replace(t, wasmtest.Guest(wasmtest.Module{}, more, wasmtest.Code(wasmtest.Unreachable)))
	require.ErrorAs(t, f.change(t), &refused)
	assert.Equal(t, runtime.KindDenied, refused.Kind)
	assert.Contains(t, refused.Reason, `contribution "a" sees prompt`)
	assert.Equal(t, []string{"a: one"}, now())

	require.NoError(t, os.Remove(f.path))
	require.ErrorIs(t, f.change(t), fs.ErrNotExist)
	assert.Equal(t, []string{"a: one"}, now())

	f.replace(t, guest("a", "three", nil))
	require.NoError(t, f.change(t))
	assert.Equal(t, []string{"a: three"}, now())

	// The same bytes again are no other build.
	f.replace(t, guest("a", "three", nil))
	require.NoError(t, os.Chtimes(f.path, time.Time{}, time.Now().Add(-time.Hour)))
	f.replace(t, guest("a", "four", nil))
	require.NoError(t, f.change(t))
	assert.Equal(t, []string{"a: four"}, now())

	// A file of the same size and time is told by its bytes.
	at := time.Now()
	require.NoError(t, os.Chtimes(f.path, at, at))
	open, err := os.OpenFile(f.path, os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = open.WriteAt(guest("a", "five", nil), 0)
	require.NoError(t, errors.Join(err, open.Close(), os.Chtimes(f.path, at, at)))
	require.NoError(t, f.change(t))
	assert.Equal(t, []string{"a: five"}, now())
	assert.Empty(t, f.changes)

	f.Close()
	f.Close()
	f.replace(t, guest("a", "six", nil))
	assert.Equal(t, []string{"a: five"}, now())
	for _, said := range []string{"the build before stays in use", "another build is in use", "guest=a@1.0.0", "file=" + f.path} {
		assert.Contains(t, log.String(), said)
	}
}

// A build that was refused gets another try when somebody touches it.
func TestFollowTriesAgain(t *testing.T) {
	grants := &givingGrants{}
	h := newHost(t, host.Options{Decide: grants.decide})
	f := follow(t, h, guest("a", "one", nil), runtime.GuestOptions{})
	more := wasmtest.Manifest()
	more.ID = "a"
	more.Contributions[0].Needs = []abi.ContextField{abi.FieldPrompt}
	answer := wasmtest.Text("two")
	f.replace(t, wasmtest.Guest(wasmtest.Module{Data: []wasmtest.Data{{Offset: 16, Bytes: answer}}}, more, wasmtest.Answer(16, uint32(len(answer)))))
	require.Error(t, f.change(t))
	grants.set(true)
	at := time.Now().Add(time.Hour)
	require.NoError(t, os.Chtimes(f.path, at, at))
	require.NoError(t, f.change(t))
}

type givingGrants struct {
	mu  sync.Mutex
	yes bool
}

func (g *givingGrants) set(yes bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.yes = yes
}

func (g *givingGrants) decide(context.Context, runtime.GrantRequest) (runtime.GrantDecision, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return runtime.GrantDecision{Accept: g.yes}, nil
}

func TestFollowEndsWithTheHost(t *testing.T) {
	h := newHost(t, host.Options{})
	f := follow(t, h, guest("a", "one", nil), runtime.GuestOptions{})
	require.NoError(t, h.Close(t.Context()))
	f.replace(t, guest("a", "two", nil))
	f.Close()
	assert.Empty(t, f.changes)
	_, err := h.Follow(t.Context(), f.path, host.FollowOptions{})
	require.ErrorIs(t, err, runtime.ErrClosed)
	_, err = h.Follow(t.Context(), f.path+".nowhere", host.FollowOptions{})
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// A guest that was removed stays so, and its file is not looked at any more.
func TestFollowEndsWithTheGuest(t *testing.T) {
	h := newHost(t, host.Options{})
	become := func(n int) {
		t.Helper()
		require.Eventually(t, func() bool { return following() == n }, time.Minute, time.Millisecond)
	}
	become(0) // those of other tests have ended, but may not be gone yet
	f := follow(t, h, guest("a", "one", nil), runtime.GuestOptions{})
	become(1)
	require.NoError(t, f.Guest().Remove(t.Context()))
	f.replace(t, guest("a", "two", nil))
	become(0)
	e, err := h.Session("s").Capture(t.Context(), envelope.Request{CWD: "/srv"})
	require.NoError(t, err)
	assert.Empty(t, texts(e))
	assert.Empty(t, f.changes)
	f.Close()
	f.Close()
}

// following counts the files that are followed, by their goroutines.
func following() int {
	stacks := make([]byte, 1<<20)
	return bytes.Count(stacks[:goruntime.Stack(stacks, true)], []byte("host.(*Followed).run("))
}

// Whoever is told of another build may remove the guest.
func TestFollowChangedRemoves(t *testing.T) {
	h := newHost(t, host.Options{})
	path := filepath.Join(t.TempDir(), "g.wasm")
	require.NoError(t, os.WriteFile(path, guest("a", "one", nil), 0o600))
	removed := make(chan error, 1)
	f, err := h.Follow(t.Context(), path, host.FollowOptions{Every: time.Millisecond, Changed: func(g *registry.Guest, err error) {
		removed <- errors.Join(err, g.Remove(context.Background()))
	}})
	require.NoError(t, err)
	(&followedFile{path: path}).replace(t, guest("a", "two", nil)) // in one step: half a file would be told first
	select {
	case err := <-removed:
		require.NoError(t, err)
	case <-time.After(time.Minute):
		require.Fail(t, "the host noticed nothing")
	}
	assert.Nil(t, f.Guest().Runtime())
	f.Close()
}

// A build that is loaded while its guest is removed does not bring it back.
func TestFollowDoesNotBringBack(t *testing.T) {
	asked, goOn := make(chan struct{}, 2), make(chan struct{}, 2)
	goOn <- struct{}{} // the first build may be used at once
	h := newHost(t, host.Options{Decide: func(context.Context, runtime.GrantRequest) (runtime.GrantDecision, error) {
		asked <- struct{}{}
		<-goOn
		return runtime.GrantDecision{Accept: true}, nil
	}})
	f := follow(t, h, guest("a", "one", nil), runtime.GuestOptions{})
	more := wasmtest.Manifest()
	more.ID = "a"
	more.Contributions[0].Needs = []abi.ContextField{abi.FieldPrompt}
	f.replace(t, wasmtest.Guest(wasmtest.Module{}, more, wasmtest.Code(wasmtest.Unreachable)))
	<-asked
	<-asked
	require.NoError(t, f.Guest().Remove(t.Context()))
	close(goOn)
	f.Close()
	assert.Nil(t, f.Guest().Runtime())
	assert.Empty(t, f.changes)
}
