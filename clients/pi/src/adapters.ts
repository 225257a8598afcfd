import type { AdapterLookup, DeveloperMessage } from "./protocol.ts";
import { ADAPTERS_KEY, type Registry, register, registry } from "./slots.ts";

/** Provider-specific code that reads and rewrites a request payload of this process. */
export interface SystemPromptPayloadAdapter {
	provider: string;
	/** Only for this api or these; of the 0.3.9 line, like `model` and `enabled`. */
	api?: string | readonly string[] | undefined;
	model?: string | ((model: string) => boolean) | undefined;
	enabled?: ((provider: string, api: string | undefined, model: string | undefined) => boolean) | undefined;
	/** The system prompt in the payload, undefined if there is none. */
	readSystemPrompt(payload: unknown): string | undefined;
	/** A payload with that prompt; the argument stays as it is. */
	replaceSystemPrompt(payload: unknown, systemPrompt: string): unknown;
	/** A payload in which the managed developer messages are exactly these. */
	replaceDeveloperMessages?(payload: unknown, messages: DeveloperMessage[]): unknown;
}

export function getSystemPromptPayloadAdapterRegistry(): Registry<SystemPromptPayloadAdapter> {
	return registry(ADAPTERS_KEY);
}

/**
 * Registers an adapter for the whole process, under its provider: the last one wins. The result removes
 * it again, unless another has replaced it. Throws when the provider is blank.
 */
export function registerSystemPromptPayloadAdapter(adapter: SystemPromptPayloadAdapter): () => void {
	if (adapter.provider.trim() === "") throw new Error("A system prompt payload adapter needs a provider");
	return register(ADAPTERS_KEY, keyOf(adapter), adapter);
}

function ofNewLine({ api, model, enabled }: SystemPromptPayloadAdapter): boolean {
	return api !== undefined || model !== undefined || enabled !== undefined;
}

// An adapter that is not for its whole provider gets a key of the newer line, so that several fit.
function keyOf(adapter: SystemPromptPayloadAdapter): string {
	if (!ofNewLine(adapter)) return adapter.provider;
	const { provider, api = "*", model } = adapter;
	const apis = typeof api === "string" ? api : api.join(",");
	const parts = [provider, apis];
	if (model !== undefined) parts.push(typeof model === "string" ? model : "<predicate>");
	const found = getSystemPromptPayloadAdapterRegistry();
	let sequence = 1;
	while (found.get([...parts, sequence].join(":")) !== undefined) sequence++;
	return [...parts, sequence].join(":");
}

/**
 * The adapter for a model: the one under the provider's name; if that is missing or limited to certain
 * models, the best of all that match (for the model before for any, for the api before for any, the
 * newest first), as the newer line looks it up. One that is switched off is found too, and hides the others.
 */
export function findAdapter(
	provider: string, api: string | undefined, model: string | undefined, lookup: AdapterLookup,
): SystemPromptPayloadAdapter | undefined {
	const adapters = getSystemPromptPayloadAdapterRegistry();
	const named = adapters.get(provider);
	if (lookup === "0.3.7" && named && !ofNewLine(named)) return named;
	let best: SystemPromptPayloadAdapter | undefined;
	let bestRank = -1;
	for (const adapter of adapters.values()) {
		if (!matches(adapter, provider, api, model)) continue;
		const rank = (adapter.model !== undefined ? 2 : 0) + (adapter.api !== undefined ? 1 : 0);
		if (rank >= bestRank) [best, bestRank] = [adapter, rank];
	}
	return best;
}

function matches(
	adapter: SystemPromptPayloadAdapter, provider: string, api: string | undefined, model: string | undefined,
): boolean {
	// Other packages write into the map themselves.
	if ((adapter as SystemPromptPayloadAdapter | null)?.provider !== provider) return false;
	if (typeof adapter.model === "function") {
		if (model === undefined || !adapter.model(model)) return false;
	} else if (adapter.model !== undefined && adapter.model !== model) return false;
	if (adapter.api !== undefined) {
		if (api === undefined) return false;
		if (typeof adapter.api === "string" ? adapter.api !== api : !adapter.api.includes(api)) return false;
	}
	return true;
}

/** What a session's last good envelope puts into a payload. */
export interface Replacement {
	base: string;
	prompt: string;
	messages: readonly DeveloperMessage[];
}

/**
 * The payload after the adapter, undefined for "no change". In the 0.3.7 line an adapter that has been asked to
 * place messages has changed something, in the 0.3.9 line one that gives another object. What the adapter
 * throws is thrown.
 */
export function runAdapter(
	adapter: SystemPromptPayloadAdapter, payload: unknown, replacement: Replacement, lookup: AdapterLookup,
): unknown {
	const { base, prompt, messages } = replacement;
	let result = payload;
	let changed = false;
	if (adapter.readSystemPrompt(payload) === base) {
		result = adapter.replaceSystemPrompt(payload, prompt);
		changed = true;
	}
	if (adapter.replaceDeveloperMessages) {
		const before = result;
		result = adapter.replaceDeveloperMessages(before, messages.map(({ id, content }) => ({ id, content })));
		// The reference of the newer line takes this step's verdict for both, and so loses a prompt that was replaced.
		changed ||= lookup === "0.3.7" || result !== before;
	}
	return changed ? result : undefined;
}
