package differential_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/guests/stock"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmbin/proof"
)

const root = "../../.."

// guestFiles returns every guest in the tree by its path.
func guestFiles(t testing.TB) map[string][]byte {
	adapters, err := stock.Adapters()
	require.NoError(t, err)
	files := map[string][]byte{"guests/stock/adapters.wasm": adapters}
	for _, dir := range []string{"testdata/guests", "examples"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			name := strings.TrimSuffix(path, ".gz")
			if filepath.Ext(name) != ".wasm" {
				return nil
			}
			bin, err := os.ReadFile(path)
			if err == nil && name != path {
				var r io.Reader
				if r, err = gzip.NewReader(bytes.NewReader(bin)); err == nil {
					bin, err = io.ReadAll(r)
				}
			}
			files[strings.TrimPrefix(name, root+"/")] = bin
			return err
		}))
	}
	return files
}

// hostile reports whether a guest must not be run as it is: it would not end, or take all memory.
func hostile(name string) bool {
	return strings.Contains(name, "/hostile/") || strings.Contains(name, "/faults/")
}

// Every guest in the tree answers the same, rewritten or not, and what the rewriter accepts is proved.
func TestGuests(t *testing.T) {
	files := guestFiles(t)
	require.Contains(t, files, "testdata/guests/c/c.wasm")
	for name, bin := range files {
		t.Run(name, func(t *testing.T) {
			if program := bundle(t, bin); program != nil {
				rewritten := rewriteKnown(t, bin)
				require.NoError(t, proof.Check(rewritten.Bytes))
				if !hostile(name) {
					sameScript(t, bin, program, rewritten)
				}
				return
			}
			rewritten, err := rewrite(bin)
			if hostile(name) && err != nil {
				return
			}
			require.NoError(t, err)
			require.NoError(t, proof.Check(rewritten.Bytes))
			if !hostile(name) {
				sameAnswers(t, bin, rewritten)
			}
		})
	}
}

func sameAnswers(t *testing.T, bin []byte, rewritten *wasmbin.Instrumented) {
	m, err := wasmbin.Parse(bin, wasmbin.DefaultLimits())
	require.NoError(t, err)
	sections, _ := m.CustomSection(abi.ManifestSection)
	require.Len(t, sections, 1)
	manifest, err := abi.DecodeManifest(sections[0])
	require.NoError(t, err)

	var twins [2]*instance
	for i := range twins {
		e := newWazero()
		defer e.close()
		require.NoError(t, e.wasi())
		w, err := newWorld(e, 10_000)
		require.NoError(t, err)
		require.NoError(t, w.guestHost(m))
		if i == 0 {
			twins[i], err = w.instantiate(bin, "", nil)
		} else {
			twins[i], err = w.instantiate(bin, "", rewritten)
		}
		require.NoError(t, err)
		if _, ok := twins[i].functions["_initialize"]; ok {
			_, err = twins[i].call("_initialize")
			require.NoError(t, err)
		}
	}
	assert.Empty(t, differences(twins[0], twins[1], true), "started")

	ids := offered(manifest)
	answers := 0
	for _, of := range abi.Interfaces() {
		for _, op := range of.Operations {
			if _, ok := twins[0].functions[op.Export]; !ok {
				continue
			}
			for _, id := range ids {
				want, wantErr := operation(twins[0], op.Export, id)
				got, gotErr := operation(twins[1], op.Export, id)
				assert.Equal(t, trap(wantErr), trap(gotErr), "%s %s", op.Export, id)
				assert.Equal(t, want, got, "%s %s", op.Export, id)
				assert.Empty(t, differences(twins[0], twins[1], true), "%s %s", op.Export, id)
				if len(got) > 2 {
					answers++
				}
			}
		}
	}
	assert.Equal(t, twins[0].world.log, twins[1].world.log)
	assert.Positive(t, answers, "the guest answers something")
	assert.Positive(t, twins[1].world.used())
}

// offered are ids that requests may name, and one that no guest has.
func offered(manifest *abi.Manifest) []string {
	ids := []string{"nobody"}
	for _, c := range manifest.Contributions {
		ids = append(ids, c.ID)
	}
	for _, a := range manifest.Adapters {
		ids = append(ids, a.ID)
	}
	return ids
}

// guestHost makes the functions that a guest imports beside those of WASI. They answer 0.
func (w *world) guestHost(m *wasmbin.Module) error {
	var list []hostFunction
	for _, im := range m.Imports {
		if im.Module != "pintle/1" {
			continue
		}
		n := len(im.Type.Params)
		f := hostFunction{name: im.Name, params: binaryTypes(im.Type.Params), results: binaryTypes(im.Type.Results)}
		f.call = func(caller module, stack []uint64) error {
			line := im.Name
			if n >= 2 {
				at, size := uint32(stack[n-2]), uint32(stack[n-1])
				line = fmt.Sprintf("%s %q", im.Name, caller.memory()[at:at+size])
			}
			w.write(line)
			clear(stack)
			return nil
		}
		list = append(list, f)
	}
	return w.engine.host("pintle/1", list)
}

// requestTo is a request that has the fields of all operations.
func requestTo(id string) ([]byte, error) {
	return abi.Encode(map[string]any{
		"id": id, "features": 0, "provider": "openai", "activeTools": []string{"read", "edit"}, "sessionId": "s",
		"prompt": "What does the ledger say? " + strings.Repeat("Line by line. ", 40), "api": "",
		"payload":      []byte(`{"model":"m","instructions":"old","system":"old","messages":[{"role":"user","content":"hi"}],"input":[]}`),
		"systemPrompt": "You are terse.", "messages": []map[string]string{{"id": "a", "content": "Use tools."}}, "view": []any{},
	})
}

// operation sends a request.
func operation(in *instance, export, id string) ([]byte, error) {
	request, err := requestTo(id)
	if err != nil {
		return nil, err
	}
	at, err := in.call(abi.AllocExport, uint64(len(request)))
	if err != nil {
		return nil, err
	}
	copy(in.module.memory()[uint32(at[0]):], request)
	answer, err := in.call(export, at[0], uint64(len(request)))
	if err != nil {
		return nil, err
	}
	from, n := answer[0]>>32, answer[0]&(1<<32-1)
	b := in.module.memory()
	if from+n > uint64(len(b)) {
		return nil, fmt.Errorf("no answer at %x", answer[0])
	}
	return bytes.Clone(b[from : from+n]), nil
}
