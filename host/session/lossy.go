package session

import (
	"bytes"
	"math"
	"strconv"
	"unicode/utf8"
)

// lossy says what of a value would not survive being read and written as JSON by every program, "" if all
// of it does. data must be valid JSON.
func lossy(data []byte) string {
	if !utf8.Valid(data) {
		return "is not text in UTF-8"
	}
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			for i++; data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
		case c == '-' || c >= '0' && c <= '9':
			from := i
			for i++; i < len(data) && inNumber(data[i]); i++ {
			}
			if fault := lossyNumber(data[from:i]); fault != "" {
				return fault
			}
			i--
		}
	}
	return ""
}

func inNumber(c byte) bool {
	return c >= '0' && c <= '9' || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-'
}

func lossyNumber(raw []byte) string {
	if len(raw) < 300 && !bytes.ContainsAny(raw, "eE") && (raw[0] != '-' || raw[1] != '0') {
		return "" // neither beyond the range nor zero with a sign
	}
	f, _ := strconv.ParseFloat(string(raw), 64)
	switch {
	case math.IsInf(f, 0):
		return "has a number beyond the range of a double: " + shorten(raw, 40)
	case f == 0 && math.Signbit(f):
		return "has a negative zero, which does not survive JSON: " + shorten(raw, 40)
	}
	return ""
}

// shorten cuts what is shown of a text to a number of bytes.
func shorten[T ~string | ~[]byte](text T, most int) string {
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}
