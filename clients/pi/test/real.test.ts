import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { registerSystemPromptPayloadAdapter } from "../src/adapters.ts";
import { registerDeveloperMessageContribution } from "../src/contributions.ts";
import type { Options } from "../src/options.ts";
import { report, type ReportEntry } from "../src/report.ts";
import { promptEnvelopeRequests } from "../src/requests.ts";
import { getPromptEnvelopeService } from "../src/service.ts";
import { FakePi, freshProcess, patient, until } from "./host.ts";
import { RealSidecar, runs } from "./real.ts";

let pi: FakePi;
let sidecar: RealSidecar;

beforeEach(() => {
	freshProcess();
	sidecar = new RealSidecar();
	pi = new FakePi();
	pi.model = { provider: "google", api: "google-generative-ai", id: "m" };
});

afterEach(async () => {
	await pi.close();
	sidecar.remove();
});

async function start(options: Options = {}): Promise<void> {
	pi.load({ command: sidecar.command, agentDir: "/nowhere", ...patient, ...options });
	await pi.emit("session_start", { reason: "startup" });
}

const events = (): string[] => report().map(({ event }) => event);

function googlePayload(text: string): { contents: unknown[]; config: { systemInstruction: string; abortSignal: AbortSignal } } {
	return {
		contents: [{ role: "user", parts: [{ text }] }],
		config: { systemInstruction: "PI BASE", abortSignal: new AbortController().signal },
	};
}

test("a payload of 10 MB with live objects", async () => {
	registerDeveloperMessageContribution({ id: "a", content: "be brief" });
	await start();
	assert.equal(await pi.turn("q"), "PI BASE");
	const payload = googlePayload("x".repeat(10 << 20));
	const adapted = (await pi.request(payload)) as typeof payload;
	assert.match(adapted.config.systemInstruction, /^PI BASE\n\n<pi_developer_prompt_message id="a">\nbe brief\n/);
	assert.equal(adapted.config.abortSignal, payload.config.abortSignal);
	assert.equal(adapted.contents, payload.contents, "what no edit touches is the same object");
	assert.equal(payload.config.systemInstruction, "PI BASE");
	assert.deepEqual(pi.notifications, []);
});

// An adapter that changes nothing has answered in the 0.3.7 line, and has not in the 0.3.9 line.
test("the settings' line of the adapter protocol holds for adapters of this process", async () => {
	const idle = {
		provider: "google", readSystemPrompt: () => undefined, replaceSystemPrompt: (payload: unknown) => payload,
		replaceDeveloperMessages: (payload: unknown) => payload,
	};
	registerSystemPromptPayloadAdapter(idle);
	const payload = googlePayload("hi");
	await start();
	await pi.turn("q");
	assert.equal(await pi.request(payload), payload);
	await pi.close();

	freshProcess();
	registerSystemPromptPayloadAdapter(idle);
	mkdirSync(join(sidecar.directory, "pintle"));
	writeFileSync(join(sidecar.directory, "pintle", "sidecar.toml"), 'lookup = "0.3.9"\n');
	pi = new FakePi();
	pi.model = { provider: "google", api: "google-generative-ai", id: "m" };
	await start({ agentDir: sidecar.directory });
	await pi.turn("q");
	assert.equal(await pi.request(payload), undefined);
});

test("a sidecar killed while a contribution of a turn is called", async () => {
	await start();
	registerDeveloperMessageContribution({
		id: "a", content: () => {
			if (!events().includes("died")) process.kill(sidecar.pid, "SIGKILL");
			return "text";
		},
	});
	assert.equal(await pi.turn("one"), undefined);
	assert.equal(await pi.request(googlePayload("hi")), undefined);
	await until("back", () => pi.notifications.length === 2);
	assert.deepEqual(pi.notifications.map(({ level }) => level), ["warning", "info"]);
	assert.equal(await pi.turn("two"), "PI BASE");
	assert.match(JSON.stringify(await pi.request(googlePayload("hi"))), /environment_context/);
});

test("a sidecar that is stopped counts as away, and is replaced", async () => {
	await start();
	assert.equal(await pi.turn("one"), "PI BASE");
	assert.ok(pi.settled);
	const { pid } = sidecar;
	await sidecar.stop();
	pi.settled.callLimit = 300;
	assert.equal(await pi.turn("two"), undefined);
	pi.settled.callLimit = patient.callLimit;
	assert.match(String(report().find(({ event }) => event === "died")?.["reason"]), /did not answer turn\/start within 300 ms/);
	await until("back", () => pi.notifications.length === 2);
	await until("the old one is gone", () => !runs(pid));
	assert.equal(await pi.turn("three"), "PI BASE");
});

test("a new sidecar goes on where the old one was", async () => {
	await start();
	registerDeveloperMessageContribution({ id: "a", content: ({ prompt }) => `asked ${prompt}` });
	const options = { customPrompt: "You are Pilot." };
	assert.equal(await pi.turn("one", "PI BASE", options), "You are Pilot.");
	const first = getPromptEnvelopeService()?.current("s1");
	const request = await pi.request(googlePayload("hi"));
	await sidecar.kill();
	assert.deepEqual(getPromptEnvelopeService()?.current("s1"), first);
	assert.deepEqual(JSON.stringify(await pi.request(googlePayload("hi"))), JSON.stringify(request));
	assert.match(JSON.stringify(request), /You are Pilot/);
	assert.deepEqual(pi.notifications, []);
});

test("fifty sessions at once share one sidecar", async (t) => {
	const file = join(sidecar.directory, "report"); // the report in memory is too short for so many
	process.env["PINTLE_REPORT"] = file;
	t.after(() => delete process.env["PINTLE_REPORT"]);
	const many = Array.from({ length: 50 }, (_, i) => {
		const one = new FakePi();
		one.session = `session ${i}`;
		one.model = pi.model;
		one.load({ command: sidecar.command, agentDir: "/nowhere", ...patient });
		return one;
	});
	registerDeveloperMessageContribution({ id: "a", content: ({ sessionId, prompt }) => `${sessionId}: ${prompt}` });
	await Promise.all(many.map((one) => one.emit("session_start", { reason: "startup" })));
	for (const round of ["first", "second", "third"]) {
		const found = await Promise.all(many.map(async (one) => {
			await one.turn(round);
			return JSON.stringify(await one.request(googlePayload(round)));
		}));
		for (const [i, text] of found.entries()) assert.match(text, new RegExp(`session ${i}: ${round}`));
	}
	await Promise.all(many.map((one) => one.close()));
	const lines = readFileSync(file, "utf8").trim().split("\n").map((line) => JSON.parse(line) as ReportEntry);
	const count = (event: string): number => lines.filter((line) => line.event === event).length;
	assert.deepEqual(
		["started", "turn", "request", "closed", "died", "unchanged"].map(count), [1, 150, 150, 1, 0, 0],
	);
	await until("its process is gone", () => !runs(sidecar.pid));
});

test("a contribution that fails is left out, and the report says so", async () => {
	registerDeveloperMessageContribution({
		id: "bad", content: () => {
			throw new Error("no tide table");
		},
	});
	registerDeveloperMessageContribution({ id: "good", content: "text" });
	await start();
	assert.equal(await pi.turn("q"), "PI BASE");
	const turn = report().find(({ event }) => event === "turn");
	assert.equal(turn?.["fallback"], false);
	assert.match(JSON.stringify(turn?.["skipped"]), /"id":"bad".*no tide table/);
	assert.match(JSON.stringify(await pi.request(googlePayload("hi"))), /\\ntext\\n/);
});

test("a contribution may ask for envelopes of sessions that the sidecar does not know", async () => {
	const found: unknown[] = [];
	registerDeveloperMessageContribution({
		id: "a", content: ({ sessionId }) => {
			for (let i = 0; i < 50 && sessionId === "s1"; i++) {
				const id = `other ${i}`;
				const request = { sessionId: id, activeTools: [], cwd: "/w", systemPromptOptions: { cwd: "/w" } };
				promptEnvelopeRequests().set(id, request);
				found.push(getPromptEnvelopeService()?.current(id)?.developerMessages[0]?.content);
			}
			return `for ${sessionId}`;
		},
	});
	await start();
	for (let i = 0; i < 4; i++) await pi.turn("q");
	assert.deepEqual(found, Array.from({ length: 200 }, (_, i) => `for other ${i % 50}`));
});

test("a contribution may ask for an envelope of its own session", async () => {
	let asked = false;
	registerDeveloperMessageContribution({
		id: "a", content: ({ prompt }) => {
			if (asked) return "inner";
			asked = true;
			const found = getPromptEnvelopeService()?.current("s1");
			return `${prompt}: ${found?.developerMessages[0]?.content}`;
		},
	});
	await start();
	await pi.turn("q");
	assert.match(JSON.stringify(await pi.request(googlePayload("hi"))), /\\nq: inner\\n/);
});
