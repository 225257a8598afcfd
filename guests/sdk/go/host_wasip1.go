package pintle

import "unsafe"

func log(level Level, text string) {
	hostLog(uint32(level), unsafe.Pointer(unsafe.StringData(text)), uint32(len(text)))
}

func config(key string) (string, bool) {
	buf := make([]byte, 256)
	for {
		n := hostConfig(unsafe.Pointer(unsafe.StringData(key)), uint32(len(key)),
			unsafe.Pointer(unsafe.SliceData(buf)), uint32(len(buf)))
		if n < 0 {
			return "", false
		}
		if int(n) <= len(buf) {
			return string(buf[:n]), true
		}
		buf = make([]byte, n)
	}
}

//go:wasmimport pintle/1 log
func hostLog(level uint32, text unsafe.Pointer, n uint32)

//go:wasmimport pintle/1 config
func hostConfig(key unsafe.Pointer, keyLen uint32, buf unsafe.Pointer, bufLen uint32) int32
