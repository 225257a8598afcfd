import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads";
import { ErrorCode, type RenderAnswer, type RenderParams, type RpcErrorBody } from "./protocol.ts";
import { toJSON } from "./plainjson.ts";

// Errors are told apart by their names, not their classes: a sidecar is shared by several instances of
// this module, each with classes of its own.

/** The sidecar answered with an error. */
export interface RpcError extends Error, RpcErrorBody {
	name: "RpcError";
}

export function isRpcError(error: unknown): error is RpcError {
	return error instanceof Error && error.name === "RpcError";
}

/** There is no sidecar to answer: it ended, does not answer in time, or could not be started. */
export function awayError(message: string): Error {
	return Object.assign(new Error(message), { name: "AwayError" });
}

export function isAwayError(error: unknown): error is Error {
	return error instanceof Error && error.name === "AwayError";
}

/** Texts of contributions for one call, in the order of the handles. */
export type Render = (handles: number[], stopOnError: boolean) => RenderAnswer[];

type Outcome = { result: unknown } | { error: Error };

interface Pending {
	method: string;
	/** When the answer is overdue, in milliseconds of `performance.now()`. */
	deadline: number;
	render: Render | undefined;
	settle(outcome: Outcome): void;
}

type Message = {
	id?: number | string | null;
	method?: string;
	params?: unknown;
	result?: unknown;
	error?: RpcErrorBody;
};

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const maxPending = 256;
const maxMessage = 64 * 1024 * 1024;
const maxNested = 8;

export interface ConnectionOptions {
	/** Program and arguments. */
	command: string[];
	/** Called once, when the sidecar is gone; `reason` completes "the sidecar …". */
	onEnd(reason: string, stderr: string): void;
}

/** Waits until something happens, at most `limit` milliseconds. */
function atMost(limit: number, when: (happened: () => void) => unknown): Promise<void> {
	return new Promise((resolve) => {
		const timer = setTimeout(resolve, limit);
		when(() => {
			clearTimeout(timer);
			resolve();
		});
	});
}

/**
 * One sidecar process. Everything happens on the thread that made it; answers are handled when that
 * thread's loop runs, or inside `pump` while it is blocked.
 */
export class Connection {
	readonly #port: MessagePort;
	readonly #worker: Worker;
	readonly #counter = new Int32Array(new SharedArrayBuffer(4));
	readonly #pending = new Map<number, Pending>();
	readonly #options: ConnectionOptions;
	#nextId = 1;
	/** Calls whose contributions are being called just now, the innermost last. */
	readonly #answering: (number | string)[] = [];
	#ended: string | undefined;
	#whenEnded: (() => void)[] = [];

	constructor(options: ConnectionOptions) {
		this.#options = options;
		const { port1, port2 } = new MessageChannel();
		this.#port = port1;
		this.#worker = new Worker(new URL("./worker.mjs", import.meta.url), {
			workerData: { port: port2, counter: this.#counter.buffer, command: options.command },
			transferList: [port2],
			execArgv: [],
		});
		this.#worker.on("error", (error) => this.#end(`connection failed: ${error.message}`, ""));
		this.#worker.on("exit", () => {
			this.#drain();
			this.#end("connection ended", "");
			this.#port.close();
		});
		this.#port.on("message", (message: unknown) => this.#receive(message));
		// Pi may end whenever it likes. A call that somebody waits for is kept alive by its timer.
		this.#port.unref();
		this.#worker.unref();
	}

	/** Why the connection is over, undefined while it is not. */
	get ended(): string | undefined {
		return this.#ended;
	}

	/**
	 * Sends a request; `settle` gets the outcome once, possibly before `send` returns. Nothing watches
	 * the time limit here: see `request` and `requestSync`.
	 */
	send(
		method: string, params: unknown, limit: number, settle: (outcome: Outcome) => void, render?: Render,
	): number {
		const id = this.#nextId++;
		let body: Uint8Array | undefined;
		let problem: Error | undefined;
		if (this.#ended !== undefined) problem = awayError(`the sidecar ${this.#ended}`);
		else if (this.#answering.length >= maxNested) {
			problem = new Error("contributions ask for envelopes that ask for them again");
		} else if (this.#pending.size >= maxPending) problem = awayError("too many calls wait for the sidecar");
		else {
			try {
				// What a contribution asks for cannot wait for the call that waits for the contribution.
				const within = this.#answering.at(-1);
				const inner = within === undefined ? params : { ...(params as object), within };
				body = encoder.encode(toJSON({ jsonrpc: "2.0", id, method, params: inner }));
				// The sidecar would skip it, and could not say whose it was.
				if (body.length > maxMessage) {
					problem = awayError(`the sidecar takes no message of ${body.length} bytes`);
					body = undefined;
				}
			} catch (error) {
				problem = error instanceof Error ? error : new Error(String(error)); // a cycle, a throwing getter
			}
		}
		if (!body) {
			settle({ error: problem as Error });
			return id;
		}
		this.#pending.set(id, { method, deadline: performance.now() + limit, render, settle });
		this.#port.postMessage(body, [body.buffer as ArrayBuffer]);
		return id;
	}

	/**
	 * Asks and waits without blocking, at most `limit` milliseconds. Fails with RpcError, with an away error
	 * (after the limit too; the sidecar is then killed, because it hangs), or with the signal's reason.
	 */
	request<T>(
		method: string, params: unknown, limit: number, render?: Render, signal?: AbortSignal,
	): Promise<T> {
		return new Promise<T>((resolve, reject) => {
			if (signal?.aborted) return reject(signal.reason as Error);
			let timer: NodeJS.Timeout | undefined;
			const abort = (): void => {
				this.#pending.delete(id);
				this.#post({ jsonrpc: "2.0", method: "$/cancelRequest", params: { id } });
				done();
				reject(signal?.reason as Error);
			};
			const done = (): void => {
				clearTimeout(timer);
				signal?.removeEventListener("abort", abort);
			};
			const id = this.send(method, params, limit, (outcome) => {
				done();
				if ("error" in outcome) reject(outcome.error);
				else resolve(outcome.result as T);
			}, render);
			const watch = (): void => {
				this.#drain(); // this thread may have been busy while the answer arrived
				const pending = this.#pending.get(id);
				if (!pending) return;
				const left = pending.deadline - performance.now();
				if (left > 0) timer = setTimeout(watch, Math.ceil(left));
				else this.kill(`did not answer ${method} within ${limit} ms`);
			};
			if (!this.#pending.has(id)) return;
			timer = setTimeout(watch, limit);
			signal?.addEventListener("abort", abort);
		});
	}

	/** Like `request`, but blocks this thread; contributions that are asked for meanwhile are called. */
	requestSync<T>(method: string, params: unknown, limit: number, render?: Render): T {
		let outcome: Outcome | undefined;
		const id = this.send(method, params, limit, (o) => {
			outcome = o;
		}, render);
		this.pump(() => outcome !== undefined, () => this.#pending.get(id)?.deadline ?? 0);
		if (!outcome) this.kill(`did not answer ${method} within ${limit} ms`);
		const settled = outcome as Outcome | undefined;
		if (!settled) throw awayError(`the sidecar ${this.#ended}`);
		if ("error" in settled) throw settled.error;
		return settled.result as T;
	}

	/** Handles what arrives, blocking this thread, until `done` or the deadline, which may move. */
	pump(done: () => boolean, deadline: () => number): void {
		for (;;) {
			const seen = Atomics.load(this.#counter, 0);
			this.#drain();
			if (done() || this.#ended !== undefined) return;
			const left = deadline() - performance.now();
			if (left <= 0) return;
			Atomics.wait(this.#counter, 0, seen, left);
		}
	}

	/** Ends the sidecar at once. Waiting calls fail. */
	kill(reason: string): void {
		if (this.#ended !== undefined) return;
		this.#port.postMessage({ order: "kill" });
		this.#end(reason, "");
	}

	/** Asks the sidecar to end, and ends it after `limit` milliseconds in any case. */
	async close(limit: number): Promise<void> {
		if (this.#ended !== undefined) return;
		this.send("shutdown", undefined, limit, () => {
			this.#post({ jsonrpc: "2.0", method: "exit" });
			this.#port.postMessage({ order: "end" });
		});
		await atMost(limit, (resolve) => this.#whenEnded.push(resolve));
		if (this.#ended !== undefined) return;
		this.kill("did not end when asked to");
		// Pi may end now, and with it the thread, which has to read the order before.
		await atMost(limit, (resolve) => this.#worker.once("exit", resolve));
	}

	/** Sends a message that is not answered; false if it is too long for the sidecar, which would skip it. */
	#post(message: object): boolean {
		if (this.#ended !== undefined) return true;
		const body = encoder.encode(toJSON(message));
		if (body.length > maxMessage) return false;
		this.#port.postMessage(body, [body.buffer as ArrayBuffer]);
		return true;
	}

	#drain(): void {
		for (;;) {
			const next = receiveMessageOnPort(this.#port);
			if (!next) return;
			this.#receive(next.message);
		}
	}

	#receive(message: unknown): void {
		if (this.#ended !== undefined) return;
		if (!(message instanceof Uint8Array)) {
			const last = message as { ended: string; stderr: string };
			return this.#end(last.ended, last.stderr);
		}
		try {
			this.#take(JSON.parse(decoder.decode(message)) as Message);
		} catch (error) {
			this.kill(`wrote something that is not a message (${String(error)})`);
		}
	}

	#take({ id, method, params, result, error }: Message): void {
		if (method !== undefined) {
			if (id !== undefined) this.#answer(id, method, params);
			return; // notifications: a render that nobody waits for is answered before it could be cancelled
		}
		const pending = typeof id === "number" ? this.#pending.get(id) : undefined;
		if (!pending) return; // the answer to a call that was given up
		this.#pending.delete(id as number);
		pending.settle(error ? { error: Object.assign(new Error(), error, { name: "RpcError" }) } : { result });
	}

	#answer(id: number | string | null, method: string, params: unknown): void {
		const refuse = (code: number, message: string): void => {
			this.#post({ jsonrpc: "2.0", id, error: { code, message } });
		};
		if (method !== "render") return refuse(ErrorCode.methodNotFound, `no method ${method}`);
		const { call, handles, stopOnError } = params as RenderParams;
		const render = this.#pending.get(call)?.render;
		if (!render) return refuse(ErrorCode.cancelled, `nobody waits for call ${call}`);
		const started = performance.now();
		this.#answering.push(call);
		const results = render(handles, stopOnError);
		this.#answering.pop();
		// The time that contributions take is not the sidecar's.
		const spent = performance.now() - started;
		for (const pending of this.#pending.values()) pending.deadline += spent;
		if (this.#post({ jsonrpc: "2.0", id, result: { results } })) return;
		refuse(ErrorCode.internal, `the texts of the contributions have more than ${maxMessage} bytes together`);
	}

	#end(reason: string, stderr: string): void {
		if (this.#ended !== undefined) return;
		this.#ended = reason;
		const waiting = [...this.#pending.values()];
		this.#pending.clear();
		for (const pending of waiting) pending.settle({ error: awayError(`the sidecar ${reason}`) });
		for (const resolve of this.#whenEnded) resolve();
		this.#options.onEnd(reason, stderr);
	}
}
