import type { Render } from "./connection.ts";
import type { RenderAnswer, WireContribution } from "./protocol.ts";
import { CONTRIBUTIONS_KEY, type Registry, register, registry } from "./slots.ts";

/** Pi's structured prompt inputs; whatever it holds is handed on. */
export interface PromptOptions {
	cwd: string;
	customPrompt?: string | undefined;
	appendSystemPrompt?: string | undefined;
	contextFiles?: { path: string; content: string }[] | undefined;
	[key: string]: unknown;
}

/** What a contribution's callback is given. During a turn it is the whole captured request. */
export interface RenderContext {
	/** The current provider's id, absent when unknown. */
	provider?: string | undefined;
	activeTools: string[];
	sessionId: string;
	/** The user prompt that starts the turn. */
	prompt?: string | undefined;
	systemPromptOptions: PromptOptions;
}

/** A source of one developer message. */
export interface DeveloperMessageContribution {
	/** Unique; a later registration under the same id replaces. Keep it stable over reloads. */
	id: string;
	/** Low comes first; default 0. */
	priority?: number | null | undefined;
	/** Only for these providers; an empty list never matches. */
	providers?: readonly string[] | undefined;
	/** Only when all of these tools are active. */
	activeTools?: readonly string[] | undefined;
	/** The text, or what makes it; blank texts and nothing are left out. Called synchronously. */
	content: string | ((context: RenderContext) => string | null | undefined);
}

export function getDeveloperMessageContributionRegistry(): Registry<DeveloperMessageContribution> {
	return registry(CONTRIBUTIONS_KEY);
}

/**
 * Registers a contribution for the whole process. The result removes it again, unless another has
 * replaced it. Throws when the id is blank.
 */
export function registerDeveloperMessageContribution(
	contribution: DeveloperMessageContribution,
): () => void {
	if (contribution.id.trim() === "") throw new Error("A developer message contribution needs an id");
	return register(CONTRIBUTIONS_KEY, contribution.id, contribution);
}

/** The contributions of this process for one call to the sidecar. */
export interface Snapshot {
	/** What the sidecar is told. */
	list: WireContribution[];
	/** Answers the sidecar's questions of this call. */
	render: Render;
	/** What is in the registry and is no contribution, with the reason. */
	unusable: { id: string; error: string }[];
	/** What the contribution with this id threw in this call. */
	thrown(id: string): { value: unknown } | undefined;
}

/** Contributions that are registered later, even by a callback, do not join. */
export function snapshot(context: RenderContext): Snapshot {
	const found: DeveloperMessageContribution[] = [];
	const unusable: Snapshot["unusable"] = [];
	for (const value of getDeveloperMessageContributionRegistry().values()) {
		const error = misshapen(value);
		if (error) unusable.push({ id: messageOf((value as Partial<typeof value> | null)?.id), error });
		else found.push(value);
	}
	const thrown = new Map<string, unknown>();
	return {
		list: found.map(toWire),
		unusable,
		render: (handles, stopOnError) => {
			const results: RenderAnswer[] = [];
			for (const handle of handles) {
				const contribution = found[handle];
				const answer = contribution ? evaluate(contribution, context, thrown) : { text: null };
				results.push(answer);
				if (stopOnError && "error" in answer) break;
			}
			return results;
		},
		thrown: (id) => (thrown.has(id) ? { value: thrown.get(id) } : undefined),
	};
}

// Other packages write into the map themselves; what has no id, or filters that are no lists of texts, is
// left out.
function misshapen(value: DeveloperMessageContribution): string | undefined {
	if (typeof value !== "object" || value === null) return "it is no object";
	if (typeof value.id !== "string") return "its id is no text";
	if (!isList(value.providers)) return "providers is no list of texts";
	return isList(value.activeTools) ? undefined : "activeTools is no list of texts";
}

function isList(filter: unknown): boolean {
	if (filter === undefined || filter === null) return true;
	return Array.isArray(filter) && filter.every((item) => typeof item === "string");
}

function toWire(contribution: DeveloperMessageContribution, handle: number): WireContribution {
	const { id, priority, providers, activeTools, content } = contribution;
	return {
		handle, id,
		...(typeof priority === "number" && !Number.isNaN(priority) && { priority: wirePriority(priority) }),
		...(providers && { providers: [...providers] }),
		...(activeTools && { activeTools: [...activeTools] }),
		...(typeof content === "string" && { content }),
	};
}

function wirePriority(priority: number): WireContribution["priority"] & {} {
	if (Number.isFinite(priority)) return priority;
	return priority > 0 ? "Infinity" : "-Infinity";
}

function evaluate(
	contribution: DeveloperMessageContribution, context: RenderContext, thrown: Map<string, unknown>,
): RenderAnswer {
	try {
		const text: unknown = typeof contribution.content === "function"
			? contribution.content(context) : contribution.content;
		if (text === undefined || text === null) return { text: null };
		if (typeof text === "string") return { text };
		const message = `contribution ${contribution.id} answered a ${typeof text}`;
		return { error: { kind: "not-text", message } };
	} catch (error) {
		thrown.set(contribution.id, error);
		return { error: { message: messageOf(error) } };
	}
}

/** The text of whatever was thrown. */
export function messageOf(error: unknown): string {
	try {
		return String(error instanceof Error ? error.message : error);
	} catch {
		return "something without a text was thrown"; // an object without a prototype, for example
	}
}
