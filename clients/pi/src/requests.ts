import type { PromptOptions } from "./contributions.ts";
import { REQUESTS_KEY, type Store, store } from "./slots.ts";

/** What a turn is, as the envelope is captured from it. */
export interface PromptEnvelopeRequest {
	sessionId: string;
	/** Absent when unknown. */
	provider?: string | undefined;
	api?: string | undefined;
	activeTools: string[];
	prompt?: string | undefined;
	cwd: string;
	/** The prompt that Pi had built. */
	piSystemPrompt?: string | undefined;
	systemPromptOptions: PromptOptions;
}

/** The last captured request of every session of this process, in the shared slot. */
export function promptEnvelopeRequests(): Store<PromptEnvelopeRequest> {
	return store(REQUESTS_KEY);
}
