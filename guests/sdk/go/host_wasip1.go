package pintle

import "unsafe"

func log(level Level, text string) {
	hostLog(uint32(level), unsafe.Pointer(unsafe.StringData(text)), uint32(len(text)))
}

func config(key string) (string, bool) {
	value, ok := pull(key, hostConfig)
	return string(value), ok
}

func kvGet(key string) ([]byte, bool) { return pull(key, hostKVGet) }

// pull asks the host for a value, and again with a buffer that is large enough for it.
func pull(key string, ask func(key unsafe.Pointer, keyLen uint32, buf unsafe.Pointer, bufLen uint32) int32) ([]byte, bool) {
	buf := make([]byte, 256)
	for {
		n := ask(unsafe.Pointer(unsafe.StringData(key)), uint32(len(key)),
			unsafe.Pointer(unsafe.SliceData(buf)), uint32(len(buf)))
		if n < 0 {
			return nil, false
		}
		if int(n) <= len(buf) {
			return buf[:n], true
		}
		buf = make([]byte, n)
	}
}

const kvDenied = -2

func kvSet(key string, value []byte) error {
	switch hostKVSet(unsafe.Pointer(unsafe.StringData(key)), uint32(len(key)),
		unsafe.Pointer(unsafe.SliceData(value)), uint32(len(value))) {
	case 0:
		return nil
	case kvDenied:
		return ErrDenied
	}
	return ErrNoRoom
}

func kvDelete(key string) error {
	if hostKVDelete(unsafe.Pointer(unsafe.StringData(key)), uint32(len(key))) == kvDenied {
		return ErrDenied
	}
	return nil
}

//go:wasmimport pintle/1 log
func hostLog(level uint32, text unsafe.Pointer, n uint32)

//go:wasmimport pintle/1 config
func hostConfig(key unsafe.Pointer, keyLen uint32, buf unsafe.Pointer, bufLen uint32) int32

//go:wasmimport pintle/1 kv_get
func hostKVGet(key unsafe.Pointer, keyLen uint32, buf unsafe.Pointer, bufLen uint32) int32

//go:wasmimport pintle/1 kv_set
func hostKVSet(key unsafe.Pointer, keyLen uint32, value unsafe.Pointer, valueLen uint32) int32

//go:wasmimport pintle/1 kv_delete
func hostKVDelete(key unsafe.Pointer, keyLen uint32) int32
