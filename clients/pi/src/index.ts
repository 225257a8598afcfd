/** Pintle for Pi: the extension, and the registries that it shares with other packages. */
import { createExtension } from "./extension.ts";
import type { PiExtensionAPI } from "./pi.ts";

export default function pintle(pi: PiExtensionAPI): void {
	createExtension(pi);
}

export {
	type DeveloperMessageContribution, getDeveloperMessageContributionRegistry, type PromptOptions,
	registerDeveloperMessageContribution, type RenderContext,
} from "./contributions.ts";
export {
	getSystemPromptPayloadAdapterRegistry, registerSystemPromptPayloadAdapter,
	type SystemPromptPayloadAdapter,
} from "./adapters.ts";
export { type EnvelopeOverrides, getPromptEnvelopeService, type PromptEnvelopeService } from "./service.ts";
export { type PromptEnvelopeRequest, promptEnvelopeRequests } from "./requests.ts";
export { renderDeveloperMessages } from "./render.ts";
export { report, type ReportEntry, type ReportEvent } from "./report.ts";
export type { DeveloperMessage, PromptEnvelope } from "./protocol.ts";
