package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/pintle-wasm/pintle/abi"
	v1 "github.com/pintle-wasm/pintle/abi/developermessages/v1"
	"github.com/pintle-wasm/pintle/runtime"
	"github.com/pintle-wasm/pintle/runtime/wazero"
)

func Example() {
	ctx := context.Background()
	r := runtime.New(wazero.New(wazero.Config{}), runtime.Options{})
	defer r.Close(ctx)
	file, err := os.ReadFile("../testdata/guests/c/c.wasm")
	if err != nil {
		log.Fatal(err)
	}
	g, err := r.Load(ctx, "c.wasm", file, runtime.GuestOptions{})
	if err != nil {
		log.Fatal(err)
	}
	prompt := "hello"
	request, err := abi.Encode(v1.RenderRequest{ID: "echo/c", Prompt: &prompt})
	if err != nil {
		log.Fatal(err)
	}
	value, err := g.Call(ctx, runtime.Call{Op: abi.RenderV1, Offer: "echo/c", Session: "s1", Request: request})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(abi.Text(value))
	// Output: C heard: hello <nil>
}

func ExampleExamine() {
	_, err := runtime.Examine("notes.txt", []byte("not a guest"))
	var refused *runtime.Error
	if errors.As(err, &refused) {
		fmt.Println(refused.Kind, refused.Origin())
		fmt.Println(refused.Reason)
	}
	// Output:
	// refused host
	// not a valid wasm module: the file does not start with \0asm (at byte 0)
}

func ExampleWithUsage() {
	ctx := context.Background()
	r := runtime.New(wazero.New(wazero.Config{}), runtime.Options{})
	defer r.Close(ctx)
	file, err := os.ReadFile("../testdata/guests/c/c.wasm")
	if err != nil {
		log.Fatal(err)
	}
	g, err := r.Load(ctx, "c.wasm", file, runtime.GuestOptions{})
	if err != nil {
		log.Fatal(err)
	}
	prompt := "hello"
	request, err := abi.Encode(v1.RenderRequest{ID: "echo/c", Prompt: &prompt})
	if err != nil {
		log.Fatal(err)
	}
	var usage runtime.Usage
	var buffer []byte // taken again for every answer
	for range 3 {
		call := runtime.Call{Op: abi.RenderV1, Offer: "echo/c", Request: request}
		if buffer, err = g.AppendCall(runtime.WithUsage(ctx, &usage), buffer[:0], call); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(usage.Calls, usage.Fuel > 0)
	fmt.Println("put back by copying:", g.Reset().Copied)
	// Output:
	// 3 true
	// put back by copying: true
}
