import assert from "node:assert/strict";
import { createExtension } from "../src/extension.ts";
import { type Options, settle, type Settled } from "../src/options.ts";
import type { PiContext, PiExtensionAPI, PiModel } from "../src/pi.ts";
import { sharedSidecar, type Sidecar } from "../src/sidecar.ts";

export interface Entry {
	type: string;
	id: string;
	parentId: string | null;
	[key: string]: unknown;
}

/** One session's entries: a tree with a leaf. */
export class Tree {
	readonly entries: Entry[] = [];
	leaf: string | null = null;

	add(entry: object): void {
		const made = { ...entry, id: `e${this.entries.length + 1}`, parentId: this.leaf } as Entry;
		this.entries.push(made);
		this.leaf = made.id;
	}

	branch(): Entry[] {
		const path: Entry[] = [];
		for (let id = this.leaf; id !== null; ) {
			const entry = this.entries.find((e) => e.id === id);
			assert.ok(entry, `no entry ${id}`);
			path.unshift(entry);
			id = entry.parentId;
		}
		return path;
	}
}

export interface Notification {
	message: string;
	level: string | undefined;
}

type Handler = (event: unknown, ctx: PiContext) => unknown;

/** As much of Pi as the extension sees: sessions, hooks called directly, a UI that collects. */
export class FakePi {
	readonly trees = new Map<string, Tree>();
	session = "s1";
	cwd = "/work/app";
	model: PiModel | undefined;
	tools: string[] = [];
	hasUI = true;
	failUI = false;
	failAppend = false;
	failBranch = false;
	signal: AbortSignal | undefined;
	notifications: Notification[] = [];
	appended: { customType: string; data: unknown }[] = [];
	/** The options of the extension; a test may change its limits between calls. */
	settled: Settled | undefined;
	sidecar: Sidecar | undefined;
	#handlers = new Map<string, Handler>();
	#loaded: (() => Promise<void>)[] = [];

	/** Loads the extension; hooks of one that was loaded before are no longer called. */
	load(options: Options): void {
		const handlers = new Map<string, Handler>();
		this.#handlers = handlers;
		const api: PiExtensionAPI = {
			on: (event: string, handler: unknown) => {
				assert.ok(!handlers.has(event), `two handlers for ${event}`);
				handlers.set(event, handler as Handler);
			},
			appendEntry: (customType, data) => {
				if (this.failAppend) throw new Error("append failed");
				this.tree().add({ type: "custom", customType, data });
				this.appended.push({ customType, data });
			},
			getActiveTools: () => this.tools,
		};
		this.settled = settle(options);
		createExtension(api, this.settled);
		this.sidecar = sharedSidecar(this.settled);
		this.#loaded.push(async () => {
			for (this.session of this.trees.keys()) {
				await handlers.get("session_shutdown")?.({ reason: "quit" }, this.context());
			}
		});
	}

	/** Forgets the extension, as a new process would. */
	unload(): void {
		this.#handlers = new Map();
		this.sidecar = undefined;
	}

	tree(id = this.session): Tree {
		let tree = this.trees.get(id);
		if (!tree) this.trees.set(id, (tree = new Tree()));
		return tree;
	}

	context(): PiContext {
		const { session } = this;
		this.tree();
		return {
			ui: {
				notify: (message, level) => {
					if (this.failUI) throw new Error("notify failed");
					this.notifications.push({ message, level });
				},
			},
			hasUI: this.hasUI,
			cwd: this.cwd,
			model: this.model,
			sessionManager: {
				getSessionId: () => session,
				getBranch: () => {
					if (this.failBranch) throw new Error("branch failed");
					return this.tree(session).branch();
				},
			},
			signal: this.signal,
		};
	}

	/** Calls the extension's hook for an event, undefined if there is no extension. */
	async emit(event: string, value: object): Promise<unknown> {
		return this.#handlers.get(event)?.({ type: event, ...value }, this.context());
	}

	/** One prompt: the answer of `before_agent_start`. */
	async turn(prompt: string, systemPrompt = "PI BASE", options: object = {}): Promise<string | undefined> {
		const answer = await this.emit("before_agent_start", {
			prompt, systemPrompt, systemPromptOptions: { cwd: this.cwd, ...options },
		});
		return (answer as { systemPrompt?: string } | undefined)?.systemPrompt;
	}

	async request(payload: unknown): Promise<unknown> {
		return this.emit("before_provider_request", { payload });
	}

	/** Shuts every session down, of every extension that was loaded, which ends the sidecar. */
	async close(): Promise<void> {
		for (const shutdown of this.#loaded) await shutdown();
	}
}

const slots = [
	"pi-developer-messages/developer-messages/v1",
	"pi-developer-messages/provider-payload-adapters/v1",
	"pi-developer-messages/envelope-service/v1",
	"pi-developer-messages/envelope-requests/v1",
	"pintle/report/v1",
	"pintle/sidecar/v1",
];

/** Limits for tests that are not about them, on machines that are busy with other things. */
export const patient = { startWait: 300_000, startLimit: 300_000, callLimit: 60_000, closeLimit: 60_000 };

/** Empties this process's slots, as a new process has them. */
export function freshProcess(): void {
	for (const key of slots) delete (globalThis as Record<symbol, unknown>)[Symbol.for(key)];
}

/** Waits until a condition holds, a minute at most. */
export async function until(what: string, condition: () => boolean): Promise<void> {
	for (let i = 0; i < 6000; i++) {
		if (condition()) return;
		await new Promise((resolve) => setTimeout(resolve, 10));
	}
	assert.fail(`${what} never happened`);
}
