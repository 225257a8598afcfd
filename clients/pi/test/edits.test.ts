import assert from "node:assert/strict";
import { test } from "node:test";
import { applyEdits } from "../src/edits.ts";
import { toJSON } from "../src/plainjson.ts";
import type { Edit } from "../src/protocol.ts";

test("edits are addressed in the original, and copy only what they touch", () => {
	const signal = new AbortController().signal;
	const bytes = new Uint8Array(3);
	const image = { data: bytes };
	const payload = {
		system: "old", contents: ["a", "b", "c"], config: { abortSignal: signal, nothing: undefined }, image,
	};
	const result = applyEdits(payload, [
		{ op: "set", path: ["system"], value: "new" },
		{ op: "insert", path: ["contents", 0], value: 1 },
		{ op: "insert", path: ["contents", 0], value: 2 },
		{ op: "remove", path: ["contents", 1] },
		{ op: "insert", path: ["contents", 1], value: 3 },
		{ op: "insert", path: ["contents", 3], value: 4 },
		{ op: "set", path: ["config", "systemInstruction"], value: "text" },
	]) as typeof payload;
	assert.deepEqual(result, {
		system: "new", contents: [1, 2, "a", 3, "c", 4],
		config: { abortSignal: signal, nothing: undefined, systemInstruction: "text" }, image,
	});
	assert.deepEqual(Object.keys(result), ["system", "contents", "config", "image"]);
	assert.deepEqual(Object.keys(result.config), ["abortSignal", "nothing", "systemInstruction"]);
	assert.equal(result.config.abortSignal, signal);
	assert.equal(result.image, image);
	assert.deepEqual(payload, {
		system: "old", contents: ["a", "b", "c"], config: { abortSignal: signal, nothing: undefined }, image: { data: bytes },
	});
});

test("no edits give the payload itself, and an edit of the root another", () => {
	const payload = { a: 1 };
	assert.equal(applyEdits(payload, []), payload);
	assert.equal(applyEdits(payload, [{ op: "set", path: [], value: 2 }]), 2);
});

test("a key can be removed", () => {
	const payload = { a: 1, b: { c: 2, d: 3 } };
	const result = applyEdits(payload, [{ op: "remove", path: ["b", "c"] }, { op: "remove", path: ["a"] }]);
	assert.deepEqual(result, { b: { d: 3 } });
	assert.deepEqual(payload, { a: 1, b: { c: 2, d: 3 } });
});

test("a key may be called __proto__", () => {
	const result = applyEdits({}, [{ op: "set", path: ["__proto__"], value: { evil: 1 } }]);
	assert.deepEqual(Object.keys(result as object), ["__proto__"]);
	assert.equal((result as { evil?: number }).evil, undefined);
	const own = JSON.parse('{"__proto__": {"kept": 1}, "a": 1}') as object;
	const kept = applyEdits(own, [{ op: "set", path: ["a"], value: 2 }]);
	assert.equal(JSON.stringify(kept), '{"__proto__":{"kept":1},"a":2}');
	assert.equal(Object.getPrototypeOf(kept), Object.prototype);
});

test("an object keeps its prototype", () => {
	class Body {
		text = "old";
	}
	const result = applyEdits(new Body(), [{ op: "set", path: ["text"], value: "new" }]);
	assert.ok(result instanceof Body);
	assert.equal(result.text, "new");
});

const misplaced: [string, Edit][] = [
	["a list has no keys", { op: "set", path: ["list", "x"], value: 0 }],
	["beyond a list", { op: "insert", path: ["list", 3], value: 0 }],
	["between two items", { op: "set", path: ["list", 0.5], value: 0 }],
	["set behind a list", { op: "set", path: ["list", 2], value: 0 }],
	["a missing key cannot be removed", { op: "remove", path: ["none"] }],
	["nothing is below a text", { op: "set", path: ["text", "x"], value: 0 }],
	["nothing is below a missing key", { op: "set", path: ["none", "x"], value: 0 }],
	["an object has no order to insert in", { op: "insert", path: ["x"], value: 0 }],
	["the root cannot be removed", { op: "remove", path: [] }],
	["too deep", { op: "set", path: Array.from({ length: 1000 }, () => "x"), value: 0 }],
];

for (const [why, edit] of misplaced) {
	test(`an edit without a place: ${why}`, () => {
		assert.throws(() => applyEdits({ list: [1, 2], text: "t" }, [edit]));
	});
}

test("what JSON has no form for is null, and everything else keeps its place", () => {
	const date = new Date(0);
	const value = {
		big: 10n, buffer: Buffer.from("abc"), view: new Float64Array(2), raw: new ArrayBuffer(2),
		list: [new Uint8Array(2), undefined, 1], signal: new AbortController().signal, missing: undefined, date,
	};
	assert.deepEqual(JSON.parse(toJSON(value)), {
		big: null, buffer: null, view: null, raw: null, list: [null, null, 1], signal: {}, date: date.toJSON(),
	});
	assert.ok(Buffer.isBuffer(value.buffer), "the value itself stays as it is");
	assert.equal(toJSON("half \ud83d"), '"half \\ud83d"');
});
