// Command go is the guest in Go that fails: it panics, recurses without end, allocates without end, and
// loops without end. The host's errors have to name the function that did. One contribution is well, to
// show that the guest is as good as before.
package main

import "github.com/pintle-wasm/pintle/guests/sdk/go/message"

func init() {
	message.Handle("calm", func(*message.Context) (string, error) { return "calm", nil })
	fails("sink", sink)
	fails("dive", func() int { return dive(1) })
	fails("hoard", hoard)
	fails("spin", spin)
}

func main() {}

// fails registers a contribution. It uses what the function returns, so that no compiler drops the call.
func fails(id string, fault func() int) {
	message.Handle(id, func(*message.Context) (string, error) { return string(rune('a' + fault()%26)), nil })
}

//go:noinline
func sink() int { panic("no tide today") }

// dive needs its own result after the call, so that it is no loop.
//
//go:noinline
func dive(depth int) int {
	//lint:ignore SA5007 it has no end, that is what it is for
	return dive(depth+1)*3 + depth
}

var hold [][]byte

//go:noinline
func hoard() int {
	for {
		hold = append(hold, make([]byte, 64<<10))
	}
}

// spin counts odd numbers until it comes to nought.
//
//go:noinline
func spin() int {
	turns := uint32(1)
	for turns != 0 {
		turns += 2
	}
	return int(turns)
}
