package session

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// benchLog is a log of one long answer: text deltas, and a call whose arguments were streamed for each
// 400 of them, in batches as a writer stores them.
func benchLog(scale int) (events []Event) {
	add := func(kind, data string) {
		events = append(events, Event{Type: kind, Seq: int64(len(events)), Time: 1900000000000 + int64(len(events)), Data: []byte(data)})
	}
	add(TurnStart, `{"turn":1}`)
	add(StepStart, `{"turn":1,"step":1}`)
	for i := range 50 * scale {
		for j := range 400 {
			add(AssistantChunk, fmt.Sprintf(`{"turn":1,"step":1,"chunk":{"type":"text-delta","index":%d,"text":"word%d "}}`, 2*i, j%17))
		}
		for j := range 74 {
			add(AssistantChunk, fmt.Sprintf(`{"turn":1,"step":1,"chunk":{"type":"tool-call-delta","index":%d,"id":"call_%d","argumentsDelta":"a%04d\""}}`, 2*i+1, i, j))
		}
	}
	add(StepEnd, `{"turn":1,"step":1}`)
	add(TurnEnd, `{"turn":1,"reason":{"kind":"completed"}}`)
	return events
}

// BenchmarkScan puts the scan of a log beside a floor that is measured in the same run: reading the same
// lines and checking that each is JSON. x-floor is the ratio. What a row or a frame saves in bytes shows
// in ns/event.
func BenchmarkScan(b *testing.B) {
	for _, scale := range []int{1, 10} {
		events := benchLog(scale)
		var plain, packed, frames, packedFrames []byte
		plain = append(plain, headerLine+"\n"...)
		packed = append(packed, headerLine+"\n"...)
		frames, packedFrames = AppendFrame(frames, plain), AppendFrame(packedFrames, plain)
		for from := 0; from < len(events); from += 200 {
			batch := events[from:min(from+200, len(events))]
			var lines, rows []byte
			for i := range batch {
				lines = append(batch[i].AppendJSON(lines), '\n')
			}
			for _, record := range Pack(batch) {
				rows = append(append(rows, record...), '\n')
			}
			plain, packed = append(plain, lines...), append(packed, rows...)
			frames, packedFrames = AppendFrame(frames, lines), AppendFrame(packedFrames, rows)
		}
		for _, c := range []struct {
			name string
			log  []byte
			scan func(io.Reader) *Scanner
		}{
			{"plain", plain, NewScanner}, {"rows", packed, NewScanner},
			{"zstd", frames, NewZstdScanner}, {"zstd-rows", packedFrames, NewZstdScanner},
		} {
			b.Run(fmt.Sprintf("%dx/%s", scale, c.name), func(b *testing.B) {
				b.SetBytes(int64(len(c.log)))
				b.ReportAllocs()
				for b.Loop() {
					n := 0
					for _, err := range c.scan(bytes.NewReader(c.log)).Events() {
						if err != nil {
							b.Fatal(err)
						}
						n++
					}
					if n != len(events) {
						b.Fatal(n)
					}
				}
				perEvent := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / float64(len(events))
				b.ReportMetric(perEvent, "ns/event")
				if c.name == "plain" {
					b.ReportMetric(perEvent/floor(c.log), "x-floor")
				}
			})
		}
	}
}

// floor returns the least that a line of a log can cost, in nanoseconds.
func floor(log []byte) float64 {
	lines, start := 0, time.Now()
	for time.Since(start) < 200*time.Millisecond {
		in := bufio.NewReaderSize(bytes.NewReader(log), readBuffer)
		for {
			line, err := in.ReadSlice('\n')
			if err != nil || !jsonspan.Valid(line) {
				break
			}
			lines++
		}
	}
	return float64(time.Since(start)) / float64(lines)
}

func BenchmarkPack(b *testing.B) {
	for _, scale := range []int{1, 10} {
		events := benchLog(scale)
		for i := range events { // as they are when they come from a log
			e, err := ParseEvent(events[i].AppendJSON(nil))
			if err != nil {
				b.Fatal(err)
			}
			events[i] = e
		}
		b.Run(fmt.Sprintf("%dx", scale), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Pack(events)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(events)), "ns/event")
		})
	}
}
