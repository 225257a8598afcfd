package main

import (
	"fmt"
	"os"
	"os/exec"

	"github.com/dop251/goja"
	"github.com/extism/go-sdk"

	"github.com/pintle-wasm/pintle/internal/bench/hook"
)

// extism calls a guest in C on Extism's kernel.
func (b *bench) extism() (func() error, error) {
	extism.SetLogLevel(extism.LogLevelOff)
	source := extism.Manifest{Wasm: []extism.Wasm{extism.WasmData{Data: extismModule}}}
	plugin, err := extism.NewPlugin(b.ctx, source, extism.PluginConfig{}, nil)
	if err != nil {
		return nil, err
	}
	b.defers(func() error { return plugin.Close(b.ctx) })
	p := newPrompt()
	return func() error {
		code, out, err := plugin.Call("render", p.next())
		if err != nil || code != 0 {
			return fmt.Errorf("code %d: %w", code, err)
		}
		return same(out, p.text)
	}, nil
}

// goPlugin calls a guest in Go whose messages are protobuf.
func (b *bench) goPlugin() (func() error, error) {
	file := b.path("hook.wasm")
	build := exec.CommandContext(b.ctx, "go", "build", "-buildmode=c-shared", "-o", file, "./hook/guest")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	host, err := hook.NewHookPlugin(b.ctx)
	if err != nil {
		return nil, err
	}
	plugin, err := host.Load(b.ctx, file)
	if err != nil {
		return nil, err
	}
	b.defers(func() error { return plugin.Close(b.ctx) })
	p := newPrompt()
	return func() error {
		answer, err := plugin.Render(b.ctx, &hook.Request{Prompt: string(p.next())})
		if err != nil {
			return err
		}
		return same([]byte(answer.Text), p.text)
	}, nil
}

// goja calls a function of a JavaScript engine in Go, with the same request as an object in JSON.
func (b *bench) goja() (func() error, error) {
	vm := goja.New()
	script := `(function (json) { const request = JSON.parse(json); return JSON.stringify({ text: request.prompt }) })`
	value, err := vm.RunString(script)
	if err != nil {
		return nil, err
	}
	render, _ := goja.AssertFunction(value)
	p := newPrompt()
	return func() error {
		answer, err := render(goja.Undefined(), vm.ToValue(`{"id":"echo","prompt":"`+string(p.next())+`"}`))
		if err != nil {
			return err
		}
		return same([]byte(answer.String()), []byte(`{"text":"`+string(p.text)+`"}`))
	}, nil
}
