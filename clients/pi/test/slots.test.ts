import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import {
	findAdapter, registerSystemPromptPayloadAdapter, runAdapter, type SystemPromptPayloadAdapter,
} from "../src/adapters.ts";
import { getDeveloperMessageContributionRegistry, snapshot } from "../src/contributions.ts";
import { adaptPayload } from "../src/payload.ts";
import { promptEnvelopeRequests } from "../src/requests.ts";
import { getPromptEnvelopeService } from "../src/service.ts";
import type { Session } from "../src/sessions.ts";
import type { Sidecar } from "../src/sidecar.ts";
import { CONTRIBUTIONS_KEY, REQUESTS_KEY, SERVICE_KEY, writeSlot } from "../src/slots.ts";
import { FakePi, freshProcess } from "./host.ts";

beforeEach(freshProcess);

const pi = new FakePi();
afterEach(() => pi.close());

test("a store of requests need not be a Map, and is kept", () => {
	const own = { protocol: REQUESTS_KEY, version: 1, get: () => undefined, set() {}, delete() {}, clear() {} };
	writeSlot(REQUESTS_KEY, own);
	assert.equal(promptEnvelopeRequests() as unknown, own);
	writeSlot(REQUESTS_KEY, { ...own, clear: undefined });
	assert.notEqual(promptEnvelopeRequests() as unknown, own);
});

test("a service is emptied out of its slot only by its owner", async () => {
	pi.load({ command: ["/no/such/program"] });
	const other = { capture() {}, current() {} };
	writeSlot(SERVICE_KEY, other);
	await pi.emit("session_shutdown", { reason: "quit" });
	assert.equal(getPromptEnvelopeService() as unknown, other);
});

test("what other packages write into the map does not break a turn", () => {
	const map = getDeveloperMessageContributionRegistry() as unknown as Map<string, unknown>;
	map.set("1", null);
	map.set("2", "text");
	map.set("3", { content: "no id" });
	map.set("4", { id: "filter", providers: "p", content: "x" });
	map.set("7", { id: "filter", activeTools: [1], content: "x" });
	map.set("5", { id: "low", priority: -Infinity, providers: null, content: "x" });
	map.set("6", { id: "odd", priority: "high", content: 5 });
	const { list, render } = snapshot({ activeTools: [], sessionId: "s", systemPromptOptions: { cwd: "/" } });
	assert.deepEqual(list, [
		{ handle: 0, id: "low", priority: "-Infinity", content: "x" }, { handle: 1, id: "odd" },
	]);
	assert.deepEqual(render([1], true), [
		{ error: { kind: "not-text", message: "contribution odd answered a number" } },
	]);
});

test("contributions are called with their own this, in order, up to the first error", () => {
	const called: string[] = [];
	const map = getDeveloperMessageContributionRegistry();
	const make = (id: string, fail = false): void => {
		map.set(id, {
			id,
			content() {
				called.push(this.id);
				if (fail) throw Object.create(null);
				return id;
			},
		});
	};
	make("a");
	make("b", true);
	make("c");
	const { render } = snapshot({ activeTools: [], sessionId: "s", systemPromptOptions: { cwd: "/" } });
	const error = { error: { message: "something without a text was thrown" } };
	assert.deepEqual(render([0, 1, 2], true), [{ text: "a" }, error]);
	assert.deepEqual(render([2, 1, 0], false), [{ text: "c" }, error, { text: "a" }]);
	assert.deepEqual(called, ["a", "b", "c", "b", "a"]);
});

const bare: SystemPromptPayloadAdapter = { provider: "p", readSystemPrompt: () => undefined, replaceSystemPrompt: (x) => x };

test("an adapter for a provider comes before those of the newer line, unless it is one of them", () => {
	const forModel = { ...bare, model: "m" };
	const forApi = { ...bare, api: ["x", "y"] };
	registerSystemPromptPayloadAdapter(forModel);
	registerSystemPromptPayloadAdapter(forApi);
	assert.equal(findAdapter("p", "x", "m", "0.3.7"), forModel);
	assert.equal(findAdapter("p", "y", "other", "0.3.7"), forApi);
	assert.equal(findAdapter("p", "z", "other", "0.3.7"), undefined);
	assert.equal(findAdapter("q", "x", "m", "0.3.7"), undefined);
	const dispose = registerSystemPromptPayloadAdapter(bare);
	assert.equal(findAdapter("p", "x", "m", "0.3.7"), bare);
	assert.equal(findAdapter("p", "x", "m", "0.3.9"), forModel);
	dispose();
	assert.equal(findAdapter("p", "x", "m", "0.3.7"), forModel);
});

test("an adapter that is switched off hides the others, and the payload goes out as it is", async () => {
	const mark: SystemPromptPayloadAdapter = { ...bare, replaceDeveloperMessages: () => "marked" };
	registerSystemPromptPayloadAdapter({ ...mark, api: "x" });
	registerSystemPromptPayloadAdapter({ ...bare, api: "x", enabled: (_provider, _api, model) => model !== "off" });
	const sidecar = { lookup: "0.3.9", call: () => assert.fail("the sidecar was asked") } as unknown as Sidecar;
	const state = { base: "B", prompt: "P", provider: "p", messages: [] };
	const adapt = (api: string, id: string): Promise<unknown> => adaptPayload({
		sessionId: "s", session: { state } as unknown as Session, model: { provider: "p", api, id }, payload: {}, signal: undefined,
	}, sidecar);
	assert.equal(await adapt("x", "off"), undefined);
	registerSystemPromptPayloadAdapter({ ...mark, api: "x", model: "off" });
	assert.equal(await adapt("x", "off"), "marked", "one that is more specific is not hidden");
});

test("a foreign registry loses its place at the next access", () => {
	writeSlot(CONTRIBUTIONS_KEY, new Map([["x", {}]]));
	assert.deepEqual([...getDeveloperMessageContributionRegistry().values()], []);
});

test("of adapters that fit alike the newest is taken, and the older one after it", () => {
	const [older, newer] = [{ ...bare, api: "x" }, { ...bare, api: "x" }];
	registerSystemPromptPayloadAdapter(older);
	const dispose = registerSystemPromptPayloadAdapter(newer);
	assert.equal(findAdapter("p", "x", "m", "0.3.9"), newer);
	dispose();
	assert.equal(findAdapter("p", "x", "m", "0.3.9"), older);
});

test("a predicate is asked about known models only", () => {
	const asked: string[] = [];
	const picky = { ...bare, model: (model: string) => asked.push(model) > 0 };
	registerSystemPromptPayloadAdapter(picky);
	assert.equal(findAdapter("p", "x", undefined, "0.3.7"), undefined);
	assert.equal(findAdapter("p", "x", "m", "0.3.7"), picky);
	assert.deepEqual(asked, ["m"]);
});

test("an adapter gets messages of its own, and what either of its steps changes counts", () => {
	const messages = [{ id: "a", content: "text", extra: 1 }];
	const replacement = { base: "B", prompt: "P", messages };
	const changed = { changed: true };
	const adapter: SystemPromptPayloadAdapter = {
		provider: "p", readSystemPrompt: () => "B", replaceSystemPrompt: () => changed,
		replaceDeveloperMessages: (payload, given) => {
			assert.deepEqual(given.splice(0), [{ id: "a", content: "text" }]);
			return payload;
		},
	};
	assert.equal(runAdapter(adapter, {}, replacement, "0.3.7"), changed);
	assert.equal(runAdapter(adapter, {}, replacement, "0.3.9"), changed);
	assert.equal(messages.length, 1);
	const other = { ...replacement, base: "other" };
	const payload = {};
	assert.equal(runAdapter(adapter, payload, other, "0.3.7"), payload);
	assert.equal(runAdapter(adapter, payload, other, "0.3.9"), undefined);
	const { replaceDeveloperMessages: _, ...prompts } = adapter;
	assert.equal(runAdapter(prompts, payload, other, "0.3.7"), undefined);
	assert.equal(runAdapter(prompts, payload, replacement, "0.3.9"), changed);
});
