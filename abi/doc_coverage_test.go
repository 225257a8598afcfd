package abi_test

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	messages "github.com/pintle-wasm/pintle/abi/developermessages/v1"
	adapters "github.com/pintle-wasm/pintle/abi/payloadadapters/v1"
	adaptersv2 "github.com/pintle-wasm/pintle/abi/payloadadapters/v2"
	"github.com/pintle-wasm/pintle/internal/wasi"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

// constants evaluates the untyped constants of a package's folder whose names satisfy pick, and those
// declared with the given type, if it is not "".
func constants(t *testing.T, dir string, pick func(name, typ string) bool) map[string]constant.Value {
	t.Helper()
	found := map[string]constant.Value{}
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			typ, _ := spec.Type.(*ast.Ident)
			for i, name := range spec.Names {
				if i >= len(spec.Values) || !pick(name.Name, identName(typ)) {
					continue
				}
				v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, types.ExprString(spec.Values[i]))
				require.NoError(t, err, name.Name)
				found[name.Name] = v.Value
			}
			return true
		})
	}
	require.NotEmpty(t, found, dir)
	return found
}

func identName(id *ast.Ident) string {
	if id == nil {
		return ""
	}
	return id.Name
}

// spellings are the ways in which the document may write a number: 4096, 4,096, 4 KiB.
func spellings(n uint64) []string {
	plain := strconv.FormatUint(n, 10)
	grouped := plain
	for i := len(plain) - 3; i > 0; i -= 3 {
		grouped = grouped[:i] + "," + grouped[i:]
	}
	all := []string{plain, grouped}
	for shift, unit := range map[uint]string{10: " KiB", 20: " MiB"} {
		if n>>shift != 0 && n>>shift<<shift == n {
			all = append(all, strconv.FormatUint(n>>shift, 10)+unit)
		}
	}
	return all
}

// mentions reports whether the document has one of the spellings, standing alone.
func mentions(text string, n uint64) bool {
	for _, s := range spellings(n) {
		for at := strings.Index(text, s); at >= 0; {
			before, after := text[at-1], text[at+len(s)]
			if !strings.ContainsRune("0123456789,", rune(before)) && !('0' <= after && after <= '9') &&
				!(after == ',' && '0' <= text[at+len(s)+1] && text[at+len(s)+1] <= '9') {
				return true
			}
			next := strings.Index(text[at+1:], s)
			if next < 0 {
				break
			}
			at += 1 + next
		}
	}
	return false
}

// prose is the document without its hex, in which any number could be found.
func prose(t *testing.T) string {
	text := document(t)
	for name, block := range blocks(t, "hex") {
		text = strings.Replace(text, "```hex "+name+"\n"+block, "", 1)
	}
	return text
}

func TestDocumentNamesEveryLimit(t *testing.T) {
	text := prose(t)
	isLimit := func(name, _ string) bool {
		return strings.HasPrefix(strings.ToLower(name), "max") || name == "recordCost"
	}
	for dir, least := range map[string]int{".": 8, "../runtime": 4, "../internal/wasi": 2, "../internal/payloadview": 5} {
		limits := constants(t, dir, isLimit)
		assert.GreaterOrEqual(t, len(limits), least, dir)
		for name, value := range limits {
			n, exact := constant.Uint64Val(value)
			require.True(t, exact, name)
			assert.True(t, mentions(text, n), "%s/%s = %d is not in ABI.md", dir, name, n)
		}
	}
	clock := constants(t, "../internal/wasi", func(name, _ string) bool { return name == "epoch" || name == "tick" || name == "resolution" })
	assert.Len(t, clock, 3)
	for name, value := range clock {
		n, _ := constant.Uint64Val(value)
		assert.True(t, mentions(text, n), "%s = %d is not in ABI.md", name, n)
	}
	limits := reflect.ValueOf(wasmbin.DefaultLimits())
	for i := range limits.NumField() {
		field := limits.Field(i)
		n := uint64(0)
		if field.CanInt() {
			n = uint64(field.Int())
		} else {
			n = field.Uint()
		}
		assert.True(t, mentions(text, n), "module limit %s = %d is not in ABI.md", limits.Type().Field(i).Name, n)
	}
}

func TestDocumentNamesEveryErrorKind(t *testing.T) {
	kinds := constants(t, "../runtime", func(_, typ string) bool { return typ == "Kind" })
	assert.GreaterOrEqual(t, len(kinds), 10)
	for name, value := range kinds {
		assert.True(t, strings.Contains(document(t), "\n| `"+constant.StringVal(value)+"` |"), "%s has no row in ABI.md", name)
	}
}

func TestDocumentNamesEveryOperationAndName(t *testing.T) {
	text := document(t)
	has := func(want string) { assert.True(t, strings.Contains(text, want), "%s is not in ABI.md", want) }
	for _, it := range abi.Interfaces() {
		has("\n| `" + it.ID + "` |")
		for _, op := range it.Operations {
			optional := "|"
			if op.Optional {
				optional = "yes |"
			}
			has("| `" + op.Export + "` | " + optional)
		}
	}
	for _, name := range []string{abi.HostModule, abi.ManifestSection, abi.TransportExport, abi.MemoryExport, abi.AllocExport,
		abi.InitExport, string(abi.StateNone), string(abi.StateSession), string(abi.VolatilityNever),
		string(abi.VolatilitySession), string(abi.VolatilityTurn)} {
		has("`" + name + "`")
	}
	capabilities := constants(t, ".", func(name, _ string) bool { return strings.HasPrefix(name, "Capability") })
	assert.Len(t, capabilities, 5)
	for _, value := range capabilities {
		has("\n| `" + constant.StringVal(value) + "` | ")
	}
	for _, field := range abi.ContextFields() {
		has("\n| `" + string(field) + "` |")
	}
}

// Every key of the manifest and of the requests has a row in a table.
func TestDocumentNamesEveryKey(t *testing.T) {
	text := document(t)
	for _, v := range []any{abi.Manifest{}, abi.Contribution{}, abi.Adapter{}, abi.Capability{}, abi.Limits{},
		abi.Selector{}, abi.Filter{}, messages.RenderRequest{}, adapters.Payload{}, adaptersv2.EditRequest{}, adaptersv2.Entry{},
		adaptersv2.Answer{}, adaptersv2.Edit{}} {
		typ := reflect.TypeOf(v)
		for i := range typ.NumField() {
			key, _, _ := strings.Cut(typ.Field(i).Tag.Get("cbor"), ",")
			require.NotEmpty(t, key)
			assert.True(t, strings.Contains(text, "\n| `"+key+"` |"), "%s.%s has no row in ABI.md", typ, typ.Field(i).Name)
		}
	}
}

func TestDocumentNamesEveryHostFunction(t *testing.T) {
	text := document(t)
	own := constants(t, "../runtime", func(name, _ string) bool { return strings.HasPrefix(name, "import") })
	assert.Len(t, own, 6)
	for _, value := range own {
		name := constant.StringVal(value)
		assert.True(t, strings.Contains(text, "\n| `"+name+"` | `("), "%s is not in ABI.md", name)
	}
	for _, f := range wasi.Functions() {
		// A row of the table, or an entry of the two lists of refusals.
		row, entry := "| `"+f.Name+"` | `"+f.Type.String()+"` |", "`"+f.Name+"` `"+f.Type.String()+"`"
		assert.True(t, strings.Contains(text, row) || strings.Contains(text, entry), "%s %s is not in ABI.md", f.Name, f.Type)
	}
}
