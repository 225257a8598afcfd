//go:build toolchains

package guestbuild_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/guests/templates"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/internal/guesttest"
	"github.com/pintle-wasm/pintle/internal/guesttrace"
	"github.com/pintle-wasm/pintle/runtime"
)

// rustProject is a folder with a guest that has one contribution.
func rustProject(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "my-guest")
	files["pintle.toml"] = "id = \"test/rust\"\nversion = \"1\"\n[[contributions]]\nid = \"c\"\nneeds = [\"prompt\"]\n"
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

// A module does not tell where it was built.
func TestRustBuildsAreReproducible(t *testing.T) {
	var first []byte
	for _, folder := range []string{"a", "quite/another/folder"} {
		dir := filepath.Join(t.TempDir(), folder)
		require.NoError(t, os.MkdirAll(filepath.Dir(dir), 0o755))
		require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(rustGuests, "example/rust"))))
		file, said := compiled(t, dir)
		assert.Empty(t, said)
		if first == nil {
			first = file
		}
		assert.True(t, string(first) == string(file), "another module in another folder")
		home, err := os.UserHomeDir()
		require.NoError(t, err)
		for _, path := range []string{os.TempDir() + "/", dir, home + "/"} {
			assert.NotContains(t, string(file), path)
		}
	}
}

// A single file is a guest too, and the build says what the compiler says.
func TestRustGuestWithoutCargoToml(t *testing.T) {
	dir := rustProject(t, map[string]string{"lib.rs": `
pintle::guest! { contributions: { "c" => say } }

fn say(context: &pintle::Context) -> pintle::Result<Option<String>> {
    let unused = 1;
    let count: u32 = context.prompt.unwrap_or_default().parse()?;
    Ok(Some(count.to_string()))
}
`})
	file, said := compiled(t, dir)
	assert.Contains(t, said, "unused variable: `unused`")
	text, err := renderIn(t, file, "042")
	require.NoError(t, err)
	assert.Equal(t, "42", text)
	_, err = renderIn(t, file, "many")
	assert.ErrorContains(t, err, "invalid digit found in string")
}

// A compiler that the PATH does not lead to brings its linker with it.
func TestRustWithoutAPath(t *testing.T) {
	t.Setenv("PATH", "")
	file, _ := compiled(t, rustProject(t, map[string]string{"lib.rs": `pintle::guest! { contributions: { "c" => |_| Ok(None) } }`}))
	assert.NotEmpty(t, file)
}

func TestRustGuestsThatDoNotCompile(t *testing.T) {
	for source, want := range map[string]string{
		`pintle::guest! { tools: { "c" => say } }`:                                                          "`tools` is no group of a guest; there are contributions, adapters,",
		`pintle::guest! { contributions: { "c" => say }, contributions: { "d" => say } }`:                   "symbol `developer_messages_v1_render` is already defined",
		`pintle::guest! { contributions: { "c" => say }, adapters: { "c" => say } }`:                        "expected",
		`pintle::guest! { contributions: { "c" => say }, adapters_v1: { "c" => Unknown } }`:                 "cannot find value `Unknown`",
		`pintle::guest! { contributions: { "c" => say } } fn f(e: pintle::Error) { let _ = e.nonsense(); }`: "no method named `nonsense`",
	} {
		source += "\nfn say(_: &pintle::Context) -> pintle::Result<Option<String>> { Ok(None) }\n"
		_, _, err := guestbuild.Build(t.Context(), guestbuild.Options{Dir: rustProject(t, map[string]string{"src/lib.rs": source})})
		require.ErrorContains(t, err, want, source)
		assert.ErrorContains(t, err, "--> src/lib.rs:")
	}
	// What is offered without a handler for it is missing from the module.
	source := `pintle::guest! { adapters: { "c" => |_| Ok(Default::default()) } }`
	_, _, err := guestbuild.Build(t.Context(), guestbuild.Options{Dir: rustProject(t, map[string]string{"src/lib.rs": source})})
	assert.ErrorContains(t, err, "export developer_messages_v1_render: missing")
	assert.ErrorContains(t, err, "provider_payload_adapters_v2_edit")
}

const rustCapable = `
pintle::guest! { contributions: { "c" => count } }

fn count(context: &pintle::Context) -> pintle::Result<Option<String>> {
    match context.prompt {
        Some("time") => return Ok(Some(pintle::now().as_secs().to_string())),
        Some("random") => {
            let mut drawn = [0; 8];
            pintle::random(&mut drawn);
            return Ok(Some(format!("{:?}", drawn)));
        }
        _ => {}
    }
    let n: u32 = match pintle::kv_get("n") {
        Some(value) => String::from_utf8_lossy(&value).parse()?,
        None => 0,
    };
    let text = (n + 1).to_string();
    match context.prompt {
        Some("large") => pintle::kv_set("n", &[0; 16_385])?,
        Some("forget") => pintle::kv_delete("n")?,
        _ => pintle::kv_set("n", text.as_bytes())?,
    }
    pintle::warn!("{} of {}", n, text);
    Ok(Some(text))
}
`

// Everything that a host offers can be asked for.
func TestRustGuestWithCapabilities(t *testing.T) {
	dir := rustProject(t, map[string]string{"src/lib.rs": rustCapable})
	toml := filepath.Join(dir, "pintle.toml")
	text, err := os.ReadFile(toml)
	require.NoError(t, err)
	for _, name := range []string{"kv", "clock", "random"} {
		text = append(text, "[[capabilities]]\nname = \""+name+"\"\nreason = \"is tested\"\n"...)
	}
	require.NoError(t, os.WriteFile(toml, text, 0o600))
	file, _ := compiled(t, dir)
	r := runtime.New(enginetest.New(), runtime.Options{Limits: runtime.Limits{Time: time.Minute}})
	t.Cleanup(func() { assert.NoError(t, r.Close(context.Background())) })
	load := func(source string, grants ...string) func(prompt string) string {
		g, err := r.Load(t.Context(), "c", file, runtime.GuestOptions{Source: source, Grants: grants})
		require.NoError(t, err)
		assert.True(t, g.Reset().Copied, g.Reset().Reasons)
		return func(prompt string) string {
			request, err := abi.Encode(map[string]any{"id": "c", "features": 0, "prompt": prompt})
			require.NoError(t, err)
			value, err := g.Call(t.Context(), runtime.Call{Op: abi.RenderV1, Session: "s", Request: request})
			if err != nil {
				return err.Error()
			}
			text, err := abi.Text(value)
			require.NoError(t, err)
			return text
		}
	}

	without := load("/without")
	assert.Contains(t, without(""), "kv is not granted")
	assert.Contains(t, without("forget"), "kv is not granted")
	assert.Equal(t, "1577836800", without("time"))
	assert.Equal(t, without("random"), without("random"))

	with := load("/with", runtime.Grantable()...)
	assert.Equal(t, "1", with(""))
	assert.Equal(t, "2", with(""))
	assert.Contains(t, with("large"), "there is no room in the kv")
	assert.Equal(t, "3", with("forget"))
	assert.Equal(t, "1", with(""))
	seconds, err := strconv.ParseInt(with("time"), 10, 64)
	require.NoError(t, err)
	assert.WithinDuration(t, time.Now(), time.Unix(seconds, 0), time.Hour)
	assert.NotEqual(t, with("random"), with("random"))
}

// However a guest fails, the host learns why, and where in the source.
func TestRustPanics(t *testing.T) {
	file, _ := compiled(t, rustProject(t, map[string]string{"src/lib.rs": `
pintle::guest! { contributions: { "c" => |context| Ok(Some(broken_by_its_author(context.prompt.unwrap_or_default()))) } }

#[inline(never)]
fn broken_by_its_author(what: &str) -> String {
    let list = [1, 2, 3];
    match what {
        "text" => panic!("out of cheese"),
        "format" => panic!("out of {}", what),
        "index" => list[what.len()].to_string(),
        "slice" => "é"[1..].to_owned(),
        "unwrap" => what.parse::<u8>().unwrap().to_string(),
        "option" => what.strip_prefix("x").expect("an x in front").to_owned(),
        "assert" => {
            assert_eq!(what.len(), 5, "lengths");
            String::new()
        }
        "value" => std::panic::panic_any(5),
        "time" => format!("{:?}", std::time::SystemTime::now()),
        "large" => String::from_utf8_lossy(&vec![b'x'; 1 << 30]).into_owned(),
        "deep" => broken_by_its_author_deep(&[1; 9]).to_string(),
        _ => String::from("fine"),
    }
}

/// Needs its own numbers after the call, so that they wait on the stack.
#[inline(never)]
fn broken_by_its_author_deep(above: &[usize]) -> usize {
    let mut numbers = [above.len() + above[7]; 300];
    numbers[above[3] % 300] = above[5];
    broken_by_its_author_deep(&numbers) + numbers[above[2] % 300]
}
`}))
	for prompt, want := range map[string]string{
		"text":   `panic: out of cheese \(src/lib\.rs:8\)$`,
		"format": `panic: out of format \(src/lib\.rs:9\)$`,
		"index":  `panic: index out of bounds: the len is 3 but the index is 5 \(src/lib\.rs:10\)$`,
		"slice":  `panic: byte index 1 is not a char boundary.* \(.*\.rs:\d+\)$`,
		"unwrap": `panic: called .Result::unwrap\(\). on an .Err. value: ParseIntError \{ kind: InvalidDigit \} \(src/lib\.rs:12\)$`,
		"option": `panic: an x in front \(src/lib\.rs:13\)$`,
		"assert": `(?s)panic: assertion .*lengths.* \(src/lib\.rs:15\)$`,
		"value":  `panic: a value that is no text \(src/lib\.rs:18\)$`,
		"time":   `panic: time not implemented on this platform \(.*time\.rs:\d+\)$`,
		"large":  `memory: it wanted more than its`,
		"deep":   `trap: stack overflow: the stack in its memory is full: out of bounds memory access$`,
	} {
		_, err := renderIn(t, file, prompt)
		var e *runtime.Error
		require.ErrorAs(t, err, &e, prompt)
		assert.Regexp(t, want, strings.ReplaceAll(e.Error(), "\n", " "), prompt)
		lines := guesttrace.Lines(e.Trace, 8)
		assert.Contains(t, strings.Join(lines[:min(2, len(lines))], "\n"), "at my_guest::broken_by_its_author", "%s: %q", prompt, e.Trace)
	}
	text, err := renderIn(t, file, "")
	require.NoError(t, err)
	assert.Equal(t, "fine", text)
}

// The templates build, their cases pass, and so do the tests that are in their sources.
func TestRustTemplates(t *testing.T) {
	for _, kind := range templates.Kinds() {
		t.Run(kind, func(t *testing.T) {
			source, err := templates.Of("rust", kind)
			require.NoError(t, err)
			dir := filepath.Join(t.TempDir(), "my-guest")
			require.NoError(t, os.CopyFS(dir, source))
			require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
				if err != nil || e.IsDir() {
					return err
				}
				text, err := os.ReadFile(path)
				require.NoError(t, err)
				return os.WriteFile(path, []byte(strings.ReplaceAll(string(text), "{{name}}", "my-guest")), 0o600)
			}))
			file, said := compiled(t, dir)
			assert.Empty(t, said)
			text, err := os.ReadFile(filepath.Join(dir, "cases.json"))
			require.NoError(t, err)
			suite, err := guesttest.Parse("cases.json", text)
			require.NoError(t, err)
			r := runtime.New(enginetest.New(), runtime.Options{Limits: runtime.Limits{Time: time.Minute}})
			t.Cleanup(func() { assert.NoError(t, r.Close(context.Background())) })
			runner := &guesttest.Runner{Load: func(ctx context.Context, config map[string]string) (*runtime.Guest, error) {
				return r.Load(ctx, "my-guest.wasm", file, runtime.GuestOptions{Config: config})
			}}
			for i := range suite.Cases {
				result := runner.Run(t.Context(), suite.Cases[i])
				assert.True(t, result.Passed, "%s: %s %v", result.Case.Name, result.Fault, result.Diff)
			}
			require.NoError(t, runner.Close(t.Context()))
		})
	}
}
