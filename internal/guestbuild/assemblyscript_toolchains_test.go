//go:build toolchains && unix

package guestbuild_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	assemblyscriptsdk "github.com/pintle-wasm/pintle/guests/sdk/assemblyscript"
	"github.com/pintle-wasm/pintle/guests/templates"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/internal/guesttest"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/runtime"
)

// ascTemplate is a project as `pintle new` makes it.
func ascTemplate(t *testing.T, kind string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tide")
	files, err := templates.Of("assemblyscript", kind)
	require.NoError(t, err)
	require.NoError(t, os.CopyFS(filepath.Join(dir, "pintle"), assemblyscriptsdk.Files))
	require.NoError(t, fs.WalkDir(files, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, name)
		ascFile(t, filepath.Join(dir, filepath.FromSlash(name)), strings.ReplaceAll(string(text), "{{name}}", "tide"))
		return err
	}))
	return dir
}

func ascBuild(t *testing.T, dir string) []byte {
	t.Helper()
	var said bytes.Buffer
	out, _, err := guestbuild.Build(t.Context(), guestbuild.Options{Dir: dir, Stderr: &said})
	require.NoError(t, err)
	assert.Empty(t, said.String())
	file, err := os.ReadFile(out)
	require.NoError(t, err)
	return file
}

func TestAssemblyScriptTemplates(t *testing.T) {
	for _, kind := range templates.Kinds() {
		t.Run(kind, func(t *testing.T) {
			dir := ascTemplate(t, kind)
			file := ascBuild(t, dir)
			text, err := os.ReadFile(filepath.Join(dir, guestbuild.CasesFile))
			require.NoError(t, err)
			suite, err := guesttest.Parse(guestbuild.CasesFile, text)
			require.NoError(t, err)
			r := runtime.New(enginetest.New(), runtime.Options{Limits: runtime.Limits{Time: time.Minute}})
			defer func() { assert.NoError(t, r.Close(context.Background())) }()
			runner := &guesttest.Runner{Load: func(ctx context.Context, config map[string]string) (*runtime.Guest, error) {
				return r.Load(ctx, "tide", file, runtime.GuestOptions{Config: config})
			}}
			defer func() { assert.NoError(t, runner.Close(context.Background())) }()
			for _, c := range suite.Cases {
				result := runner.Run(t.Context(), c)
				assert.True(t, result.Passed, "%s: %s%s", c.Name, result.Fault, result.Diff)
			}
			assert.Less(t, len(file), 40_000)

			// The command's own SDK makes the same file, and so does another folder.
			require.NoError(t, os.RemoveAll(filepath.Join(dir, "pintle")))
			assert.Equal(t, file, ascBuild(t, dir))
			assert.Equal(t, file, ascBuild(t, ascTemplate(t, kind)))
		})
	}
}

// The module exports the operations of what the guest re-exports and nothing else.
func TestAssemblyScriptExports(t *testing.T) {
	m, err := wasmbin.Parse(ascBuild(t, ascTemplate(t, "contribution")), wasmbin.DefaultLimits())
	require.NoError(t, err)
	var exports []string
	for _, e := range m.Exports {
		exports = append(exports, e.Name)
	}
	assert.ElementsMatch(t, []string{"memory", "pintle_abi_1", "pintle_alloc", "developer_messages_v1_render"}, exports)
	for _, im := range m.Imports {
		assert.Equal(t, "pintle/1", im.Module)
	}
}

func TestAssemblyScriptMistakes(t *testing.T) {
	build := func(source string) error {
		dir := ascProject(t)
		ascFile(t, filepath.Join(dir, "assembly", "index.ts"), source)
		_, _, err := guestbuild.Build(t.Context(), guestbuild.Options{Dir: dir})
		return err
	}
	require.NoError(t, build(`export * from "pintle/exports/message";`))

	err := build(`export * from "pintle/exports/message"; const n: i32 = "tide";`)
	require.ErrorContains(t, err, "in assembly/index.ts(1,")
	assert.ErrorContains(t, err, "TS2322")
	assert.NotContains(t, err.Error(), "\x1b")

	err = build(`export function hi(): void {}`)
	assert.ErrorContains(t, err, `does not use the SDK, which exports what the host calls: export * from "pintle/exports/message"`)

	var contract *guestbuild.ContractError
	require.True(t, errors.As(build(`import "pintle/exports/message";`), &contract))
	assert.ErrorContains(t, contract, "developer_messages_v1_render")
	require.True(t, errors.As(build(`export * from "pintle/exports/message"; export * from "pintle/exports/edit";`), &contract))
	assert.ErrorContains(t, contract, "provider_payload_adapters_v2_edit")
}

// What the project's asconfig.json asks for besides does not end up in the guest.
func TestAssemblyScriptKeepsNamesOnly(t *testing.T) {
	dir := ascProject(t)
	ascFile(t, filepath.Join(dir, "asconfig.json"), `{"targets": {"release": {"sourceMap": true, "optimizeLevel": 0, "runtime": "stub"}}}`)
	file := ascBuild(t, dir)
	m, err := wasmbin.Parse(file, wasmbin.DefaultLimits())
	require.NoError(t, err)
	for _, s := range m.Sections {
		assert.True(t, !s.Custom() || s.Name == "name" || s.Name == "pintle.manifest", s.Name)
	}
	assert.Contains(t, string(file), "~lib/rt/itcms/", "the runtime that collects garbage")
}
