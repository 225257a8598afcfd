package guesttrace

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWhose(t *testing.T) {
	for of, frames := range map[owner][]string{
		host: {"pintle/1.panic(i32,i32)", "pintle/meter.tick(i32)"},
		runtime: {
			"developer_messages_v1_render(i32,i32) i64", "provider_payload_adapters_v2_edit", "_initialize()", "$49(i32)", "$0",
			"core::panicking::panic_fmt(i32,i32)", "std::alloc::rust_oom(i32)", "alloc::raw_vec::RawVec<T,A>::grow(i32)",
			"pintle::sys::wasm::start::{{closure}}(i32,i32)", "rust_begin_unwind(i32)", "__rust_alloc(i32,i32) i32", "__rg_oom",
			"<alloc::vec::Vec<faults::T> as core::ops::drop::Drop>::drop(i32)", "<&T as core::fmt::Debug>::fmt(i32,i32) i32",
			"<&mut core::fmt::Formatter as core::fmt::Write>::write_str(i32)", "<dyn core::any::Any>::is(i32)", "<T as alloc::string::ToString>::to_string(i32)",
			"core::ptr::drop_in_place<faults::Tide>(i32)", "dlmalloc::dlmalloc::Dlmalloc<A>::malloc(i32)",
			"~lib/rt/itcms/__new(i32,i32) i32", "~lib/pintle/internal/panic/abort(i32,i32,i32,i32)", "~stack_check()",
			"runtime.gopanic(i32) i32", "runtime.__mcache_.allocLarge(i32) i32", "encoding_json.Marshal(i32) i32", "internal_abi.f(i32) i32",
			"slices.SortFunc[go.shape.int](i32) i32", "github.com_pintle_wasm_pintle_guests_sdk_go_message.render(i32) i32",
			"wasm_pc_f_loop_export(i32)", "memeqbody",
			"pintle_panic_at(i32,i32,i32,i32)", "pintle_render_(i32)", "no_memory()", "malloc(i32) i32", "__libc_start",
			"map (native)",
		},
		author: {
			"sink(i32,i32)", "sink", "abort_tide(i32)", "memcpy2(i32)", "pintles(i32)", "runtimes(i32)",
			"faults::sink()", "faults::_::operation::{{closure}}(i32,i32,i32)", "coreutils::cut(i32)", "stdx::f", "serde_json::from_str(i32)",
			"<faults::Tide as core::fmt::Display>::fmt(i32,i32) i32", "<&faults::Tide as core::fmt::Debug>::fmt(i32)", "<T as faults::Sink>::sink(i32)",
			"main.sink(i32) i32", "main.init.0.fails.func3(i32) i32", "example.com_tides.Sink(i32) i32", "github.com_pintle_wasm_tides.Sink(i32) i32",
			"tides.Sort(i32) i32", "main.(*runtime).go(i32)",
			"assembly/index/sink(i32) i32", "~start()", "assembly/index/start:assembly/index~anonymous|0(i32) i32",
			"sink (src/index.ts:13:13)", "abort (src/index.ts:1:1) ×10 or more", "malloc (guest.js)", "core::f (src/a.mjs:1)", "pintle_x (a b.tsx:1:2)", "",
		},
	} {
		for _, frame := range frames {
			assert.Equal(t, of, whose(frame), frame)
		}
	}
}
