package wasi_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/wasi"
)

// The signatures of the witx definition of preview 1, lowered to core types: handles, pointers, sizes
// and flags are i32, file sizes, offsets, timestamps and rights are i64.
var signatures = map[string]string{
	"args_get":                "(i32, i32) -> i32",
	"args_sizes_get":          "(i32, i32) -> i32",
	"environ_get":             "(i32, i32) -> i32",
	"environ_sizes_get":       "(i32, i32) -> i32",
	"clock_res_get":           "(i32, i32) -> i32",
	"clock_time_get":          "(i32, i64, i32) -> i32",
	"fd_advise":               "(i32, i64, i64, i32) -> i32",
	"fd_allocate":             "(i32, i64, i64) -> i32",
	"fd_close":                "(i32) -> i32",
	"fd_datasync":             "(i32) -> i32",
	"fd_fdstat_get":           "(i32, i32) -> i32",
	"fd_fdstat_set_flags":     "(i32, i32) -> i32",
	"fd_fdstat_set_rights":    "(i32, i64, i64) -> i32",
	"fd_filestat_get":         "(i32, i32) -> i32",
	"fd_filestat_set_size":    "(i32, i64) -> i32",
	"fd_filestat_set_times":   "(i32, i64, i64, i32) -> i32",
	"fd_pread":                "(i32, i32, i32, i64, i32) -> i32",
	"fd_prestat_get":          "(i32, i32) -> i32",
	"fd_prestat_dir_name":     "(i32, i32, i32) -> i32",
	"fd_pwrite":               "(i32, i32, i32, i64, i32) -> i32",
	"fd_read":                 "(i32, i32, i32, i32) -> i32",
	"fd_readdir":              "(i32, i32, i32, i64, i32) -> i32",
	"fd_renumber":             "(i32, i32) -> i32",
	"fd_seek":                 "(i32, i64, i32, i32) -> i32",
	"fd_sync":                 "(i32) -> i32",
	"fd_tell":                 "(i32, i32) -> i32",
	"fd_write":                "(i32, i32, i32, i32) -> i32",
	"path_create_directory":   "(i32, i32, i32) -> i32",
	"path_filestat_get":       "(i32, i32, i32, i32, i32) -> i32",
	"path_filestat_set_times": "(i32, i32, i32, i32, i64, i64, i32) -> i32",
	"path_link":               "(i32, i32, i32, i32, i32, i32, i32) -> i32",
	"path_open":               "(i32, i32, i32, i32, i32, i64, i64, i32, i32) -> i32",
	"path_readlink":           "(i32, i32, i32, i32, i32, i32) -> i32",
	"path_remove_directory":   "(i32, i32, i32) -> i32",
	"path_rename":             "(i32, i32, i32, i32, i32, i32) -> i32",
	"path_symlink":            "(i32, i32, i32, i32, i32) -> i32",
	"path_unlink_file":        "(i32, i32, i32) -> i32",
	"poll_oneoff":             "(i32, i32, i32, i32) -> i32",
	"proc_exit":               "(i32) -> ()",
	"random_get":              "(i32, i32) -> i32",
	"sched_yield":             "() -> i32",
	"sock_accept":             "(i32, i32, i32) -> i32",
	"sock_recv":               "(i32, i32, i32, i32, i32, i32) -> i32",
	"sock_send":               "(i32, i32, i32, i32, i32) -> i32",
	"sock_shutdown":           "(i32, i32) -> i32",
}

func TestSignatures(t *testing.T) {
	got := map[string]string{}
	for _, f := range wasi.Functions() {
		require.NotContains(t, got, f.Name, "listed twice")
		got[f.Name] = f.Type.String()
	}
	assert.Equal(t, signatures, got)
}

func TestNoArgumentsAndNoEnvironment(t *testing.T) {
	for _, name := range []string{"args", "environ"} {
		w := newWorld(t, 0)
		w.mem.put32(64, 7, 7)
		assert.EqualValues(t, success, w.call(name+"_sizes_get", 64, 68))
		assert.Equal(t, [2]uint32{0, 0}, [2]uint32{w.mem.u32(64), w.mem.u32(68)})
		assert.EqualValues(t, fault, w.call(name+"_sizes_get", outside, 68))
		assert.EqualValues(t, fault, w.call(name+"_sizes_get", 64, outside))
		before := bytes.Clone(w.mem)
		assert.EqualValues(t, success, w.call(name+"_get", outside, outside), "empty lists are written nowhere")
		assert.Equal(t, before, []byte(w.mem))
	}
}

func TestDescriptors(t *testing.T) {
	w := newWorld(t, 0)
	for fd := range uint64(3) {
		require.EqualValues(t, success, w.call("fd_fdstat_get", fd, 64))
		assert.Equal(t, byte(2), w.mem[64], "a character device")
		rights := map[bool]uint64{true: 1 << 1, false: 1 << 6}[fd == 0]
		assert.Equal(t, rights, w.mem.u64(72))
		assert.Zero(t, w.mem.u64(80), "no rights are inherited")
		assert.EqualValues(t, fault, w.call("fd_fdstat_get", fd, pageBytes-23))
		assert.EqualValues(t, success, w.call("fd_fdstat_set_flags", fd, 4))
		assert.EqualValues(t, spipe, w.call("fd_seek", fd, 0, 1, 64))
		assert.EqualValues(t, spipe, w.call("fd_tell", fd, 64))
	}
	for _, fd := range []uint64{3, 4, 1 << 31, 1<<32 - 1} {
		assert.EqualValues(t, badf, w.call("fd_fdstat_get", fd, 64))
		assert.EqualValues(t, badf, w.call("fd_fdstat_set_flags", fd, 0))
		assert.EqualValues(t, badf, w.call("fd_seek", fd, 0, 0, 64))
		assert.EqualValues(t, badf, w.call("fd_tell", fd, 64))
		assert.EqualValues(t, badf, w.call("fd_read", fd, 0, 0, 64))
		assert.EqualValues(t, badf, w.call("fd_write", fd, 0, 0, 64))
		assert.EqualValues(t, badf, w.call("fd_close", fd))
	}
}

func TestClosedDescriptorsStayClosed(t *testing.T) {
	for fd := range uint64(3) {
		w := newWorld(t, 0)
		assert.EqualValues(t, success, w.call("fd_close", fd))
		for name, code := range map[string]uint32{
			"fd_close":            w.call("fd_close", fd),
			"fd_fdstat_get":       w.call("fd_fdstat_get", fd, 64),
			"fd_fdstat_set_flags": w.call("fd_fdstat_set_flags", fd, 0),
			"fd_seek":             w.call("fd_seek", fd, 0, 0, 64),
			"fd_tell":             w.call("fd_tell", fd, 64),
			"fd_read":             w.call("fd_read", fd, 0, 0, 64),
			"fd_write":            w.call("fd_write", fd, 0, 0, 64),
		} {
			assert.EqualValues(t, badf, code, name)
		}
		assert.EqualValues(t, success, w.call("fd_fdstat_get", (fd+1)%3, 64), "the others are open")
	}
}

func TestRead(t *testing.T) {
	w := newWorld(t, 0)
	w.mem.put32(64, 9)
	assert.EqualValues(t, success, w.call("fd_read", 0, 128, 1, 64))
	assert.Zero(t, w.mem.u32(64), "input is at its end")
	assert.EqualValues(t, fault, w.call("fd_read", 0, 128, 1, outside))
	assert.EqualValues(t, badf, w.call("fd_read", 1, 128, 1, 64), "output cannot be read")
}

func TestWrite(t *testing.T) {
	w := newWorld(t, 0)
	copy(w.mem[1000:], "hello world")
	w.mem.put32(128, 1000, 6, 0, 0, 1006, 5)
	require.EqualValues(t, success, w.call("fd_write", 1, 128, 3, 64))
	assert.Equal(t, uint32(11), w.mem.u32(64))
	require.EqualValues(t, success, w.call("fd_write", 2, 128, 1, 64))
	assert.Equal(t, [3]string{"", "hello world", "hello "}, w.written)
	require.EqualValues(t, success, w.call("fd_write", 1, outside, 0, 64), "no vectors, nothing to read")
	assert.Zero(t, w.mem.u32(64))

	assert.EqualValues(t, badf, w.call("fd_write", 0, 128, 1, 64), "input cannot be written")
	assert.EqualValues(t, fault, w.call("fd_write", 1, pageBytes-7, 1, 64), "vectors outside")
	assert.EqualValues(t, fault, w.call("fd_write", 1, 128, 3, outside), "result outside")
	w.mem.put32(128, pageBytes-2, 3)
	assert.EqualValues(t, fault, w.call("fd_write", 1, 128, 1, 64), "text outside")
	w.mem.put32(128, 0xffffffff, 2)
	assert.EqualValues(t, fault, w.call("fd_write", 1, 128, 1, 64), "text that wraps around")
}

func TestWriteIsBounded(t *testing.T) {
	w := newWorld(t, 0)
	for i := range 1024 {
		w.mem.put32(128+8*i, 0, 1)
	}
	assert.EqualValues(t, success, w.call("fd_write", 1, 128, 1024, 64))
	assert.Equal(t, 1024, w.pieces)
	assert.EqualValues(t, inval, w.call("fd_write", 1, 128, 1025, 64))
	assert.EqualValues(t, inval, w.call("fd_write", 1, 128, 1<<29+1, 64), "the size of the list would wrap around")
	assert.Equal(t, 1024, w.pieces, "nothing more was written")

	// 1,024 pieces that are all of a large memory would be more than the count of written bytes holds.
	w.mem = make(memory, 4<<20)
	w.system = wasi.NewSystem(wasi.Config{Sink: func(int, []byte) {}})
	for i := range 1024 {
		w.mem.put32(128+8*i, 0, 4<<20)
	}
	assert.EqualValues(t, inval, w.call("fd_write", 1, 128, 1024, 64))
}

func TestRandomIsSeeded(t *testing.T) {
	draw := func(seed byte, sizes ...uint64) string {
		w := newWorld(t, seed)
		var all strings.Builder
		for _, n := range sizes {
			w.mem[64+n] = 0x77
			require.EqualValues(t, success, w.call("random_get", 64, n))
			all.Write(w.mem[64 : 64+n])
			assert.Equal(t, byte(0x77), w.mem[64+n], "no more was written than asked for")
		}
		return all.String()
	}
	assert.Equal(t, draw(1, 32, 8), draw(1, 32, 8))
	assert.NotEqual(t, draw(1, 32), draw(2, 32))
	assert.NotEqual(t, draw(1, 32, 32)[:32], draw(1, 32, 32)[32:])
	assert.NotEqual(t, strings.Repeat("\x00", 32), draw(0, 32))
	assert.Empty(t, draw(1, 0))
}

func TestRandomOutsideMemory(t *testing.T) {
	w := newWorld(t, 0)
	assert.EqualValues(t, fault, w.call("random_get", outside, 2))
	assert.EqualValues(t, fault, w.call("random_get", 64, 1<<32-1))
	assert.EqualValues(t, success, w.call("random_get", 0, pageBytes), "all of memory is a range")
}

func TestExit(t *testing.T) {
	w := newWorld(t, 0)
	for _, code := range []uint64{0, 3, 1<<32 - 1} {
		err := w.calls["proc_exit"].Call(w.system, w.mem, []uint64{code | 1<<40})
		var exit *wasi.ExitError
		require.True(t, errors.As(err, &exit))
		assert.Equal(t, uint32(code), exit.Code)
	}
	assert.EqualError(t, &wasi.ExitError{Code: 3}, "exited with code 3")
}

func TestYield(t *testing.T) {
	assert.EqualValues(t, success, newWorld(t, 0).call("sched_yield"))
}

// There are no files and no sockets: functions on descriptors say that there is none, functions on paths
// that they are not allowed, functions on sockets that it is none. None of them touches memory, whatever it is given.
func TestFilesAreRefused(t *testing.T) {
	served := []string{"fd_close", "fd_fdstat_get", "fd_fdstat_set_flags", "fd_read", "fd_seek", "fd_tell", "fd_write"}
	refused := 0
	for name := range signatures {
		code := uint32(badf)
		switch {
		case strings.HasPrefix(name, "path_"):
			code = notcapable
		case strings.HasPrefix(name, "sock_"):
			code = notsock
		case !strings.HasPrefix(name, "fd_"), slices.Contains(served, name):
			continue
		}
		refused++
		w := newWorld(t, 0)
		n := len(w.calls[name].Type.Params)
		for _, arg := range []uint64{0, 1, 3, outside, 1<<32 - 1} {
			args := make([]uint64, n)
			for i := range args {
				args[i] = arg
			}
			assert.Equal(t, code, w.call(name, args...), name)
		}
		assert.Equal(t, make([]byte, pageBytes), []byte(w.mem), name)
	}
	assert.Equal(t, 28, refused)
}
