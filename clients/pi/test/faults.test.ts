import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { registerDeveloperMessageContribution } from "../src/contributions.ts";
import type { Options } from "../src/options.ts";
import { report } from "../src/report.ts";
import { promptEnvelopeRequests } from "../src/requests.ts";
import { getPromptEnvelopeService } from "../src/service.ts";
import { FakePi, freshProcess, patient, until } from "./host.ts";

const fake = fileURLToPath(new URL("./fake-sidecar.mjs", import.meta.url));

let pi: FakePi;
let directory: string;

beforeEach(() => {
	freshProcess();
	directory = mkdtempSync(join(tmpdir(), "pintle-pi-"));
	pi = new FakePi();
	pi.model = { provider: "p", api: "openai-responses", id: "m" };
});

afterEach(async () => {
	await pi.close();
	rmSync(directory, { recursive: true });
});

interface Behaviour {
	fault?: string;
	how?: "exit" | "hang" | "garbage" | "no end" | "too long" | "refuse";
	once?: boolean;
	gate?: string;
	told?: string;
	problems?: { where: string; message: string }[];
}

const happened = (): string => join(directory, "happened");

async function start({ once, ...behaviour }: Behaviour, options: Options = {}): Promise<void> {
	const argument = { ...behaviour, ...(once && { once: happened() }) };
	pi.load({ command: [process.execPath, fake, JSON.stringify(argument)], ...patient, ...options });
	await pi.emit("session_start", { reason: "startup" });
}

/** How long a call may take from now on. */
function limit(milliseconds: number): void {
	assert.ok(pi.settled);
	pi.settled.callLimit = milliseconds;
}

/**
 * What `failing` does meets the fault that happens once. Where the fault is a sidecar that hangs, its calls get
 * little time, all others as much as they need.
 */
async function once<T>(how: string, failing: () => Promise<T> | T): Promise<T> {
	if (how === "hang") limit(300);
	const result = await failing();
	writeFileSync(happened(), ""); // a sidecar that was too slow to begin it shall not repeat it
	limit(patient.callLimit);
	return result;
}

function block(milliseconds: number): void {
	Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

const payload = { instructions: "PI BASE", input: [] };

async function wholeTurn(): Promise<{ prompt: unknown; context: unknown; payload: unknown }> {
	return {
		prompt: await pi.turn("q"),
		context: await pi.emit("context", { messages: [] }),
		payload: await pi.request(payload),
	};
}

const files = { role: "custom", customType: "pi-developer-messages/agents-md", content: "files", display: false, timestamp: 0 };
const adapted = {
	prompt: "composed PI BASE", context: { messages: [files] }, payload: { instructions: "adapted", input: [] },
};
const unchanged = { prompt: undefined, context: undefined, payload: undefined };
const events = (): string[] => report().map((entry) => entry.event);

test("a turn", async () => {
	registerDeveloperMessageContribution({ id: "a", content: ({ prompt }) => `asked ${prompt}` });
	await start({});
	assert.deepEqual(await wholeTurn(), adapted);
	assert.deepEqual(pi.notifications, []);
	assert.deepEqual(pi.appended, [{ customType: "pi-developer-messages/group", data: { entries: [] } }]);
	assert.deepEqual(payload, { instructions: "PI BASE", input: [] });
});

test("a session that ends while the sidecar starts, and one that follows", async () => {
	const gate = join(directory, "gate");
	await start({ gate });
	const ended = pi.emit("session_shutdown", { reason: "new" });
	writeFileSync(gate, "");
	await ended;
	await pi.emit("session_start", { reason: "new" });
	assert.deepEqual(await wholeTurn(), adapted);
	assert.deepEqual(pi.notifications, []);
	assert.deepEqual(events().filter((event) => event === "started" || event === "restarted"), ["started"]);
});

for (const how of ["exit", "hang", "garbage"] as const) {
	test(`a sidecar that does this in the middle of a turn: ${how}`, async () => {
		await start({ fault: "turn/start", how, once: true });
		assert.deepEqual(await once(how, wholeTurn), unchanged);
		assert.equal(pi.notifications.length, 1);
		assert.equal(pi.notifications[0]?.level, "warning");
		await until("back", () => pi.notifications.length === 2);
		assert.deepEqual(pi.notifications[1], { message: "pintle: the sidecar is back", level: "info" });
		assert.deepEqual(await wholeTurn(), adapted);
		assert.equal(pi.notifications.length, 2);
		for (const event of ["started", "died", "away", "restarted", "back", "turn", "request"]) {
			assert.ok(events().includes(event), `${event} is not in ${events()}`);
		}
	});

	test(`a sidecar that does this with every turn: ${how}`, async () => {
		await start({ fault: "turn/start", how }, { callLimit: 300 });
		for (let i = 0; i < 3; i++) assert.deepEqual(await wholeTurn(), unchanged);
		const warnings = pi.notifications.filter(({ level }) => level === "warning");
		const backs = pi.notifications.filter(({ level }) => level === "info");
		assert.ok(warnings.length - backs.length <= 1, "told once per outage");
	});

	test(`a sidecar that does this with a payload: ${how}`, async () => {
		await start({ fault: "payload/adapt", how, once: true });
		assert.equal(await pi.turn("q"), adapted.prompt);
		assert.equal(await once(how, () => pi.request(payload)), undefined);
		assert.equal(pi.notifications.length, 1);
		await until("back", () => pi.notifications.length === 2);
		assert.deepEqual(await pi.request(payload), adapted.payload, "the same turn goes on with the new sidecar");
	});

	test(`a sidecar that does this at its start: ${how}`, async () => {
		await start({ fault: "initialize", how }, { startWait: 200, startLimit: 400 });
		assert.deepEqual(await wholeTurn(), unchanged);
		assert.deepEqual(await wholeTurn(), unchanged);
		assert.equal(pi.notifications.length, 1);
	});

	test(`a sidecar that does this in a synchronous call: ${how}`, async () => {
		await start({ fault: "envelope/capture", how, once: true });
		const request = { sessionId: "s1", provider: "p", activeTools: [], cwd: "/w", systemPromptOptions: { cwd: "/w" } };
		const service = getPromptEnvelopeService();
		await once(how, () => {
			assert.throws(() => service?.capture(request), { name: "AwayError" });
			assert.equal(getPromptEnvelopeService(), undefined, "no service while there is no sidecar");
		});
		await until("the service is back", () => getPromptEnvelopeService() === service);
		assert.equal(service?.capture(request).systemPrompt, "captured");
	});
}

for (const how of ["no end", "too long"] as const) {
	test(`a frame that cannot be one: ${how}`, async () => {
		await start({ fault: "turn/start", how, once: true });
		assert.deepEqual(await wholeTurn(), unchanged);
		assert.match(pi.notifications[0]?.message ?? "", /wrote something that is not a message/);
	});
}

test("a sidecar killed between two turns is replaced without a word", async () => {
	await start({});
	assert.deepEqual(await wholeTurn(), adapted);
	await pi.sidecar?.call("crash", {});
	await until("restarted", () => events().includes("restarted"));
	assert.deepEqual(await wholeTurn(), adapted);
	assert.deepEqual(pi.notifications, []);
});

test("the report has the guests, and what they go without", async () => {
	await start({});
	await wholeTurn();
	const started = report().find(({ event }) => event === "started");
	assert.deepEqual(started?.["guests"], [{ name: "tides@1.0.0", withheld: ["harbour"] }]);
	assert.deepEqual(pi.notifications, []);
});

test("what is amiss with guests and settings is told once, restarts or not", async () => {
	const problems = [{ where: "/g/a.wasm", message: "refused" }, { where: "/g/b.wasm", message: "refused" }];
	await start({ problems });
	assert.deepEqual(await wholeTurn(), adapted);
	await pi.sidecar?.call("crash", {});
	await until("restarted", () => events().includes("restarted"));
	assert.deepEqual(await wholeTurn(), adapted);
	assert.deepEqual(pi.notifications, [
		{ message: "pintle: /g/a.wasm: refused", level: "warning" },
		{ message: "pintle: /g/b.wasm: refused", level: "warning" },
	]);
});

test("a missing program", async () => {
	pi.load({ command: [join(directory, "no-such-program")], ...patient });
	await pi.emit("session_start", { reason: "startup" });
	assert.deepEqual(await wholeTurn(), unchanged);
	assert.deepEqual(await wholeTurn(), unchanged);
	assert.equal(pi.notifications.length, 1);
	assert.match(pi.notifications[0]?.message ?? "", /could not be started: there is no program .*no-such-program; PINTLE_COMMAND can say where it is/);
	assert.equal(getPromptEnvelopeService(), undefined);
});

test("a slow start", async () => {
	const gate = join(directory, "gate");
	await start({ gate }, { startWait: 50 });
	assert.deepEqual(await wholeTurn(), unchanged);
	assert.deepEqual(pi.notifications.map(({ level }) => level), ["warning"]);
	writeFileSync(gate, "");
	await until("back", () => pi.notifications.length === 2);
	assert.deepEqual(await wholeTurn(), adapted);
});

test("the circuit opens after five deaths in a row", async () => {
	await start({ fault: "initialize", how: "exit" });
	await until("the circuit is open", () => report().some(({ failures }) => failures === 5));
	const deaths = (): number => events().filter((event) => event === "died").length;
	assert.equal(deaths(), 5);
	assert.deepEqual(await wholeTurn(), unchanged);
	assert.equal(deaths(), 5, "nothing was tried");
	assert.equal(pi.notifications.length, 1);
});

test("without a UI the user is told on stderr", async (t) => {
	const write = t.mock.method(process.stderr, "write", () => true);
	pi.hasUI = false;
	pi.load({ command: [join(directory, "no-such-program")], ...patient });
	assert.deepEqual(await wholeTurn(), unchanged);
	assert.deepEqual(await wholeTurn(), unchanged);
	assert.equal(write.mock.callCount(), 1);
	assert.match(String(write.mock.calls[0]?.arguments[0]), /^pintle: .*\n$/);
});

test("a UI that fails does not end a turn", async () => {
	pi.failUI = true;
	pi.load({ command: [join(directory, "no-such-program")], ...patient });
	assert.deepEqual(await wholeTurn(), unchanged);
});

test("the report goes to a file too", async () => {
	const file = join(directory, "report");
	process.env["PINTLE_REPORT"] = file;
	try {
		await start({});
		await wholeTurn();
		const lines = readFileSync(file, "utf8").trim().split("\n").map((line) => JSON.parse(line) as unknown);
		assert.deepEqual(lines, report());
	} finally {
		delete process.env["PINTLE_REPORT"];
	}
});

test("a sidecar that does not take a session is told of it again", async () => {
	await start({ fault: "session/start", how: "refuse" });
	promptEnvelopeRequests().set("other", { sessionId: "other", activeTools: [], cwd: "/w", systemPromptOptions: { cwd: "/w" } });
	for (let i = 0; i < 2; i++) {
		assert.throws(() => getPromptEnvelopeService()?.current("other"), /too much waits/);
	}
});

test("a new sidecar is given the session's request and state", async () => {
	await start({ fault: "payload/adapt", how: "exit", once: true });
	await wholeTurn();
	await until("back", () => pi.notifications.length === 2);
	const found = getPromptEnvelopeService()?.current("s1", { provider: undefined, cwd: "/other" });
	const { restored, overrides } = JSON.parse(found?.systemPrompt ?? "") as Record<string, { request: object; state: object }>;
	assert.deepEqual(overrides, { provider: null, cwd: "/other" });
	assert.deepEqual(restored?.state, {
		base: "PI BASE", prompt: "composed PI BASE", provider: "p", messages: [], contextText: "files",
	});
	assert.deepEqual(restored?.request, {
		sessionId: "s1", provider: "p", api: "openai-responses", activeTools: [], prompt: "q", cwd: "/work/app",
		piSystemPrompt: "PI BASE", systemPromptOptions: { cwd: "/work/app" },
	});
});

test("what a contribution throws reaches the caller of capture as it is", async () => {
	const thrown = new RangeError("mine");
	registerDeveloperMessageContribution({
		id: "a", content: () => {
			throw thrown;
		},
	});
	await start({});
	const request = { sessionId: "s1", activeTools: [], cwd: "/w", systemPromptOptions: { cwd: "/w" } };
	assert.throws(() => getPromptEnvelopeService()?.capture(request), (error) => error === thrown);
});

test("a contribution that asks for its own session's envelope without end fails", async () => {
	registerDeveloperMessageContribution({
		id: "a", content: () => getPromptEnvelopeService()?.current("s1")?.systemPrompt,
	});
	await start({});
	const request = { sessionId: "s1", activeTools: [], cwd: "/w", systemPromptOptions: { cwd: "/w" } };
	assert.throws(() => getPromptEnvelopeService()?.capture(request), /ask for them again/);
});

/** A clock of the test's own: what happens in its hours takes no time. */
function ownClock(t: TestContext): (milliseconds: number) => void {
	let ahead = 0;
	const now = performance.now.bind(performance);
	t.mock.method(performance, "now", () => now() + ahead);
	const alive = setInterval(() => {}, 1000); // as the timers are, which are no longer real
	t.after(() => clearInterval(alive));
	t.mock.timers.enable({ apis: ["setTimeout"] });
	return (milliseconds) => {
		ahead += milliseconds;
		queueMicrotask(() => t.mock.timers.tick(milliseconds)); // no timer runs while this thread is busy
	};
}

test("a contribution may take its time", async (t) => {
	let pass = (_milliseconds: number): void => {};
	registerDeveloperMessageContribution({
		id: "slow", content: () => {
			pass(2 * patient.callLimit);
			return "done";
		},
	});
	await start({});
	await pi.turn("one");
	pass = ownClock(t);
	assert.equal(await pi.turn("two"), "composed PI BASE");
	assert.deepEqual(pi.notifications, []);
	t.mock.reset();
});

test("an answer that arrives while Pi is busy is no late answer", async (t) => {
	const told = join(directory, "told");
	await start({ told });
	await pi.turn("one");
	while (!existsSync(told)) block(10);
	rmSync(told);
	const pass = ownClock(t);
	const turn = pi.turn("two");
	await new Promise((resolve) => setImmediate(resolve));
	while (!existsSync(told)) block(10);
	block(1000); // the answer is on its way from one thread to the other
	pass(2 * patient.callLimit);
	assert.equal(await turn, "composed PI BASE");
	assert.deepEqual(pi.notifications, []);
	t.mock.reset();
});

test("shutdown empties the service's slot and ends the sidecar", async () => {
	await start({});
	await wholeTurn();
	await pi.emit("session_shutdown", { reason: "quit" });
	assert.equal(getPromptEnvelopeService(), undefined);
	assert.equal(events().at(-1), "closed");
});

test("a turn that began without the sidecar stays without it, though an older state would fit", async () => {
	await start({});
	assert.deepEqual(await wholeTurn(), adapted);
	assert.equal(await pi.turn("fail"), undefined);
	await until("back", () => pi.notifications.length === 2);
	assert.equal(await pi.emit("context", { messages: [] }), undefined);
	assert.equal(await pi.request(payload), undefined);
	assert.deepEqual(await wholeTurn(), adapted);
});

test("deaths with answered calls in between do not open the circuit", async () => {
	await start({});
	for (let i = 1; i <= 6; i++) {
		assert.equal(await pi.turn("fail"), undefined);
		await until("restarted", () => events().filter((event) => event === "restarted").length === i);
		assert.deepEqual(await wholeTurn(), adapted);
	}
});

test("current answers undefined while the sidecar is away", async () => {
	await start({ fault: "envelope/current", how: "exit" });
	await wholeTurn();
	assert.equal(getPromptEnvelopeService()?.current("s1"), undefined);
});

test("a branch that cannot be read does not cost the turn", async () => {
	await start({});
	pi.failBranch = true;
	assert.deepEqual(await wholeTurn(), adapted);
	const failed = { message: "System prompt build failed: branch failed", level: "error" };
	assert.deepEqual(pi.notifications, [failed]);
	const request = { sessionId: "s1", activeTools: [], cwd: "/w", systemPromptOptions: { cwd: "/w" } };
	assert.throws(() => getPromptEnvelopeService()?.capture(request), /branch failed/);
});

test("a request that Pi gives up is given up", async () => {
	await start({ fault: "payload/adapt", how: "hang" });
	await pi.turn("q");
	const abort = new AbortController();
	pi.signal = abort.signal;
	const waiting = pi.request(payload);
	setTimeout(() => abort.abort(), 50);
	assert.equal(await waiting, undefined);
	assert.deepEqual(pi.notifications, []);
	const found = getPromptEnvelopeService()?.current("s1")?.systemPrompt ?? "";
	assert.equal((JSON.parse(found) as { cancelled: number }).cancelled, 1, "the sidecar was not told");
});

test("calls that wait are limited in number", async () => {
	await start({ fault: "nothing", how: "hang" });
	await pi.turn("q");
	const calls = Array.from({ length: 300 }, () => pi.sidecar?.call("nothing", {}));
	const reasons = Promise.allSettled(calls);
	await pi.close();
	const texts = (await reasons).map((settled) => (settled.status === "rejected" ? String(settled.reason) : "answered"));
	assert.equal(texts.filter((text) => /too many calls wait/.test(text)).length, 300 - 256);
	assert.equal(texts.filter((text) => /the sidecar ended/.test(text)).length, 256);
});
