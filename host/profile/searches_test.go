package profile_test

import "testing"

func TestGlobIsJoined(t *testing.T) {
	cases := conversions{
		`{"pattern":"a\\*.go","path":"src\\lib\\\\"}`: `{"path":"src/lib/a/*.go"}`,
		`{"pattern":"/*.go","path":".\\"}`:            `{"path":"/*.go"}`,
		`{"pattern":"/*.go","path":"."}`:              `{"path":"/*.go"}`,
		`{"pattern":"*","path":".//"}`:                `{"path":"./*"}`,
		`{"pattern":"*","path":".."}`:                 `{"path":"../*"}`,
		`{"pattern":"*","path":" "}`:                  `{"path":" /*"}`,
		`{"pattern":"\\\\a","path":"/x"}`:             `{"path":"/x/a"}`,
		`{"pattern":"///","path":"x"}`:                `{"path":"x/"}`,
		`{"pattern":"*","path":null}`:                 `{"path":"*"}`,
		`{"limit":1,"pattern":"*"}`:                   `{"limit":1,"path":"*"}`,
		`{"pattern":"","globPattern":"*","path":"a"}`: `{"pattern":"","path":"a"}`,
		`{"globPattern":"2","glob_pattern":"1"}`:      `{"path":"1"}`,
		`{"pattern":null,"path":"a"}`:                 `{"pattern":null,"path":"a"}`,
	}
	toHost(t, onOmp(t), "glob", "glob", cases)
	toHost(t, liveTools(t, "omp", true, "glob"), "glob", "glob", cases)
}

func TestTheRootOfTheFileSystemIsKept(t *testing.T) {
	sound, reference := onOmp(t), liveTools(t, "omp", true, "glob", "grep")
	for _, root := range []string{`/`, `///`, `\\`, `\\/\\`} {
		in := `{"pattern":"//*.c","path":"` + root + `"}`
		toHost(t, sound, "glob", "glob", conversions{in: `{"path":"/*.c"}`})
		toHost(t, reference, "glob", "glob", conversions{in: `{"path":"*.c"}`})
		in = `{"path":"` + root + `","include":""}`
		toHost(t, sound, "grep", "grep", conversions{in: `{"path":"/"}`})
		toHost(t, reference, "grep", "grep", conversions{in: `{"path":""}`})
	}
	toProvider(t, sound, "glob", "glob", conversions{
		`{"path":"/*.c"}`:  `{"pattern":"*.c","path":"/"}`,
		`{"path":"\\*.c"}`: `{"pattern":"*.c","path":"/"}`,
		`{"path":"//*.c"}`: `{"pattern":"*.c","path":"/"}`,
		`{"path":"/"}`:     `{"pattern":"**/*","path":"/"}`,
	})
	toProvider(t, reference, "glob", "glob", conversions{
		`{"path":"/*.c"}`:  `{"pattern":"*.c","path":""}`,
		`{"path":"//*.c"}`: `{"pattern":"*.c","path":"/"}`,
	})
	toProvider(t, sound, "grep", "grep", conversions{`{"path":"/*.c"}`: `{"path":"/","include":"*.c"}`})
	toProvider(t, reference, "grep", "grep", conversions{`{"path":"/*.c"}`: `{"path":"","include":"*.c"}`})
}

func TestGlobIsParted(t *testing.T) {
	toProvider(t, onOmp(t), "glob", "glob", conversions{
		`{"path":"."}`:          `{"pattern":"**/*"}`,
		`{"path":"./"}`:         `{"pattern":"**/*","path":"./"}`,
		`{"path":"a\\b"}`:       `{"pattern":"**/*","path":"a/b"}`,
		`{"path":"a/b?c/d*/e"}`: `{"pattern":"b?c/d*/e","path":"a"}`,
		`{"path":"a//*"}`:       `{"pattern":"*","path":"a/"}`,
		`{"path":"a]}b/[c"}`:    `{"pattern":"[c","path":"a]}b"}`,
		`{"path":"*/"}`:         `{"pattern":"*/"}`,
		`{"path":"\ud83d/*","limit":1e0,"gitignore":"x","hidden":false,"pattern":"p"}`: `{"pattern":"*","path":"\ud83d","hidden":false,"limit":1e0}`,
	})
}

func TestGrep(t *testing.T) {
	toHost(t, onOmp(t), "grep", "grep", conversions{
		`{"include":"","pattern":"x"}`:       `{"pattern":"x","path":""}`,
		`{"include":null,"path":"a","i":1}`:  `{"include":null,"path":"a"}`,
		`{"path":3,"include":"a\\b"}`:        `{"path":"a/b"}`,
		`{"case":null,"caseSensitive":true}`: `{"case":null}`,
	})
	toProvider(t, onOmp(t), "grep", "grep", conversions{
		`{"path":"a\\b","case":false}`:             `{"path":"a\\b","caseSensitive":false}`,
		`{"path":"a\\b\\*.go"}`:                    `{"path":"a/b","include":"*.go"}`,
		`{"caseSensitive":null,"case":true}`:       `{"caseSensitive":null}`,
		`{"path":"{a,b}","include":"x","other":1}`: `{"include":"{a,b}","other":1}`,
		`{"path":1,"pattern":"*"}`:                 `{"path":1,"pattern":"*"}`,
	})
	toProvider(t, onPi(t), "grep", "grep", conversions{
		`{"glob":null}`:               `{"include":null}`,
		`{"include":null,"glob":"*"}`: `{"include":null}`,
		`{"path":"a/*"}`:              `{"path":"a/*"}`,
	})
}

func TestTimeouts(t *testing.T) {
	toHost(t, onOmp(t), "bash", "bash", conversions{
		`{"timeout":0}`:            `{"timeout":0}`,
		`{"timeout":-0}`:           `{"timeout":0}`,
		`{"timeout":-1500}`:        `{"timeout":-1.5}`,
		`{"timeout":1}`:            `{"timeout":0.001}`,
		`{"timeout":0.0001}`:       `{"timeout":1.0000000000000001e-7}`,
		`{"timeout":3.3}`:          `{"timeout":0.0033}`,
		`{"timeout":1e24}`:         `{"timeout":1e+21}`,
		`{"timeout":1e400}`:        `{"timeout":1e400}`,
		`{"timeout":null}`:         `{"timeout":null}`,
		`{"timeout":1000,"cwd":1}`: `{"timeout":1,"cwd":1}`,
	})
	toProvider(t, onOmp(t), "bash", "bash", conversions{
		`{"timeout":1.001}`:             `{"timeout":1000.9999999999999}`,
		`{"timeout":0.1}`:               `{"timeout":100}`,
		`{"timeout":1e-7}`:              `{"timeout":0.00009999999999999999}`,
		`{"timeout":1e18}`:              `{"timeout":1e+21}`,
		`{"timeout":1e307}`:             `{"timeout":1e307}`,
		`{"timeout":true,"cwd":"d"}`:    `{"timeout":true,"workdir":"d"}`,
		`{"cwd":null,"workdir":"w"}`:    `{"cwd":null,"workdir":"w"}`,
		`{"workdir":1,"x":2,"cwd":"d"}`: `{"workdir":"d","x":2}`,
	})
}
