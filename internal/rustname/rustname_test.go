package rustname_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/pintle-wasm/pintle/internal/rustname"
)

// Symbols are those of rustc 1.63, if nothing else is said.
var symbols = map[string]string{
	"_ZN6faults4dive17h0d49dc60e377c70eE":                                                                                               "faults::dive",
	"_ZN8dlmalloc8dlmalloc17Dlmalloc$LT$A$GT$4free17hc162d4563cf6e25bE":                                                                 "dlmalloc::dlmalloc::Dlmalloc<A>::free",
	"_ZN8dlmalloc8dlmalloc17Dlmalloc$LT$A$GT$13dispose_chunk17hf88d5c91704b6402E.llvm.11372":                                            "dlmalloc::dlmalloc::Dlmalloc<A>::dispose_chunk",
	"_ZN76_$LT$example..codex..Whole$u20$as$u20$pintle..payload..DeveloperMessages$GT$26replace_developer_messages17hf3243cd20a7b55bfE": "<example::codex::Whole as pintle::payload::DeveloperMessages>::replace_developer_messages",
	"_ZN6pintle3sys4wasm5start28_$u7b$$u7b$closure$u7d$$u7d$17h93f31d6de5588dc7E":                                                       "pintle::sys::wasm::start::{{closure}}",
	"_ZN42_$LT$$RF$T$u20$as$u20$core..fmt..Debug$GT$3fmt17h0123456789abcdefE":                                                           "<&T as core::fmt::Debug>::fmt",
	"_ZN4main3a.b17h0123456789abcdefE":                                                                                                  "main::a.b",     // made up
	"_ZN4main7x$QQ$yz17h0123456789abcdefE":                                                                                              "main::x$QQ$yz", // an escape that nobody knows
	"_ZN4main7x$u7$yz17h0123456789abcdefE":                                                                                              "main::x$u7$yz", // a character that is not to be seen
	"_ZN4main5x$LTy17h0123456789abcdefE":                                                                                                "main::x$LTy",   // cut off

	"_RNvCs9dNMFoFFyMi_7example8greeting":                                                                                                                     "example::greeting",
	"_RINvNtCs4EoLUFkKuUC_4core3ptr13drop_in_placeNtNtCs9dNMFoFFyMi_7example5codex5WholeEBK_":                                                                 "core::ptr::drop_in_place",
	"_RNvXs_NtCs9dNMFoFFyMi_7example5codexNtB4_5WholeNtNtCsbdqh38gCxEx_6pintle7payload17DeveloperMessages26replace_developer_messages":                        "<example::codex::Whole as pintle::payload::DeveloperMessages>::replace_developer_messages",
	"_RNvMNtNtCsbdqh38gCxEx_6pintle4json4nodeNtB2_4Node6member":                                                                                               "<pintle::json::node::Node>::member",
	"_RNSNvYNvCs9dNMFoFFyMi_7example8greetingINtNtNtCs4EoLUFkKuUC_4core3ops8function6FnOnceTRNtNtCsbdqh38gCxEx_6pintle7context7ContextEE9call_once6vtableB6_": "<example::greeting as core::ops::function::FnOnce>::call_once::{shim:vtable#0}",
	// Those of RFC 2603 and of the compiler's own tests.
	"_RNvNtNtCs1234_7mycrate3foo3bar3baz":  "mycrate::foo::bar::baz",
	"_RNCNCNgCs6DXkGYLi8lr_2cc5spawn00B5_": "cc::spawn::{closure#0}::{closure#0}",
	"_RNCINkXs25_NgCsbmNqQUJIY6D_4core5sliceINyB9_4IterhENuNgNoBb_4iter8iterator8Iterator9rpositionNCNgNpB9_6memchr7memrchrs_0E0Bb_": "<core::slice::Iter as core::iter::iterator::Iterator>::rposition::{closure#0}",
	"_RNvC6_123foo3bar":                       "123foo::bar",
	"_RNvXC1aRAhj3_NtC1b1T1f":                 "<&[u8; _] as b::T>::f",
	"_RNvMC1aTxSeOmPQiE1f":                    "<(i64, [str], *mut u32, *const &mut isize)>::f",
	"_RNvMC1aDNtC4core3Anyp4Itemhs_EL_1f":     "", // a disambiguator is no trait
	"_RNvMC1aDNtC4core3AnyNtC4core4SendEL_1f": "<dyn core::Any + core::Send>::f",
	"_RNvMC1aFUKC3hEu1f":                      "", // a number is no type
	"_RNvMC1aFUKCheEu1f":                      "<fn>::f",
	"_RNvMC1aT1f":                             "", // a list without end
	"_RIC3stdKj1f_KpKBa_E":                    "", // a reference to what comes later
	"_RIC3stdKj1f_KpKB6_E":                    "std",
}

func TestDemangle(t *testing.T) {
	for symbol, want := range symbols {
		if want == "" {
			want = symbol
		}
		assert.Equal(t, want, rustname.Demangle(symbol), symbol)
	}
}

func TestOtherNamesStay(t *testing.T) {
	for _, name := range []string{
		"", "developer_messages_v1_render", "_ZN", "_R", "_ZN3foo3barEv", "_ZN3fooE", "_ZN17h0123456789abcdefE",
		"_ZN99999999999999999999foo17h0123456789abcdefE", "_ZN4fo17h0123456789abcdefE", "_ZN3foo17h0123456789abcdefEx",
		"_ZN3foo17h0123456789abcdeXE", "_ZN-1foo17h0123456789abcdefE", "_RNvC3foo", "_RNvC9foo3bar", "_RB_", "_RNvB0_3foo",
		"_RNvC3foo3barX", "_R" + strings.Repeat("M", 5000), "_RNvC3foo" + strings.Repeat("a", 20_000),
	} {
		assert.Equal(t, name, rustname.Demangle(name))
	}
}

// References make much of little, so what is read through them is bounded: each tuple here has the one before
// twice.
func TestReferencesEnd(t *testing.T) {
	tuples := func(n int) string {
		symbol, last := "INvC1a1f", 0
		for i := range n {
			at := len(symbol)
			if i == 0 {
				symbol += "TxxE"
			} else {
				symbol += "TB" + base62(last) + "B" + base62(last) + "E"
			}
			last = at
		}
		return "_R" + symbol + "E"
	}
	assert.Equal(t, "a::f", rustname.Demangle(tuples(8)))
	assert.Equal(t, tuples(40), rustname.Demangle(tuples(40)))
}

// base62 writes a number above 0.
func base62(n int) string {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	out := "_"
	for n--; ; n /= 62 {
		out = digits[n%62:n%62+1] + out
		if n < 62 {
			return out
		}
	}
}

func FuzzDemangle(f *testing.F) {
	for symbol := range symbols {
		f.Add(symbol)
	}
	f.Fuzz(func(t *testing.T, symbol string) {
		name := rustname.Demangle(symbol)
		if utf8.ValidString(symbol) {
			assert.True(t, utf8.ValidString(name), "%q", name)
		}
		assert.LessOrEqual(t, len(name), max(len(symbol), 1<<10))
	})
}
