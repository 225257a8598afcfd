package wtf8

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What JavaScript's TextDecoder makes of bytes; · stands for U+FFFD.
func TestRepair(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "aé€🧾": "aé€🧾",
		"\x80": "·", "\xff\xfe": "··", "\xc0\xaf": "··", "\xc1": "·",
		"\xc3": "·", "\xc3x": "·x", "\xc3\xc3": "··",
		"\xe2\x82": "·", "\xe2\x82x": "·x", "\xe2x": "·x", "\xe0\x80\x80": "···", "\xe0\xa0": "·",
		"\xed\xa0\xbd": "···", "\xed\x9f": "·", "\xee\x80": "·",
		"\xf0\x9f\x98": "·", "\xf0\x9f\x98\xf0\x9f\x98\x80": "·😀", "\xf0\x80\x80": "···", "\xf1\x80\x80x": "·x",
		"\xf4\x8f\xbf": "·", "\xf4\x90\x80": "···", "\xf5\x80": "··",
	} {
		want = strings.ReplaceAll(want, "·", "\uFFFD")
		assert.Equal(t, want, string(Repair([]byte(in))), "%x", in)
		got, err := Unquote([]byte(`"` + in + `"`))
		require.NoError(t, err)
		assert.Equal(t, want, got, "%x", in)
		if in != "\xed\xa0\xbd" { // a half, which a Go string may hold
			assert.Equal(t, want, ToUTF8(in), "%x", in)
			assert.Equal(t, `"`+want+`"`, string(AppendQuote(nil, in)), "%x", in)
		}
	}
}
