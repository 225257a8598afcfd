package stream_test

import "unsafe"

// sameMemory says whether bytes are those of a text.
func sameMemory(text string, b []byte) bool {
	return unsafe.StringData(text) == unsafe.SliceData(b) && len(text) == len(b)
}
