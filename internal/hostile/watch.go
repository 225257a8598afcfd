package hostile

import (
	"bytes"
	"os"
	goruntime "runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"time"
)

// A memoryWatch samples what the process holds and keeps the largest growth that it saw.
type memoryWatch struct {
	heap, resident         uint64 // at the start
	peakHeap, peakResident uint64
	stop                   chan struct{}
	done                   chan struct{}
}

const sampleEvery = 2 * time.Millisecond

// watchMemory starts with as little as the process can hold.
func watchMemory() *memoryWatch {
	goruntime.GC()
	debug.FreeOSMemory()
	w := &memoryWatch{stop: make(chan struct{}), done: make(chan struct{})}
	w.heap, w.resident = heapBytes(), residentBytes()
	go func() {
		defer close(w.done)
		for {
			w.look()
			select {
			case <-time.After(sampleEvery):
			case <-w.stop:
				return
			}
		}
	}()
	return w
}

func (w *memoryWatch) look() {
	w.peakHeap = max(w.peakHeap, heapBytes())
	w.peakResident = max(w.peakResident, residentBytes())
}

// end returns by how many bytes the heap, and the memory of the process as a whole, had grown at most.
func (w *memoryWatch) end() (heap, resident uint64) {
	close(w.stop)
	<-w.done
	w.look()
	return w.peakHeap - min(w.heap, w.peakHeap), w.peakResident - min(w.resident, w.peakResident)
}

func heapBytes() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// residentBytes is the memory of the process that the machine holds for it, 0 where that is not known.
func residentBytes() uint64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := bytes.Fields(text)
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseUint(string(fields[1]), 10, 64)
	return pages * uint64(os.Getpagesize())
}
