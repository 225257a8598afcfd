package guesttrace_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/internal/guesttrace"
)

func trace(text string) []string { return strings.Split(strings.TrimSpace(text), "\n") }

func TestLines(t *testing.T) {
	for name, c := range map[string]struct{ trace, want string }{
		"an index out of range in Rust": {`
pintle/1.panic(i32,i32)
pintle::sys::wasm::start::{{closure}}(i32,i32)
std::panicking::rust_panic_with_hook(i32,i32,i32,i32,i32)
std::panicking::begin_panic_handler::{{closure}}(i32,i32,i32)
std::sys_common::backtrace::__rust_end_short_backtrace(i32,i32,i32)
rust_begin_unwind(i32)
core::panicking::panic_fmt(i32,i32)
core::panicking::panic_bounds_check()
hello::deep(i32)
hello::deep(i32)
<alloc::vec::Vec<T,A> as core::iter::Extend<T>>::extend(i32,i32)
hello::_::operation::{{closure}}(i32,i32,i32)
developer_messages_v1_render(i32,i32) i64`, `
… 7 frames of the runtime
at hello::deep ×2
at <alloc::vec::Vec<T,A> as core::iter::Extend<T>>::extend
at hello::_::operation::{{closure}}
at developer_messages_v1_render`},
		"more than there is room for": {"a()\nb()\nc()\nd()\ne()\nf()\ng()", "at a\nat b\nat c\nat d\nat e\n… 2 more functions"},
		"one more":                    {"a()\nb()\nc()\nd()\ne()\nf()", "at a\nat b\nat c\nat d\nat e\n… 1 more function"},
		"just room":                   {"a()\nb()\nc()\nd()\ne()", "at a\nat b\nat c\nat d\nat e"},
		"a recursion": {"pintle/meter.tick(i32)\n" + strings.Repeat("dive(i32)\n", 20) + "render(i32)\ndeveloper_messages_v1_render(i32,i32) i64",
			"at dive ×20\nat render\nat developer_messages_v1_render"},
		"a recursion deeper than engines tell": {"pintle/meter.tick(i32)\n" + strings.Repeat("dive(i32)\n", 29), "at dive ×29 or more"},
		"JavaScript as it is":                  {"sink (src/index.ts:13:13)\nmap (native)\ncontent (src/index.ts:7:67) ×10 or more", "at sink (src/index.ts:13:13)\nat map (native)\nat content (src/index.ts:7:67) ×10 or more"},
		"a start in AssemblyScript":            {"pintle/meter.tick(i32)\n~lib/a/b(i32)\n~lib/a/c(i32)\n~start()", "… 2 frames of the runtime\nat ~start"},
		"nothing of the author's":              {"pintle/1.panic(i32,i32)\nabort(i32)\nabort(i32)", "at pintle/1.panic\nat abort ×2"},
		"several results, vectors and references": {"a(i32) (i32,i64)\nb(v128,externref) funcref\nc() ((ref func),f32)\nd((ref null 3),i64)",
			"at a\nat b\nat c\nat d"},
		"names with parentheses":           {"<fn(u8) as Call>::call(i32)\nf(v)", "at <fn(u8) as Call>::call\nat f(v)"},
		"nothing of the author's in sight": {strings.Repeat("~lib/a/b(i32)\n", 30), "at ~lib/a/b ×30 or more\n… what called them is not known"},
	} {
		assert.Equal(t, trace(c.want), guesttrace.Lines(trace(c.trace), 5), name)
	}
	assert.Empty(t, guesttrace.Lines(nil, 5))
}

// However many functions of runtimes there are, the first of the author's is in one of the first two lines.
func TestTheAuthorsFunctionIsInSight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		frames := rapid.SliceOfN(rapid.SampledFrom([]string{"pintle/1.log(i32)", "core::fmt::write(i32)", "~lib/rt/new(i32)", "runtime.throw(i32) i32",
			"main.sink(i32) i32", "hello::sink()", "sink(i32)", "assembly/index/sink(i32) i32"}), 0, 40).Draw(t, "trace")
		most := rapid.IntRange(2, 10).Draw(t, "most")
		lines := guesttrace.Lines(frames, most)
		assert.LessOrEqual(t, len(lines), most+1)
		first := slices.IndexFunc(frames, func(frame string) bool { return strings.Contains(frame, "sink") })
		if first >= 0 {
			name, _, _ := strings.Cut(frames[first], "(")
			assert.Contains(t, strings.Join(lines[:min(len(lines), 2)], "\n"), "at "+name)
			assert.NotContains(t, strings.Join(lines, "\n"), "(i32")
			assert.NotContains(t, strings.Join(lines, "\n"), "pintle/1.")
		}
	})
}
