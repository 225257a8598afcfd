package main

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// stringAt decodes a string; ok is false for any other value. A lone surrogate becomes U+FFFD.
func stringAt(doc []byte, s span) (text string, ok bool) {
	if !s.begins(doc, '"') || s.to-s.from < 2 {
		return "", false
	}
	raw := doc[s.from+1 : s.to-1]
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' || i+1 == len(raw) {
			out = append(out, raw[i])
			continue
		}
		i++
		switch raw[i] {
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r := unit(raw, i+1)
			i += 4
			if low := pair(raw, i+1); utf16.IsSurrogate(r) && utf16.DecodeRune(r, low) != utf8.RuneError {
				r = utf16.DecodeRune(r, low)
				i += 6
			}
			out = utf8.AppendRune(out, r)
		default:
			out = append(out, raw[i])
		}
	}
	return string(out), true
}

// unit reads four hexadecimal digits.
func unit(raw []byte, i int) rune {
	if i+4 > len(raw) {
		return utf8.RuneError
	}
	v, err := strconv.ParseUint(string(raw[i:i+4]), 16, 16)
	if err != nil {
		return utf8.RuneError
	}
	return rune(v)
}

// pair reads the escape behind another one, which may be its second half.
func pair(raw []byte, i int) rune {
	if i+1 < len(raw) && raw[i] == '\\' && raw[i+1] == 'u' {
		return unit(raw, i+2)
	}
	return utf8.RuneError
}
