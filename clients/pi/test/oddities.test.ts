import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { getSystemPromptPayloadAdapterRegistry } from "../src/adapters.ts";
import { getDeveloperMessageContributionRegistry, messageOf, registerDeveloperMessageContribution } from "../src/contributions.ts";
import { auditBranch, dropAuditCopies, dropAuditEntries, withContext } from "../src/messages.ts";
import type { PiContext } from "../src/pi.ts";
import { report } from "../src/report.ts";
import { getPromptEnvelopeService } from "../src/service.ts";
import { CONTRIBUTIONS_KEY, writeSlot } from "../src/slots.ts";
import { FakePi, freshProcess, patient, until } from "./host.ts";
import { RealSidecar } from "./real.ts";

// What JSON, and well-behaved packages, do not have.

let pi: FakePi;
let sidecar: RealSidecar;

beforeEach(async () => {
	freshProcess();
	sidecar = new RealSidecar();
	pi = new FakePi();
	pi.model = { provider: "google", api: "google-generative-ai", id: "m" };
	pi.load({ command: sidecar.command, agentDir: "/nowhere", ...patient });
	await pi.emit("session_start", { reason: "startup" });
});

afterEach(async () => {
	await pi.close();
	sidecar.remove();
});

const died = (): boolean => report().some(({ event }) => event === "died");

test("half a surrogate pair goes through everything", async () => {
	const half = "\ud83d";
	registerDeveloperMessageContribution({ id: `id ${half}`, content: ({ prompt }) => `of ${prompt}` });
	registerDeveloperMessageContribution({ id: "text", content: `text ${half}` });
	const base = `BASE ${half}`;
	const contextFiles = [{ path: "/w/AGENTS.md", content: `file ${half}` }];
	assert.equal(await pi.turn(`asked ${half}`, base, { contextFiles }), base);
	const context = (await pi.emit("context", { messages: [] })) as { messages: { content: string }[] };
	assert.ok(context.messages[0]?.content.includes(`file ${half}\n`));
	const messages = getPromptEnvelopeService()?.current("s1")?.developerMessages.slice(0, 2);
	assert.deepEqual(messages, [
		{ id: `id ${half}`, content: `of asked ${half}` }, { id: "text", content: `text ${half}` },
	]);
	// Adapters that are guests have only whole characters; what they do not touch keeps its halves.
	const payload = { contents: [half], config: { systemInstruction: "PI BASE" } };
	const adapted = (await pi.request(payload)) as typeof payload;
	assert.match(adapted.config.systemInstruction, /^PI BASE\n\n.*id="id \ufffd">\nof asked \ufffd\n/);
	assert.equal(adapted.contents, payload.contents);
});

test("what is in the registry and is no contribution is left out, and reported", async () => {
	const found = getDeveloperMessageContributionRegistry() as unknown as Map<string, unknown>;
	found.set("null", null);
	found.set("number", { id: 5, content: "x" });
	found.set("provider", { id: "provider", providers: "google", content: "x" });
	found.set("tools", { id: "tools", activeTools: [1], content: "x" });
	registerDeveloperMessageContribution({ id: "good", content: "x" });
	assert.equal(await pi.turn("q"), "PI BASE");
	assert.equal(getPromptEnvelopeService()?.current("s1")?.developerMessages[0]?.id, "good");
	const skipped = report().find(({ event }) => event === "turn")?.["skipped"];
	assert.deepEqual(skipped, [["undefined", "it is no object"], ["5", "its id is no text"],
		["provider", "providers is no list of texts"], ["tools", "activeTools is no list of texts"],
	].map(([id, error]) => ({ id, source: "client", reason: "unusable", error })));
});

test("an option of another type costs the turn that option, and is told once", async () => {
	const contextFiles = [{ path: "/w/AGENTS.md", content: "Quays have letters." }];
	const options = { cwd: "/w", customPrompt: "You are Pilot.", contextFiles, skills: "none", promptGuidelines: [{ text: "x" }] };
	for (const prompt of ["one", "two"]) assert.equal(await pi.turn(prompt, "PI BASE", options), "You are Pilot.");
	const context = (await pi.emit("context", { messages: [] })) as { messages: { content: string }[] };
	assert.match(context.messages[0]?.content ?? "", /Quays have letters/);
	assert.deepEqual(pi.notifications, ["promptGuidelines: want a string, got object", "skills: want an array, got string"].map(
		(misfit) => ({ message: `pintle: before_agent_start: systemPromptOptions.${misfit}`, level: "warning" }),
	));
	const request = { sessionId: "s1", activeTools: [], cwd: "/w", systemPromptOptions: options };
	assert.equal(getPromptEnvelopeService()?.capture(request).systemPrompt, "You are Pilot.");
});

test("a payload of what JSON has no form for", async () => {
	registerDeveloperMessageContribution({ id: "a", content: "text" });
	await pi.turn("q");
	const live = {
		big: 10n, nothing: undefined, call() {}, symbol: Symbol("s"), date: new Date(0), map: new Map([[1, 2]]), set: new Set([1]),
		bytes: new Float32Array(2), nan: NaN, [Symbol("key")]: 1,
		get computed() {
			return "computed";
		},
	};
	const own = JSON.parse('{"__proto__": {"evil": 1}}') as object;
	const payload = Object.freeze({
		contents: Object.freeze([live, undefined, own]), config: Object.freeze({ ...live, systemInstruction: "PI BASE" }),
	});
	const adapted = (await pi.request(new Proxy(payload, {}))) as typeof payload;
	assert.equal(adapted.contents, payload.contents);
	const { systemInstruction, ...rest } = adapted.config;
	assert.match(systemInstruction, /^PI BASE\n\n.*\ntext\n/);
	assert.deepEqual(rest, { ...live });
	assert.equal(rest.map, live.map);
	assert.equal(payload.config.systemInstruction, "PI BASE");
});

test("a payload that cannot be written as JSON is Pi's to report", async () => {
	await pi.turn("q");
	const cycle: Record<string, unknown> = { config: {} };
	cycle["config"] = cycle;
	await assert.rejects(pi.request(cycle), /circular/);
	const throwing = {
		get config() {
			throw new Error("no config");
		},
	};
	await assert.rejects(pi.request(throwing), /no config/);
	assert.ok(!died());
	assert.deepEqual(pi.notifications, []);
});

test("texts that are too long for the sidecar are left out, and the turn does not wait for them", async () => {
	registerDeveloperMessageContribution({ id: "long", content: () => "x".repeat(64 << 20) });
	registerDeveloperMessageContribution({ id: "short", content: "text" });
	assert.equal(await pi.turn("q"), "PI BASE");
	const skipped = report().find(({ event }) => event === "turn")?.["skipped"] as { id: string; error: string }[];
	assert.deepEqual(skipped.map(({ id }) => id), ["long"]);
	assert.match(skipped[0]?.error ?? "", /more than 67108864 bytes/);
	assert.deepEqual(pi.notifications, []);
});

test("a payload that is too long for the sidecar goes out as it is", async () => {
	await pi.turn("q");
	const payload = { contents: ["x".repeat(64 << 20)], config: { systemInstruction: "PI BASE" } };
	assert.equal(await pi.request(payload), undefined);
	assert.ok(!died());
	assert.deepEqual(pi.notifications.map(({ level }) => level), ["warning"]);
});

test("an event with little in it", async () => {
	pi.model = undefined;
	registerDeveloperMessageContribution({ id: "a", content: ({ prompt, provider }) => `${prompt} ${provider}` });
	const event = { systemPrompt: "BASE" }; // no prompt: an extension's message started the run
	assert.deepEqual(await pi.emit("before_agent_start", event), { systemPrompt: "BASE" });
	const found = getPromptEnvelopeService()?.current("s1");
	assert.deepEqual(found?.developerMessages[0], { id: "a", content: "undefined undefined" });
	assert.equal(await pi.request({ config: {} }), undefined);
	assert.deepEqual(pi.notifications, []);
});

test("a registry that throws costs the turn its envelope, not the turn", async () => {
	const broken = () => {
		throw new Error("broken");
	};
	const methods = { get: broken, set: broken, delete: broken, values: broken, clear: broken };
	await pi.turn("one");
	writeSlot(CONTRIBUTIONS_KEY, { protocol: CONTRIBUTIONS_KEY, version: 1, ...methods });
	for (const prompt of ["two", "three"]) {
		assert.equal(await pi.turn(prompt), undefined);
		assert.equal(await pi.request({ config: { systemInstruction: "PI BASE" } }), undefined);
	}
	assert.deepEqual(pi.notifications, [
		{ message: "pintle: broken; requests go out as Pi built them", level: "warning" },
	]);
});

test("a context without a UI, or one that Pi has replaced", async () => {
	const ctx = { ...pi.context(), ui: undefined } as unknown as PiContext;
	pi.context = () => ctx;
	registerDeveloperMessageContribution({ id: "a", content: "text" });
	pi.failBranch = true;
	assert.equal(await pi.turn("q"), "PI BASE");
	Object.defineProperty(ctx, "hasUI", {
		get() {
			throw new Error("stale");
		},
	});
	await sidecar.kill();
	assert.equal(await pi.turn("q"), "PI BASE");
});

test("an append that fails is tried again with the next turn", async () => {
	pi.failAppend = true;
	assert.equal(await pi.turn("one"), "PI BASE");
	pi.failAppend = false;
	assert.equal(await pi.turn("two"), "PI BASE");
	assert.equal(pi.appended.length, 1);
	assert.deepEqual(pi.notifications, []);
});

test("what other packages write into the adapters' map does not break a request", async () => {
	const map = getSystemPromptPayloadAdapterRegistry() as unknown as Map<string, unknown>;
	for (const [i, junk] of [null, undefined, 1, "text", {}].entries()) map.set(`x${i}`, junk);
	await pi.turn("q");
	assert.match(JSON.stringify(await pi.request({ config: { systemInstruction: "PI BASE" } })), /environment_context/);
});

test("a directory that is gone keeps the sidecar away, and Pi alive", async (t) => {
	const before = process.cwd();
	const gone = new RealSidecar();
	t.after(() => process.chdir(before));
	await pi.turn("q");
	process.chdir(gone.directory);
	gone.remove();
	process.kill(sidecar.pid, "SIGKILL"); // Node starts no threads here, so there is no new one
	await until("several starts", () => report().filter(({ event }) => event === "died").length > 2);
	assert.equal(await pi.turn("q"), undefined);
	assert.equal(pi.notifications.length, 1);
});

test("lists of any length and frozen messages are cleaned", () => {
	const audit = Object.freeze({ role: "custom", customType: "pi-developer-messages/developer" });
	const other = Object.freeze({ role: "user" });
	const many = Array.from({ length: 400_000 }, (_, i) => (i % 2 === 0 ? audit : other));
	dropAuditCopies(many);
	assert.equal(many.length, 200_000);
	assert.ok(many.every((message) => message === other));
	const entries = [null, { type: "custom", customType: audit.customType }, { type: "custom_message", customType: audit.customType }];
	dropAuditEntries(entries);
	assert.equal(entries.length, 2);
	dropAuditCopies(undefined);
	const frozen = Object.freeze([null, audit, other, { ...other, customType: audit.customType }]);
	assert.deepEqual(withContext(frozen, ""), [null, other, frozen[3]]);
	assert.equal(withContext([other], null), undefined);
});

test("whatever is thrown has a text", () => {
	assert.equal(messageOf("text"), "text");
	assert.equal(messageOf(undefined), "undefined");
	assert.equal(messageOf(Object.assign(new Error(), { message: 5 })), "5");
	const hostile = new Error();
	Object.defineProperty(hostile, "message", {
		get() {
			throw hostile;
		},
	});
	assert.match(messageOf(hostile), /without a text/);
});

test("of a branch only audit entries are sent", () => {
	const customType = "pi-developer-messages/group";
	const entries = [{ type: "custom", customType, data: 1 }, { type: "custom_message", customType }, { type: "custom", customType: "x" }, { type: "label" }];
	const manager = { getSessionId: () => "s1", getBranch: () => entries };
	assert.deepEqual(auditBranch(manager), [{ type: "custom", customType, data: 1 }]);
});
