package ecma

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// unitsOf are the UTF-16 code units of a text in WTF-8.
func unitsOf(s string) (list []uint16) {
	u := units{rest: s}
	for unit, ok := u.next(); ok; unit, ok = u.next() {
		list = append(list, unit)
	}
	return list
}

func TestUnits(t *testing.T) {
	assert.Equal(t, []uint16{'a', 0xE9, 0xFFFD, 0xD83D, 0xDE00, 0xD83D, 0xDFFF, 0xFFFD, 0xFFFD, 'z'},
		unitsOf("aé\uFFFD😀\xed\xa0\xbd\xed\xbf\xbf\xff\xedz"))
}

func TestCompareUnits(t *testing.T) {
	sorted := []string{
		"", "A", "a", "a\u00e9", "aa", "é", "\ud7ff", "\xed\xa0\xbc\uffff", "\xed\xa0\xbd", "\xed\xa0\xbdz", "😀", "😁",
		"\xed\xbf\xbf", "\ue000", "\ufeff", "\uffff",
	}
	sorted[3], sorted[4] = sorted[4], sorted[3]
	for i, a := range sorted {
		for j, b := range sorted {
			assert.Equal(t, cmp.Compare(i, j), CompareUnits(a, b), "%q %q", a, b)
		}
	}
}

func TestCompareUnitsIsThatOfTheUnits(t *testing.T) {
	piece := rapid.SampledFrom([]string{"a", "é", "\u07ff", "€", "\ud7ff", "\ue000", "\uffff", "😀", "😁", "𝄞", "\xed\xa0\xbd", "\xed\xb0\x80"})
	text := rapid.Custom(func(t *rapid.T) (s string) {
		for _, p := range rapid.SliceOfN(piece, 0, 6).Draw(t, "pieces") {
			s += p
		}
		return s
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		assert.Equal(t, slices.Compare(unitsOf(a), unitsOf(b)), CompareUnits(a, b), "%q %q", a, b)
	})
}
