/**
 * The sidecar protocol, version 1, as far as this package speaks it. `clients/protocol.schema.json`
 * has all of it.
 */
export const PROTOCOL_VERSION = 1;

export const ErrorCode = {
	cancelled: -32800,
	methodNotFound: -32601,
	invalidParams: -32602,
	internal: -32603,
	buildFailed: -32010,
} as const;

/** A prompt envelope's message. */
export interface DeveloperMessage {
	id: string;
	content: string;
}

export interface PromptEnvelope {
	systemPrompt: string;
	developerMessages: DeveloperMessage[];
	contextualUserMessages: DeveloperMessage[];
}

/** What the hooks know of a session. */
export interface State {
	/** The prompt that Pi had built when the envelope was captured. */
	base?: string | null;
	/** The last good prompt, and the provider and api that it was composed for. */
	prompt?: string | null;
	provider?: string | null;
	api?: string | null;
	messages?: DeveloperMessage[] | null;
	contextText?: string | null;
}

export interface AuditGroup {
	customType: string;
	data: unknown;
}

/** One audit entry of a session's branch, root first. */
export interface BranchEntry {
	type: "custom";
	customType: string;
	data: unknown;
}

/** A contribution of this process. Without `content` the sidecar asks for its text with `render`. */
export interface WireContribution {
	handle: number;
	id: string;
	/** JSON has no infinity. */
	priority?: number | "Infinity" | "-Infinity";
	providers?: string[];
	activeTools?: string[];
	content?: string;
}

/** A line of the adapter protocol: how adapters are looked up, and when they count as an answer. */
export type AdapterLookup = "0.3.7" | "0.3.9";

export interface Config {
	guests?: (string | { file: string; config?: unknown })[];
	adapters?: object | false;
	policy?: "skip" | "fail" | "last-good";
	auditEntries?: string[];
	lookup?: AdapterLookup;
}

/** What this process knows better than the sidecar; what is missing the sidecar observes itself. */
export interface Environment {
	timezone?: string;
	currentDate?: string;
	shell?: string;
	platform?: string;
	[key: string]: unknown;
}

export interface InitializeParams {
	protocol: number[];
	client: { name: string; version: string };
	capabilities: { render: boolean };
	agentDir?: string;
	cwd?: string;
	environment?: Environment;
	config?: Config;
}

/** Something that is amiss and does not keep the sidecar from serving. */
export interface Problem {
	where: string;
	message: string;
}

/** A guest that was loaded; there is more about it than that. */
export interface Guest {
	/** With its version. */
	name: string;
	/** Capabilities that it asks for and goes without. */
	withheld: string[];
}

export interface InitializeResult {
	protocol: number;
	server: { name: string; version: string };
	guests: Guest[];
	/** The line of the adapter protocol that is in force. */
	lookup: AdapterLookup;
	problems?: Problem[];
}

export interface Report {
	contributions?: { id: string; source: string; reason?: string; error?: string }[] | null;
	/** Members of systemPromptOptions that have another type and count as missing. */
	options?: string[];
}

export interface TurnResult {
	systemPrompt: string | null;
	fallback: boolean;
	error?: { message: string; kind: string; contribution?: string };
	envelope?: PromptEnvelope;
	state: State | null;
	audit: AuditGroup[] | null;
	notifications: { message: string; level: "info" | "warning" | "error" }[] | null;
	report?: Report;
}

export interface CaptureResult {
	envelope: PromptEnvelope;
	state: State | null;
	audit: AuditGroup[] | null;
	report?: Report;
}

/** A step into a payload: a key of an object or an index of a list. */
export type Step = string | number;

/** A change of a payload, addressed in the original document. */
export type Edit =
	| { op: "set" | "insert"; path: Step[]; value: unknown }
	| { op: "remove"; path: Step[] };

export interface AdaptResult {
	answered: boolean;
	edits: Edit[] | null;
	reason?: string;
	error?: { message: string } | null;
}

/** The reverse request: texts of this process's contributions, for the request with the id `call`. */
export interface RenderParams {
	call: number;
	handles: number[];
	stopOnError: boolean;
}

export type RenderAnswer = { text: string | null } | { error: { message: string; kind?: "not-text" } };

export interface RpcErrorBody {
	code: number;
	message: string;
	data?: unknown;
}
