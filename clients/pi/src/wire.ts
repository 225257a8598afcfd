import type { PromptEnvelopeRequest } from "./requests.ts";

/**
 * A captured request as the sidecar reads it. Other packages make requests too, and may put more into
 * them than that.
 */
export function wireRequest(request: PromptEnvelopeRequest, model?: string): object {
	const { sessionId, provider, api, activeTools, prompt, cwd, piSystemPrompt, systemPromptOptions } = request;
	return { sessionId, provider, api, model, activeTools, prompt, cwd, piSystemPrompt, systemPromptOptions };
}
