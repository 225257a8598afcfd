// Package wasi is the part of WASI preview 1 (module wasi_snapshot_preview1) that a guest may import:
// no files, no arguments, no environment. Time is virtual and randomness is seeded, so that a guest
// gives the same answer for the same input, unless the real ones are asked for; standard output and
// standard error go to a sink.
//
// It is our own because every object that a guest touches has to be bounded, deterministic and
// replaceable with the instance, and because an engine's WASI drags in the host's files and clock.
//
// The numbers (signatures, errno, layouts) are those of the WASI preview 1 witx definition.
package wasi

import (
	"fmt"
	"math/rand/v2"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

// Module is the import module name.
const Module = "wasi_snapshot_preview1"

// Memory is the linear memory of the instance that calls. Read returns a view, not a copy; both
// methods answer false when the range is not inside memory.
type Memory interface {
	Read(offset, count uint32) ([]byte, bool)
	Write(offset uint32, data []byte) bool
}

// A Config says what a guest sees of its surroundings.
type Config struct {
	// Seed decides the random numbers.
	Seed [32]byte
	// Sink receives what the guest writes to standard output (fd 1) and standard error (fd 2), in the
	// pieces in which it was written. It must not keep the slice.
	Sink func(fd int, text []byte)
	// Charge is asked before the host works through n bytes for the guest; an error ends the guest. nil:
	// everything is free.
	Charge func(n int) error
	// HostClock gives the guest the real time, HostRandom real random numbers.
	HostClock, HostRandom bool
}

// A System is what one instance sees of its surroundings. It belongs to one instance and is not safe
// for concurrent use.
type System struct {
	config Config
	state  Image
	failed error // why the running function has to end the guest
}

// An Image is the part of a system that changes while a guest runs: descriptors, virtual clock, and
// where the seeded random numbers are.
type Image struct {
	clock  clock
	random rand.ChaCha8
	closed [3]bool
}

// NewSystem returns the surroundings of a new instance.
func NewSystem(config Config) *System {
	s := &System{config: config}
	s.Reset(nil)
	return s
}

// Image returns the state as it is now.
func (s *System) Image() Image { return s.state }

// Reset puts the state back to that of an image, which may be another system's; nil is the state of a
// new instance. It does not allocate.
func (s *System) Reset(to *Image) {
	s.failed = nil
	if to != nil {
		s.state = *to
		return
	}
	s.state = Image{}
	s.state.random.Seed(s.config.Seed)
}

// charge pays for n bytes of work. If it answers false the function returns at once.
func (s *System) charge(n int) bool {
	if s.config.Charge != nil && s.failed == nil {
		s.failed = s.config.Charge(n)
	}
	return s.failed == nil
}

// An ExitError is the trap with which proc_exit ends a guest.
type ExitError struct{ Code uint32 }

func (e *ExitError) Error() string { return fmt.Sprintf("exited with code %d", e.Code) }

// A Function is one function of the module. Call reads its arguments from stack and leaves the result
// in stack[0]. An error ends the guest with a trap.
type Function struct {
	Name string
	Type wasmbin.FuncType
	Call func(s *System, mem Memory, stack []uint64) error
}

// An errno is the result of nearly every function.
type errno uint32

const (
	success    errno = 0
	badf       errno = 8
	fault      errno = 21
	inval      errno = 28
	notsock    errno = 57
	spipe      errno = 70
	notcapable errno = 76
)

// Functions returns the whole module. The slice is new at each call.
func Functions() []Function {
	const i32, i64 = wasmbin.I32, wasmbin.I64
	fs := []Function{
		answer("args_get", argsGet, i32, i32),
		answer("args_sizes_get", sizesGet, i32, i32),
		answer("environ_get", argsGet, i32, i32),
		answer("environ_sizes_get", sizesGet, i32, i32),
		answer("clock_res_get", clockRes, i32, i32),
		answer("clock_time_get", clockTime, i32, i64, i32),
		answer("poll_oneoff", pollOneoff, i32, i32, i32, i32),
		answer("sched_yield", schedYield),
		answer("random_get", randomGet, i32, i32),
		answer("fd_close", fdClose, i32),
		answer("fd_fdstat_get", fdStat, i32, i32),
		answer("fd_fdstat_set_flags", fdSetFlags, i32, i32),
		answer("fd_read", fdRead, i32, i32, i32, i32),
		answer("fd_seek", fdSeek, i32, i64, i32, i32),
		answer("fd_tell", fdTell, i32, i32),
		answer("fd_write", fdWrite, i32, i32, i32, i32),
		{Name: "proc_exit", Type: wasmbin.FuncType{Params: []wasmbin.ValueType{i32}}, Call: procExit},
	}
	return append(fs, refusals()...)
}

// refusals are the functions on files and sockets. A library that links them without using them still
// loads, as Go programs that use reflection do; a guest that does use them learns that it has none.
func refusals() []Function {
	const i32, i64 = wasmbin.I32, wasmbin.I64
	no := func(e errno) func(*System, Memory, []uint64) errno {
		return func(*System, Memory, []uint64) errno { return e }
	}
	fd, path, socket := no(badf), no(notcapable), no(notsock)
	return []Function{
		answer("fd_advise", fd, i32, i64, i64, i32),
		answer("fd_allocate", fd, i32, i64, i64),
		answer("fd_datasync", fd, i32),
		answer("fd_fdstat_set_rights", fd, i32, i64, i64),
		answer("fd_filestat_get", fd, i32, i32),
		answer("fd_filestat_set_size", fd, i32, i64),
		answer("fd_filestat_set_times", fd, i32, i64, i64, i32),
		answer("fd_pread", fd, i32, i32, i32, i64, i32),
		answer("fd_prestat_get", fd, i32, i32),
		answer("fd_prestat_dir_name", fd, i32, i32, i32),
		answer("fd_pwrite", fd, i32, i32, i32, i64, i32),
		answer("fd_readdir", fd, i32, i32, i32, i64, i32),
		answer("fd_renumber", fd, i32, i32),
		answer("fd_sync", fd, i32),
		answer("path_create_directory", path, i32, i32, i32),
		answer("path_filestat_get", path, i32, i32, i32, i32, i32),
		answer("path_filestat_set_times", path, i32, i32, i32, i32, i64, i64, i32),
		answer("path_link", path, i32, i32, i32, i32, i32, i32, i32),
		answer("path_open", path, i32, i32, i32, i32, i32, i64, i64, i32, i32),
		answer("path_readlink", path, i32, i32, i32, i32, i32, i32),
		answer("path_remove_directory", path, i32, i32, i32),
		answer("path_rename", path, i32, i32, i32, i32, i32, i32),
		answer("path_symlink", path, i32, i32, i32, i32, i32),
		answer("path_unlink_file", path, i32, i32, i32),
		answer("sock_accept", socket, i32, i32, i32),
		answer("sock_recv", socket, i32, i32, i32, i32, i32, i32),
		answer("sock_send", socket, i32, i32, i32, i32, i32),
		answer("sock_shutdown", socket, i32, i32),
	}
}

// answer makes a function that returns an errno.
func answer(name string, f func(*System, Memory, []uint64) errno, params ...wasmbin.ValueType) Function {
	return Function{
		Name: name,
		Type: wasmbin.FuncType{Params: params, Results: []wasmbin.ValueType{wasmbin.I32}},
		Call: func(s *System, mem Memory, stack []uint64) error {
			stack[0] = uint64(f(s, mem, stack))
			return s.failed
		},
	}
}

func procExit(_ *System, _ Memory, stack []uint64) error {
	return &ExitError{Code: uint32(stack[0])}
}
