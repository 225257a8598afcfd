import { awayError, Connection, type Render } from "./connection.ts";
import { messageOf } from "./contributions.ts";
import { Notices } from "./notices.ts";
import type { Settled } from "./options.ts";
import {
	type AdapterLookup, type InitializeParams, type InitializeResult, type Problem, PROTOCOL_VERSION, type Report,
} from "./protocol.ts";
import { note } from "./report.ts";

/** What goes with a call: contributions of this process, and a signal that gives it up. */
export interface CallOptions {
	render?: Render;
	signal?: AbortSignal | undefined;
}

/** Somebody who uses the sidecar. */
export interface Listener {
	/** The sidecar is new; tell it what it must know, with `post`, before any other call. */
	onStart(): void;
	/** It answers calls (again). */
	onReady(): void;
	/** It is gone. */
	onAway(): void;
}

// After the first death the sidecar is started again at once; then with growing pauses; after the
// fifth in a row the circuit opens: nothing is tried for a minute, and then only if somebody calls.
const pauses = [0, 100, 500, 2000];
const openFor = 60_000;
/** How long a sidecar without users is kept for one that is to follow. */
const keptFor = 10_000;

/**
 * The sidecar over its deaths: starts it, again if need be, and says when it is away. A call that
 * finds no sidecar fails with an away error, at the latest after `startWait` milliseconds.
 */
export class Sidecar {
	/** The line of the adapter protocol, which settings in a file may have set. */
	lookup: AdapterLookup = "0.3.7";
	/** What the user is told: of problems with guests and settings once, restarts or not. */
	readonly notices = new Notices();
	readonly #options: Settled;
	readonly #listeners = new Set<Listener>();
	#connection: Connection | undefined;
	#ready = false;
	#starts = 0;
	/** Deaths since the last call that was answered. */
	#failures = 0;
	#reason = "";
	#notBefore = 0;
	#timer: NodeJS.Timeout | undefined;
	/** Runs out when nobody has followed the last user. */
	#idle: NodeJS.Timeout | undefined;
	/** Problems that the user has been told of. */
	readonly #told = new Set<string>();
	/** Calls that wait for the start; each is called once, ready or not. */
	#waiting: (() => void)[] = [];

	constructor(options: Settled) {
		this.#options = options;
	}

	/** Begins to use the sidecar, and starts it unless it runs. Once is enough. */
	join(listener: Listener): void {
		this.#listeners.add(listener);
		this.#start();
	}

	/**
	 * Ends using it; with the last user the sidecar ends, which is awaited. If another user is about to follow, the
	 * sidecar is kept for that one for a while.
	 */
	async leave(listener: Listener, followed = false): Promise<void> {
		this.#listeners.delete(listener);
		if (this.#listeners.size > 0) return;
		clearTimeout(this.#idle);
		if (!followed) return this.#close();
		this.#idle = setTimeout(() => {
			if (this.#listeners.size === 0) void this.#close();
		}, keptFor);
		this.#idle.unref();
	}

	/** Calls a method. Fails with RpcError, an away error or the signal's reason. */
	async call<T>(method: string, params: unknown, { render, signal }: CallOptions = {}): Promise<T> {
		this.#start();
		if (!this.#ready) await this.#whenReady();
		const connection = this.#running();
		const result = await connection.request<T>(method, params, this.#options.callLimit, render, signal);
		this.#failures = 0;
		return result;
	}

	/** Calls a method and blocks this thread until it is answered. */
	callSync<T>(method: string, params: unknown, { render }: CallOptions = {}): T {
		this.#start();
		const until = performance.now() + this.#options.startWait;
		if (!this.#ready) this.#connection?.pump(() => this.#ready, () => until);
		const result = this.#running().requestSync<T>(method, params, this.#options.callLimit, render);
		this.#failures = 0;
		return result;
	}

	/**
	 * Sends a request whose answer nobody needs, in order with the others. Nothing is sent to a sidecar
	 * that is not ready: it hears of the sessions as they are when it is.
	 */
	post(method: string, params: unknown): void {
		if (this.#ready) this.#connection?.send(method, params, this.#options.callLimit, () => {});
	}

	/** Reports something that is amiss. The user is told of each thing once. */
	problem(problem: Problem): void {
		note("problem", { ...problem });
		const key = JSON.stringify([problem.where, problem.message]);
		if (this.#told.has(key)) return;
		this.#told.add(key);
		this.notices.problem(problem);
	}

	/** Reports what could not be read of a request's options, which anybody may have put there. */
	misfits(where: string, report: Report | undefined): void {
		for (const message of report?.options ?? []) this.problem({ where, message });
	}

	/** Starts the sidecar unless it runs, or has to be left alone for a while. */
	#start(): void {
		if (this.#connection || performance.now() < this.#notBefore) return;
		clearTimeout(this.#timer);
		let connection: Connection;
		try {
			connection = new Connection({
				command: this.#options.command,
				onEnd: (reason, stderr) => {
					if (connection === this.#connection) this.#died(reason, stderr); // else closed on purpose
				},
			});
		} catch (error) {
			return this.#died(`could not be started: ${messageOf(error)}`, ""); // no more threads, for example
		}
		this.#connection = connection;
		const { agentDir, environment, config, startLimit } = this.#options;
		const params: InitializeParams = {
			protocol: [PROTOCOL_VERSION],
			client: { name: "@pintle-wasm/pi", version: "0.1.0" },
			capabilities: { render: true },
			agentDir, ...workingDirectory(), environment, config,
		};
		const overdue = setTimeout(() => connection.kill(`did not start within ${startLimit} ms`), startLimit);
		overdue.unref();
		connection.send("initialize", params, startLimit, (outcome) => {
			clearTimeout(overdue);
			if ("error" in outcome) return connection.kill(`refused to start: ${outcome.error.message}`);
			if (connection !== this.#connection) return; // closed before it had started
			this.#started(outcome.result as InitializeResult);
		});
	}

	async #close(): Promise<void> {
		clearTimeout(this.#timer);
		const connection = this.#connection;
		this.#forget();
		this.#wake();
		if (!connection) return;
		await connection.close(this.#options.closeLimit);
		note("closed");
	}

	#started(result: InitializeResult): void {
		this.#ready = true;
		this.lookup = result.lookup;
		for (const listener of this.#listeners) listener.onStart();
		note(this.#starts++ === 0 ? "started" : "restarted", {
			server: result.server, guests: result.guests.map(({ name, withheld }) => ({ name, withheld })),
		});
		for (const problem of result.problems ?? []) this.problem(problem);
		for (const listener of this.#listeners) listener.onReady();
		this.#wake();
	}

	#died(reason: string, stderr: string): void {
		this.#forget();
		this.#reason = `the sidecar ${reason}`;
		this.#failures++;
		const open = this.#failures > pauses.length;
		const pause = open ? openFor : (pauses[this.#failures - 1] ?? 0);
		this.#notBefore = performance.now() + pause;
		note("died", { reason, ...(stderr && { stderr }), failures: this.#failures, pause });
		if (!open) {
			this.#timer = setTimeout(() => {
				this.#notBefore = 0; // a timer may be early by a part of a millisecond
				this.#start();
			}, pause);
			this.#timer.unref();
		}
		for (const listener of this.#listeners) listener.onAway();
		this.#wake();
	}

	#forget(): void {
		this.#connection = undefined;
		this.#ready = false;
	}

	#wake(): void {
		const waiting = this.#waiting;
		this.#waiting = [];
		for (const resolve of waiting) resolve();
	}

	#whenReady(): Promise<void> {
		if (!this.#connection) return Promise.resolve();
		return new Promise((resolve) => {
			const timer = setTimeout(resolve, this.#options.startWait);
			this.#waiting.push(() => {
				clearTimeout(timer);
				resolve();
			});
		});
	}

	#running(): Connection {
		if (this.#ready && this.#connection) return this.#connection;
		throw awayError(this.#connection ? "the sidecar is still starting" : this.#reason || "the sidecar is away");
	}
}

function workingDirectory(): { cwd?: string } {
	try {
		return { cwd: process.cwd() };
	} catch {
		return {}; // it has been removed
	}
}

const SLOT = Symbol.for("pintle/sidecar/v1");

/**
 * The sidecar for these options, one per process: Pi loads this module anew for every session, and
 * programs that embed Pi have many sessions at once.
 */
export function sharedSidecar(options: Settled): Sidecar {
	const slots = globalThis as { [SLOT]?: Map<string, Sidecar> };
	slots[SLOT] ??= new Map();
	const { command, agentDir, config, environment } = options;
	const key = JSON.stringify([command, agentDir, config, environment]);
	let found = slots[SLOT].get(key);
	if (!found) slots[SLOT].set(key, (found = new Sidecar(options)));
	return found;
}
