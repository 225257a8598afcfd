import { findAdapter, type Replacement, runAdapter } from "./adapters.ts";
import { applyEdits } from "./edits.ts";
import type { PiModel } from "./pi.ts";
import type { AdapterLookup, AdaptResult } from "./protocol.ts";
import { note } from "./report.ts";
import type { Session } from "./sessions.ts";
import type { Sidecar } from "./sidecar.ts";

/** One request to a provider, before it goes out. */
export interface PayloadRequest {
	sessionId: string;
	session: Session | undefined;
	model: PiModel | undefined;
	payload: unknown;
	signal: AbortSignal | undefined;
}

/**
 * The payload with the session's envelope, undefined if it goes out as it is. Adapters of this process
 * get the live payload and may throw; the sidecar gets JSON and answers with edits, which are made on
 * a copy of what they touch, so that live objects in the payload survive. Fails as `Sidecar.call`.
 */
export async function adaptPayload(request: PayloadRequest, sidecar: Sidecar): Promise<unknown> {
	const { sessionId, session, model, payload } = request;
	const { lookup } = sidecar;
	const found = model && replacement(session, model, lookup);
	if (!model || !found) return undefined;
	const adapter = findAdapter(model.provider, model.api, model.id, lookup);
	if (adapter?.enabled?.(model.provider, model.api, model.id) === false) {
		note("request", { session: sessionId, adapter: "of this process", changed: false, reason: "adapter-disabled" });
		return undefined;
	}
	if (adapter) {
		const result = runAdapter(adapter, payload, found, lookup);
		note("request", { session: sessionId, adapter: "of this process", changed: result !== undefined });
		return result;
	}
	const { provider, api, id } = model;
	const answer = await sidecar.call<AdaptResult>(
		"payload/adapt", { sessionId, provider, api, model: id, payload }, { signal: request.signal },
	);
	if (answer.error) throw new Error(answer.error.message);
	const { answered, reason } = answer;
	note("request", { session: sessionId, changed: answered, ...(reason && { reason }) });
	if (!answered) return undefined;
	return applyEdits(payload, answer.edits ?? []);
}

/** What the session's state puts into a payload for this model, undefined if it is not for this model. */
function replacement(
	session: Session | undefined, model: PiModel, lookup: AdapterLookup,
): Replacement | undefined {
	const { base, prompt, provider, api, messages } = session?.state ?? {};
	if (session?.asleep || typeof base !== "string" || typeof prompt !== "string") return undefined;
	if (!model.provider || provider !== model.provider) return undefined;
	if (lookup === "0.3.9" && api && api !== model.api) return undefined;
	return { base, prompt, messages: messages ?? [] };
}
