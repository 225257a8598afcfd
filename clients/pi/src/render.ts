import { getDeveloperMessageContributionRegistry, type RenderContext } from "./contributions.ts";
import type { DeveloperMessage } from "./protocol.ts";
import { getPromptEnvelopeService } from "./service.ts";

/**
 * The developer messages for a context, without the environment message. With a running extension of
 * this package its guests take part; otherwise only the contributions of this process do. Throws what
 * a contribution throws.
 */
export function renderDeveloperMessages(context: RenderContext): DeveloperMessage[] {
	const service = getPromptEnvelopeService() as { render?: unknown } | undefined;
	if (typeof service?.render === "function") {
		return (service as { render(c: RenderContext): DeveloperMessage[] }).render(context);
	}
	const kept = [...getDeveloperMessageContributionRegistry().values()].filter(
		({ providers, activeTools }) =>
			(!providers || (context.provider !== undefined && providers.includes(context.provider)))
			&& (!activeTools || activeTools.every((tool) => context.activeTools.includes(tool))),
	);
	kept.sort((a, b) => (a.priority ?? 0) - (b.priority ?? 0) || a.id.localeCompare(b.id));
	const messages: DeveloperMessage[] = [];
	for (const contribution of kept) {
		const text = typeof contribution.content === "function"
			? contribution.content(context) : contribution.content;
		const content = text?.trim(); // fails, as it should, for what is no text
		if (content) messages.push({ id: contribution.id, content });
	}
	return messages;
}
