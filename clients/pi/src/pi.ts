/**
 * What this package uses of Pi's extension API, as structural types, so that it depends on no version
 * of Pi. Pi 0.74.2's and 1.6.0's `ExtensionAPI` both fit.
 */
export interface PiModel {
	id: string;
	provider: string;
	api: string;
}

export interface PiSessionManager {
	getSessionId(): string;
	/** Entries of the current branch, root first. */
	getBranch(): readonly { type: string }[];
}

export interface PiContext {
	ui: { notify(message: string, level?: "info" | "warning" | "error"): void };
	hasUI: boolean;
	cwd: string;
	model: PiModel | undefined;
	sessionManager: PiSessionManager;
	signal: AbortSignal | undefined;
}

export interface BeforeAgentStartEvent {
	/** Absent when an extension's message started the run (Pi 1.2 and later). */
	prompt?: string | undefined;
	systemPrompt: string;
	systemPromptOptions: object;
}

/** A message or session entry; only what tells its kind. */
export interface Kinded {
	role?: string;
	type?: string;
	customType?: string;
}

/** What a compaction, and a branch summary, is going to read. */
export interface CompactEvent {
	preparation: { messagesToSummarize: unknown[]; turnPrefixMessages: unknown[] };
}
export interface TreeEvent {
	preparation: { entriesToSummarize: unknown[] };
}

type Handler<E, R = void> = (event: E, ctx: PiContext) => R | void | Promise<R | void>;

export interface PiExtensionAPI {
	on(event: "session_start", handler: Handler<{ reason: string }>): void;
	on(event: "session_shutdown", handler: Handler<{ reason: string }>): void;
	on(event: "before_agent_start", handler: Handler<BeforeAgentStartEvent, { systemPrompt: string }>): void;
	// never: fits whatever a version of Pi calls a message.
	on(event: "context", handler: Handler<{ messages: unknown[] }, { messages: never[] }>): void;
	on(event: "before_provider_request", handler: Handler<{ payload: unknown }, unknown>): void;
	on(event: "session_before_compact", handler: Handler<CompactEvent>): void;
	on(event: "session_before_tree", handler: Handler<TreeEvent>): void;
	appendEntry(customType: string, data?: unknown): void;
	getActiveTools(): string[];
}
