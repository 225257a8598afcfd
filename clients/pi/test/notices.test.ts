import assert from "node:assert/strict";
import { test } from "node:test";
import { Notices, printable } from "../src/notices.ts";
import type { PiContext } from "../src/pi.ts";

test("a guest cannot steer the terminal by what is said of it", () => {
	const said: string[] = [];
	const notices = new Notices();
	notices.use({ hasUI: true, ui: { notify: (message: string) => said.push(message) } } as unknown as PiContext);
	notices.problem({ where: "a\u001b[31m.wasm", message: "panic: \u009b2J\u0007" });
	notices.away("ended\r");
	assert.deepEqual(said, [
		"pintle: a\\u{1b}[31m.wasm: panic: \\u{9b}2J\\u{7}",
		"pintle: ended\\u{d}; requests go out as Pi built them",
	]);
});

test("other texts are shown as they are", () => {
	for (const text of ["high\n\ttide", "é 日 👩\u200d🚀", "half \ud83d", ""]) assert.equal(printable(text), text);
	assert.equal(printable("\u202eedit"), "\\u{202e}edit");
});
