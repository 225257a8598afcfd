import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import { FakePi, freshProcess } from "./host.ts";

// What the user sets in the environment.

const fake = fileURLToPath(new URL("./fake-sidecar.mjs", import.meta.url));

let pi: FakePi;
let directory: string;

beforeEach(() => {
	freshProcess();
	directory = mkdtempSync(join(tmpdir(), "pintle-pi-"));
	pi = new FakePi();
});

afterEach(async () => {
	await pi.close();
	rmSync(directory, { recursive: true });
});

/** Does something with an environment variable set. */
async function having(name: string, value: string, does: () => Promise<void>): Promise<void> {
	const before = process.env[name];
	process.env[name] = value;
	try {
		await does();
	} finally {
		if (before === undefined) delete process.env[name];
		else process.env[name] = before;
	}
}

test("a PINTLE_COMMAND that is no list says so, and Pi goes on", async () => {
	for (const wrong of ['["pintle', "[]", "[1]"]) {
		freshProcess();
		pi.notifications = [];
		await having("PINTLE_COMMAND", wrong, async () => {
			pi.load({});
			await pi.emit("session_start", { reason: "startup" });
			assert.equal(await pi.turn("q"), undefined);
			assert.equal(pi.notifications[0]?.message,
				`pintle: the sidecar could not be started: there is no program ${wrong}; PINTLE_COMMAND can say where it is; requests go out as Pi built them`);
		});
	}
});

test("a time that is no number says so once, and has its default", async () => {
	for (const [name, otherwise] of [["PINTLE_START_WAIT", 3000], ["PINTLE_CALL_LIMIT", 5000]] as const) {
		for (const wrong of ["3s", "-1", "0", "Infinity"]) {
			await having(name, wrong, async () => {
				freshProcess();
				pi.notifications = [];
				pi.load({ command: [process.execPath, fake, "{}"] });
				for (let i = 0; i < 2; i++) await pi.emit("session_start", { reason: "startup" });
				const message = `pintle: ${name}: want a number of milliseconds, got ${wrong}; it is ${otherwise}`;
				assert.deepEqual(pi.notifications, [{ message, level: "warning" }]);
			});
		}
	}
});

test("a wait that is longer than timers can be is a long one", async () => {
	await having("PINTLE_START_WAIT", "1e12", () => having("PINTLE_CALL_LIMIT", "1e12", async () => {
		const gate = join(directory, "gate");
		pi.load({ command: [process.execPath, fake, JSON.stringify({ gate })] });
		await pi.emit("session_start", { reason: "startup" });
		const turn = pi.turn("q");
		setTimeout(() => writeFileSync(gate, ""), 100);
		assert.equal(await turn, "composed PI BASE");
		assert.deepEqual(pi.notifications, []);
	}));
});
