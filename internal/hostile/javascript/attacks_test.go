package javascript_test

// An attack is what a hostile author writes into the function call of his own __pintle, in place of the SDK's.
type attack struct {
	name string
	// code runs in call if the prompt says so; it may return an answer.
	code string
	// more is the body of the function more, settled that of settled.
	more, settled string
	// ends are the kinds with which it may end; text is an answer with which it may end, if it may.
	ends []string
	text string
	// names is a function that the error has to name.
	names string
}

// Ends of attacks. A loop that never comes back to JavaScript is stopped by the meter.
var (
	stopped   = []string{"fuel", "timeout"}
	thrown    = []string{"trap"}
	exhausted = []string{"memory", "fuel"} // whichever is first
	wrong     = []string{"bad-answer"}
	anyhow    = []string{"fuel", "timeout", "trap", "memory", "bad-answer", "answer-too-large", "failed"}
)

var loops = []attack{
	{name: "loop", code: `(function spin() { for (;;); })()`, ends: stopped, names: "spin"},
	{name: "loop in catch and finally", ends: stopped, names: "spin",
		code: `(function spin() { for (;;) try { for (;;); } catch { for (;;); } finally { for (;;); } })()`},
	{name: "loop that returns from finally", ends: stopped,
		code: `(function spin() { for (;;) { try { for (;;); } finally { continue } } })()`},
	{name: "loop in a generator", ends: stopped,
		code: `function* spin() { try { for (;;) yield 1 } finally { for (;;); } } for (const x of spin()); `},
	{name: "generator whose end loops", ends: stopped,
		code: `function* spin() { try { yield 1 } finally { for (;;); } } for (const x of spin()) break`},
	{name: "loop of jobs", code: `(async () => { for (;;) await 0 })(); return "."`, settled: `return "."`, ends: stopped},
	{name: "loop of jobs behind an answer", code: `(async () => { for (;;) await 0 })(); return "1well"`, ends: stopped},
	{name: "loop in a job that catches", ends: stopped, settled: `return "1caught"`,
		code: `(async () => { for (;;) try { await 0; for (;;); } catch {} })().catch(() => {}).then(() => {}); return "."`},
	{name: "loop in a thenable", code: `Promise.resolve({ then() { for (;;); } }); return "."`, settled: `return "."`, ends: stopped},
	{name: "loop in settled", code: `return "."`, settled: `for (;;);`, ends: stopped},
	{name: "loop in more", code: `return "+1well"`, more: `for (;;);`, ends: stopped},
	{name: "loop in more after a loop", code: `for (;;);`, more: `for (;;);`, ends: stopped},
	{name: "loop in more after an error", code: `throw new Error("tide")`, more: `for (;;);`, ends: anyhow},
	{name: "more that throws after an error", code: `throw new Error("tide")`, more: `throw new Error("ebb")`, ends: thrown},
	{name: "regular expression", code: `/(a*)*b/.test("a".repeat(64))`, ends: anyhow},
	{name: "regular expression of back references", ends: anyhow,
		code: `/(?:(a|a|a|a|a|a)*\1)+$/u.test("a".repeat(200) + "b")`},
	{name: "replace that grows", code: `let s = "a"; for (;;) s = s.replace(/./g, "$&$&$&$&")`, ends: anyhow},
	{name: "numbers without end", code: `let x = 3n; for (;;) x *= x`, ends: anyhow},
	{name: "a power", code: `return "1" + (7n ** 3000000n).toString().length`, ends: anyhow},
	{name: "a division", code: `const x = 1n << 8000000n; return "1" + (x / (x - 1n))`, ends: anyhow},
	{name: "an array as long as there can be", code: `new Array(4294967295).fill(0)`, ends: anyhow},
	{name: "sorting with a comparator that lies", ends: anyhow,
		code: `const a = Array.from({length: 3e5}, (_, i) => i); a.sort(() => Math.random() - 0.5); a.sort(() => 1); return "1well"`, text: "well"},
	{name: "join of a sparse array", code: `const a = []; a[4294967294] = 1; a.join("x")`, ends: anyhow},
	{name: "index of nothing", code: `Array.prototype.indexOf.call({length: 2 ** 53 - 1}, 1)`, ends: stopped},
	{name: "copying nothing", code: `Array.prototype.copyWithin.call({length: 2 ** 53 - 1}, 1, 0)`, ends: stopped},
	{name: "waiting", code: `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); return "1well"`, ends: anyhow, text: "well"},
	{name: "waiting for jobs", ends: anyhow, text: "well", settled: `return "."`,
		code: `Atomics.waitAsync?.(new Int32Array(new SharedArrayBuffer(4)), 0, 0).value.then(() => {}); return "1well"`},
	{name: "Function made of much", code: `new Function("return " + "1+".repeat(1e6) + "1")(); return "1well"`, ends: anyhow, text: "well"},
	{name: "dates", code: `let d = 0; for (;;) d += Date.parse("2026-11-30T12:00:00Z")`, ends: stopped},
	{name: "normalising", code: `let s = "\u0344"; for (;;) s = (s + s).normalize("NFD")`, ends: anyhow},
}

var depths = []attack{
	{name: "recursion", code: `(function dive(n) { return dive(n + 1) + 1 })(0)`, ends: anyhow, names: "dive"},
	{name: "recursion that catches", code: `(function dive() { try { dive() } catch { dive() } })()`, ends: anyhow},
	{name: "recursion that goes on", text: "well", ends: anyhow,
		code: `try { (function dive() { dive() })() } catch {} return "1well"`},
	{name: "recursion through toString", code: `const o = { toString() { return "" + o } }; return "1" + o`, ends: anyhow},
	{name: "recursion through sort", code: `(function dive() { [1, 2].sort(dive) })()`, ends: anyhow},
	{name: "recursion through replace", code: `(function dive() { "a".replace(/a/, dive) })()`, ends: anyhow},
	{name: "recursion through getters", code: `const o = { get a() { return this.a } }; o.a`, ends: anyhow},
	{name: "recursion through JSON", code: `const o = { toJSON() { return JSON.stringify(o) } }; JSON.stringify(o)`, ends: anyhow},
	{name: "JSON that is deep", code: `JSON.parse("[".repeat(5e5))`, ends: anyhow},
	{name: "value that is deep", code: `let a = []; for (let i = 0; i < 2e5; i++) a = [a]; JSON.stringify(a)`, ends: anyhow},
	{name: "value that is deep, as text", code: `let a = []; for (let i = 0; i < 2e5; i++) a = [a]; return "1" + a`, ends: anyhow},
	{name: "value that is deep, flat", code: `let a = []; for (let i = 0; i < 2e5; i++) a = [a]; a.flat(Infinity)`, ends: anyhow},
	{name: "value that is deep, dropped", ends: anyhow, text: "well",
		code: `let a; for (let i = 0; i < 2e5; i++) a = { a }; a = null; return "1well"`},
	{name: "code that is deep", code: `eval("(".repeat(2e5))`, ends: anyhow},
	{name: "code that is deep and right", code: `eval("[".repeat(1e5) + "]".repeat(1e5))`, ends: anyhow, text: "well"},
	{name: "functions in functions", code: `eval("(()=>".repeat(5e4) + "1" + ")".repeat(5e4))`, ends: anyhow},
	{name: "regular expression that is deep", ends: anyhow,
		code: `new RegExp("(".repeat(5e4) + ")".repeat(5e4)).test("a")`},
	{name: "proxy of proxies", code: `let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); p.x`, ends: anyhow, text: "well"},
	{name: "prototypes without end", ends: anyhow,
		code: `let p = {}; for (let i = 0; i < 2e5; i++) p = Object.create(p); return "1" + ("x" in p)`, text: "false"},
	{name: "bound functions", code: `let f = () => 1; for (let i = 0; i < 1e5; i++) f = f.bind(); f()`, ends: anyhow},
	{name: "ropes", ends: anyhow, text: "well",
		code: `let s = "a"; for (let i = 0; i < 2e5; i++) s = i % 2 ? s + "b" : "c" + s; s.charAt(0); return "1well"`},
	{name: "promises of promises", ends: anyhow, settled: `return "1well"`, text: "well",
		code: `let p = Promise.resolve(1); for (let i = 0; i < 5e4; i++) p = p.then(() => p); return "."`},
	{name: "classes of classes", ends: anyhow, text: "well",
		code: `let c = class {}; for (let i = 0; i < 3e4; i++) c = class extends c {}; new c(); return "1well"`},
}
