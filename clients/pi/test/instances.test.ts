import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { registerDeveloperMessageContribution } from "../src/contributions.ts";
import { report } from "../src/report.ts";
import { promptEnvelopeRequests } from "../src/requests.ts";
import { getPromptEnvelopeService, type PromptEnvelopeService } from "../src/service.ts";
import { Sessions } from "../src/sessions.ts";
import { SERVICE_KEY, writeSlot } from "../src/slots.ts";
import { FakePi, freshProcess, patient, until } from "./host.ts";
import { RealSidecar } from "./real.ts";

// Pi loads the extension anew for every session; these share a process, its slots and its sidecar.

let sidecar: RealSidecar;
let all: FakePi[];

beforeEach(() => {
	freshProcess();
	sidecar = new RealSidecar();
	all = [];
	registerDeveloperMessageContribution({ id: "a", content: ({ prompt }) => `asked ${prompt}` });
});

afterEach(async () => {
	for (const pi of all) await pi.close();
	sidecar.remove();
});

async function instance(session: string, reason = "startup"): Promise<FakePi> {
	const pi = new FakePi();
	all.push(pi);
	pi.session = session;
	pi.model = { provider: "google", api: "google-generative-ai", id: "m" };
	pi.load({ command: sidecar.command, agentDir: "/nowhere", ...patient });
	await pi.emit("session_start", { reason });
	return pi;
}

function service(): PromptEnvelopeService {
	const found = getPromptEnvelopeService();
	assert.ok(found, "no service");
	return found;
}

const developer = (): string => service().current("one")?.developerMessages[0]?.content ?? "none";
const sent = async (pi: FakePi): Promise<string> =>
	/asked [a-z]+/.exec(JSON.stringify(await pi.request({ config: { systemInstruction: "PI BASE" } })))?.[0] ?? "none";

test("the service of one extension answers for the session of another, and changes nothing there", async () => {
	const one = await instance("one");
	await one.turn("first");
	await instance("two");
	const request = promptEnvelopeRequests().get("one");
	assert.ok(request);
	service().capture({ ...request, prompt: "primed" }); // by the second extension
	await one.turn("second");
	assert.equal(developer(), "asked second");
	assert.equal(await sent(one), "asked second");
});

test("an envelope that is asked for during a turn does not set the session back", async () => {
	const one = await instance("one");
	await one.turn("first");
	const turn = one.turn("second");
	await new Promise((resolve) => setImmediate(resolve)); // the request is on its way, the answer is not handled
	assert.equal(developer(), "asked second");
	await turn;
	assert.equal(await sent(one), "asked second");
});

test("two turns of one session at once", async () => {
	const one = await instance("one");
	await Promise.all([one.turn("first"), one.turn("second")]);
	assert.equal(developer(), "asked second");
	assert.equal(await sent(one), "asked second");
});

test("what a current lays over the request is what it may, and only for itself", async () => {
	const one = await instance("one");
	registerDeveloperMessageContribution({
		id: "b", content: (context) => JSON.stringify([context.provider, context.activeTools, context.prompt, context.sessionId]),
	});
	await one.turn("first");
	const overrides = { provider: undefined, activeTools: ["x"], prompt: "other", sessionId: "other" };
	const found = service().current("one", overrides);
	assert.deepEqual(found?.developerMessages.map(({ content }) => content).slice(0, 2), ["asked first", '[null,["x"],"first","one"]']);
	assert.match(JSON.stringify(service().current("one")), /\[\\"google\\",\[\],\\"first\\",\\"one\\"\]/);
});

test("a session that is replaced by another takes its request along, and the sidecar goes on", async () => {
	const one = await instance("one");
	await one.turn("first");
	const old = service();
	await one.emit("session_shutdown", { reason: "new" });
	assert.equal(promptEnvelopeRequests().get("one"), undefined);
	const two = await instance("two", "new");
	assert.notEqual(service(), old);
	assert.equal(await two.turn("second"), "PI BASE");
	assert.equal(service().current("one"), undefined);
	assert.equal(await sent(two), "asked second");
	assert.deepEqual(two.notifications, []);
	assert.deepEqual(report().filter(({ event }) => event === "closed" || event === "restarted"), []);
});

test("a reload starts the sidecar anew", async () => {
	const one = await instance("one");
	await one.turn("first");
	await one.emit("session_shutdown", { reason: "reload" });
	const two = await instance("one", "reload");
	assert.equal(await two.turn("second"), "PI BASE");
	const events = report().map(({ event }) => event).filter((event) => event === "closed" || event === "restarted");
	assert.deepEqual(events, ["closed", "restarted"]);
});

test("a sidecar that is kept for a session that does not follow ends", async (t) => {
	t.mock.timers.enable({ apis: ["setTimeout"] });
	const one = await instance("one");
	await one.emit("session_shutdown", { reason: "new" });
	assert.ok(!report().some(({ event }) => event === "closed"));
	t.mock.timers.tick(10_000);
	t.mock.timers.reset();
	await until("its end", () => report().some(({ event }) => event === "closed"));
});

test("a sidecar that was kept for a session which came lives as long as that", async (t) => {
	t.mock.timers.enable({ apis: ["setTimeout"] });
	const one = await instance("one");
	await one.emit("session_shutdown", { reason: "resume" });
	const two = await instance("two", "resume");
	t.mock.timers.tick(10_000);
	t.mock.timers.reset();
	assert.equal(await two.turn("first"), "PI BASE");
	assert.deepEqual(report().filter(({ event }) => event === "closed" || event === "restarted"), []);
	await two.emit("session_shutdown", { reason: "quit" });
	assert.equal(report().at(-1)?.event, "closed");
});

test("a captured request outlives the extension that captured it", async () => {
	const one = await instance("one");
	await one.turn("first");
	const request = promptEnvelopeRequests().get("one");
	await one.emit("session_shutdown", { reason: "reload" });
	assert.equal(getPromptEnvelopeService(), undefined);
	assert.ok(request);
	promptEnvelopeRequests().set("other", request); // of a session that was not shut down
	await instance("one", "reload");
	assert.equal(service().current("other")?.developerMessages[0]?.content, "asked first");
	service().clear("other");
	assert.equal(service().current("other"), undefined);
	promptEnvelopeRequests().set("other", request);
	assert.equal(service().current("other")?.developerMessages[0]?.content, "asked first");
});

test("a session that is shut down during its turn", async () => {
	const one = await instance("one");
	const turn = one.turn("first");
	await one.emit("session_shutdown", { reason: "quit" });
	await turn;
	assert.equal(await sent(one), "none");
	assert.ok(report().some(({ event }) => event === "closed"));
	assert.ok(!report().some(({ event }) => event === "died"));
});

test("captures for sessions that Pi has not started keep no sidecar", async () => {
	const one = await instance("one");
	service().capture({ sessionId: "child", activeTools: [], cwd: "/w", systemPromptOptions: { cwd: "/w" } });
	await one.emit("session_shutdown", { reason: "quit" });
	assert.equal(report().at(-1)?.event, "closed");
});

test("nothing is kept of a session that was captured for here, and that another extension has ended", () => {
	const sessions = new Sessions();
	const request = { sessionId: "child", activeTools: [], cwd: "/w", systemPromptOptions: { cwd: "/w" } };
	promptEnvelopeRequests().set("child", request);
	sessions.captured("child", { base: "B" }, request);
	assert.equal(sessions.starts().length, 1);
	promptEnvelopeRequests().delete("child");
	assert.deepEqual(sessions.starts(), []);
	assert.equal(sessions.get("child"), undefined);
});

test("a service that was given up does not come back", async () => {
	const one = await instance("one");
	await one.turn("first");
	const old = service();
	await one.emit("session_shutdown", { reason: "quit" });
	const request = { sessionId: "x", activeTools: [], cwd: "/w", systemPromptOptions: { cwd: "/w" } };
	assert.equal(old.capture(request).developerMessages[0]?.content, "asked undefined"); // who still holds it is served
	await sidecar.kill();
	assert.equal(getPromptEnvelopeService(), undefined);
});

test("another's service keeps the slot when the sidecar comes back", async () => {
	const one = await instance("one");
	await one.turn("first");
	const other = { capture() {}, current() {} };
	writeSlot(SERVICE_KEY, other);
	await sidecar.kill();
	assert.equal(getPromptEnvelopeService() as unknown, other);
	await one.emit("session_shutdown", { reason: "quit" });
	assert.equal(getPromptEnvelopeService() as unknown, other);
});

test("one session's end leaves the others their sidecar", async () => {
	const [one, two] = [await instance("one"), await instance("two")];
	await two.turn("first");
	await one.emit("session_shutdown", { reason: "quit" });
	assert.equal(await sent(two), "asked first");
	assert.deepEqual(report().filter(({ event }) => event === "closed" || event === "restarted"), []);
});
