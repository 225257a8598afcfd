package session

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestSegment(t *testing.T) {
	for id, want := range map[string]string{
		"abc-DEF_1.s":   "abc-DEF_1.s",
		".":             "~002E",
		"..":            "~002E~002E",
		"...":           "...",
		"a.b":           "a.b",
		"a/b\\c~ :":     "a~002Fb~005Cc~007E~0020~003A",
		"€":             "~20AC",
		"🪃":             "~D83E~DE83",
		"x\xed\xa0\xbe": "x~D83E", // half a pair
		"\x00\uffff":    "~0000~FFFF",
		"\ufffd":        "~FFFD",
	} {
		got, err := segment(id)
		require.NoError(t, err)
		assert.Equal(t, want, got, "%q", id)
	}
	for _, id := range []string{"", "\xff", "ok\xed\xa0", "\xc0\xaf"} {
		_, err := segment(id)
		assert.Error(t, err, "%q", id)
	}
}

// Two ids never share a folder, and no folder's name leads out of the root.
func TestSegmentIsOneToOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		if a == "" || b == "" {
			return
		}
		x, err := segment(a)
		require.NoError(t, err)
		y, err := segment(b)
		require.NoError(t, err)
		require.Equal(t, a == b, x == y)
		require.NotContains(t, []string{".", ".."}, x)
		require.Empty(t, strings.Trim(x, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-~"))
	})
}
