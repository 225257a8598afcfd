import assert from "node:assert/strict";
import { test } from "node:test";
import { applyEdits } from "../src/edits.ts";
import { keepLive } from "../src/livevalues.ts";
import { toJSON } from "../src/plainjson.ts";

/** What an adapter makes of the payload that it saw as JSON. */
function replaced(live: unknown, change: (seen: any) => unknown): any {
	return applyEdits(live, [{ op: "set", path: [], value: change(JSON.parse(toJSON(live))) }]);
}

const signal = new AbortController().signal;
const bytes = new Uint8Array([1, 2]);
const call = (): void => {};
const make = () => ({
	model: "m", contents: [{ image: bytes }, { text: "b", call }, { image: bytes }], config: { signal, nothing: undefined, size: 1 },
	date: new Date(0), big: 10n, list: [undefined, NaN, 1],
});

test("a payload that comes back as it was is the live one", () => {
	const live = make();
	assert.equal(replaced(live, (seen) => seen), live);
});

test("keys in another order keep what is live below them", () => {
	const live = make();
	const result = replaced(live, ({ model, config, ...rest }) => ({ config: { added: 1, ...config }, ...rest, model: `${model}2` }));
	assert.deepEqual(Object.keys(result), ["config", "contents", "date", "big", "list", "model"]);
	assert.deepEqual(Object.keys(result.config), ["added", "signal", "size", "nothing"]);
	assert.equal(result.config.signal, signal);
	assert.equal(result.contents, live.contents);
	assert.equal(result.date, live.date);
	assert.equal(result.big, 10n);
	assert.equal(result.list, live.list);
	assert.equal(result.model, "m2");
	assert.deepEqual(live, make());
});

test("what was taken away is gone", () => {
	assert.deepEqual(replaced({ a: 1, b: { c: 1, d: 2 } }, () => ({ b: { d: 2 } })), { b: { d: 2 } });
});

test("items of a list stay live where it grew or shrank", () => {
	const live = make();
	const grown = replaced(live, (seen) => ({ ...seen, contents: [{ text: "new" }, ...seen.contents] })).contents;
	assert.deepEqual(grown[0], { text: "new" });
	assert.deepEqual(grown.slice(1).map((item: unknown, i: number) => item === live.contents[i]), [true, true, true]);
	const middle = replaced(live, ({ contents: [a, ...rest], ...seen }) => ({ ...seen, contents: [a, 5, 6, ...rest] })).contents;
	assert.deepEqual(middle, [live.contents[0], 5, 6, live.contents[1], live.contents[2]]);
	assert.equal(middle[3], live.contents[1]);
	const shrunk = replaced(live, ({ contents, ...seen }) => ({ ...seen, contents: contents.slice(1) })).contents;
	assert.equal(shrunk.length, 2);
	assert.equal(shrunk[1], live.contents[2]);
	assert.equal(shrunk[0], live.contents[1]);
	assert.deepEqual(keepLive([1, 1], [1]), [1]);
	assert.deepEqual(keepLive([bytes], [null, null]), [bytes, null]);
});

test("an item of a list that changed keeps its live members", () => {
	const live = [{ image: bytes, text: "old" }];
	assert.deepEqual(keepLive(live, [{ image: null, text: "new" }]), [{ image: bytes, text: "new" }]);
});

test("other kinds of values just replace", () => {
	assert.equal(keepLive({ a: 1 }, "text"), "text");
	assert.deepEqual(keepLive("text", { a: 1 }), { a: 1 });
	assert.deepEqual(keepLive([1], { 0: 1 }), { 0: 1 });
	assert.deepEqual(keepLive(new Map([[1, 2]]), { a: 1 }), { a: 1 });
	assert.equal(keepLive(null, 0), 0);
});

test("a member may be called __proto__", () => {
	const live = JSON.parse('{"__proto__": {"a": 1}, "b": 1}') as object;
	const result = keepLive(live, JSON.parse('{"b": 2, "__proto__": {"a": 1}}'));
	assert.equal(JSON.stringify(result), '{"b":2,"__proto__":{"a":1}}');
	assert.equal(Object.getPrototypeOf(result), Object.prototype);
});
