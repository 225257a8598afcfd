import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { report } from "../src/report.ts";
import { until } from "./host.ts";

function program(): string {
	const path = process.env["PINTLE_COMMAND"];
	assert.ok(path, "set PINTLE_COMMAND to a pintle that was built from cmd/pintle");
	return path;
}

/** Whether there is a process. */
export function runs(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch {
		return false;
	}
}

/** A real sidecar whose process is known, so that it can be killed. */
export class RealSidecar {
	readonly directory = mkdtempSync(join(tmpdir(), "pintle-pi-"));
	readonly #pids = join(this.directory, "pids");
	readonly command = ["/bin/sh", "-c", 'echo $$ >> "$0"; exec "$@"', this.#pids, program(), "serve", "--stdio"];

	/** The process that was started last. */
	get pid(): number {
		return Number(readFileSync(this.#pids, "utf8").trim().split("\n").at(-1));
	}

	/** Kills the sidecar, and waits for the one that takes its place. */
	async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
		const restarts = (): number => report().filter(({ event }) => event === "restarted").length;
		const before = restarts();
		process.kill(this.pid, signal);
		await until("a new sidecar", () => restarts() > before);
	}

	/** Stops the sidecar and waits until it stands: the signal takes a moment to arrive. */
	async stop(): Promise<void> {
		const { pid } = this;
		process.kill(pid, "SIGSTOP");
		if (!existsSync("/proc")) return void (await new Promise((resolve) => setTimeout(resolve, 500)));
		// The state is the first word behind the name, which is in parentheses.
		await until("a stop", () => /\) [Tt] /.test(readFileSync(`/proc/${pid}/stat`, "utf8")));
	}

	remove(): void {
		rmSync(this.directory, { recursive: true });
	}
}
