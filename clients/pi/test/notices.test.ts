import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { Notices, printable } from "../src/notices.ts";
import type { PiContext } from "../src/pi.ts";

/** The context of an extension, and what its user is told. */
function interfaced(): { context: PiContext; said: string[] } {
	const said: string[] = [];
	const ui = { notify: (message: string) => said.push(message) };
	return { context: { hasUI: true, ui } as unknown as PiContext, said };
}

const without = { hasUI: false } as PiContext;

/** What is written to standard error meanwhile. */
function stderr(t: TestContext): string[] {
	const lines: string[] = [];
	t.mock.method(process.stderr, "write", (text: string) => lines.push(text) > 0);
	return lines;
}

const [one, two, three] = [{}, {}, {}];
const away = "pintle: it ended; requests go out as Pi built them";
const back = "pintle: the sidecar is back";

test("a guest cannot steer the terminal by what is said of it", () => {
	const { context, said } = interfaced();
	const notices = new Notices();
	notices.use(one, context);
	notices.problem({ where: "a\u001b[31m.wasm", message: "panic: \u009b2J\u0007" });
	notices.away(one, "ended\r");
	assert.deepEqual(said, [
		"pintle: a\\u{1b}[31m.wasm: panic: \\u{9b}2J\\u{7}",
		"pintle: ended\\u{d}; requests go out as Pi built them",
	]);
});

test("many sessions without a user interface: standard error has it once", (t) => {
	const lines = stderr(t);
	const notices = new Notices();
	for (const extension of [one, two, three]) notices.use(extension, without);
	notices.problem({ where: "a.wasm", message: "is no guest" });
	for (const extension of [one, two, one, three]) notices.away(extension, "it ended");
	notices.drop(three);
	notices.back(one);
	notices.away(one, "it ended");
	notices.back(one);
	notices.back(two);
	notices.back(two);
	assert.deepEqual(lines, ["pintle: a.wasm: is no guest\n", `${away}\n`, `${back}\n`]);
});

test("every user interface is told, and one of them of a session that has none", (t) => {
	const lines = stderr(t);
	const [first, second] = [interfaced(), interfaced()];
	const notices = new Notices();
	notices.use(one, without);
	notices.use(two, first.context);
	notices.use(three, second.context);
	notices.away(one, "it ended");
	assert.deepEqual(first.said, [away]);
	notices.away(two, "it ended");
	notices.away(three, "it ended");
	for (const extension of [three, two, one]) notices.back(extension);
	assert.deepEqual([first.said, second.said, lines], [[away, back], [away, back], []]);
});

test("a call that fails behind the end of its session leaves nothing", (t) => {
	const lines = stderr(t);
	const notices = new Notices();
	for (const extension of [one, two]) notices.use(extension, without);
	notices.drop(one);
	notices.away(one, "it ended");
	notices.away(two, "it ended");
	notices.back(two);
	assert.deepEqual(lines, [`${away}\n`, `${back}\n`]);
});

test("a context that Pi has replaced is none", (t) => {
	const lines = stderr(t);
	const notices = new Notices();
	notices.use(one, { get hasUI(): boolean { throw new Error("stale"); } } as PiContext);
	notices.away(one, "it ended");
	assert.deepEqual(lines, [`${away}\n`]);
});

test("other texts are shown as they are", () => {
	for (const text of ["high\n\ttide", "é 日 👩\u200d🚀", "half \ud83d", ""]) assert.equal(printable(text), text);
	assert.equal(printable("\u202eedit"), "\\u{202e}edit");
});
