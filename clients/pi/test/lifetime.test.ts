import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { until } from "./host.ts";
import { runs } from "./real.ts";

const program = process.env["PINTLE_COMMAND"] ?? "";
const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

// What is not waited for is a matter of luck, so it is tried some times.
for (const then of ["return", "wait", "quit", "quit", "quit", "quit"]) {
	test(`nothing outlives Pi, and nothing keeps it: ${then}`, async (t) => {
		const directory = mkdtempSync(join(tmpdir(), "pintle-pi-"));
		t.after(() => rmSync(directory, { recursive: true }));
		const pids = join(directory, "pid");
		const args = [script("./lonely.js"), pids, program, then];
		const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
		const [output] = (await once(child.stdout, "data")) as [Buffer];
		assert.equal(String(output), "PI BASE\n");
		if (then === "wait") child.kill("SIGKILL");
		await once(child, "exit");
		const pid = Number(readFileSync(pids, "utf8"));
		t.after(() => runs(pid) && process.kill(pid, "SIGKILL"));
		await until("the sidecar's end", () => !runs(pid));
	});
}

test("a process without files for another one says so", async () => {
	const args = ["-c", 'ulimit -n 100; exec "$@"', "sh", process.execPath, script("./nofiles.js"), program];
	const child = spawn("/bin/sh", args, { stdio: ["ignore", "pipe", "inherit"] });
	const told = await text(child.stdout);
	assert.match(told, /^pintle: the sidecar could not be started: spawn .* EMFILE; requests go out/m);
	assert.doesNotMatch(told, /undefined/);
});
