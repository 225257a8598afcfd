import { isAwayError, isRpcError } from "./connection.ts";
import { type Snapshot, snapshot, type RenderContext } from "./contributions.ts";
import { auditBranch } from "./messages.ts";
import type { PiExtensionAPI, PiSessionManager } from "./pi.ts";
import {
	type AuditGroup, type BranchEntry, type CaptureResult, type DeveloperMessage, ErrorCode,
	type PromptEnvelope,
} from "./protocol.ts";
import { note } from "./report.ts";
import { type PromptEnvelopeRequest, promptEnvelopeRequests } from "./requests.ts";
import type { Sessions } from "./sessions.ts";
import type { Sidecar } from "./sidecar.ts";
import { readSlot, SERVICE_KEY, writeSlot } from "./slots.ts";
import { wireRequest } from "./wire.ts";

/** What `current` lays over the stored request; a key that is present with undefined counts. */
export type EnvelopeOverrides = {
	[K in "provider" | "api" | "activeTools" | "cwd"]?: PromptEnvelopeRequest[K] | undefined;
};

/** The running envelope service, for other packages. */
export interface PromptEnvelopeService {
	/** Composes the envelope of a request and makes it the session's. Throws if a contribution fails. */
	capture(request: PromptEnvelopeRequest): PromptEnvelope;
	/** The envelope for the session's captured request as of now, undefined if there is none. */
	current(sessionId: string, overrides?: EnvelopeOverrides): PromptEnvelope | undefined;
	/** Forgets the session's captured request. */
	clear(sessionId: string): void;
}

/** The service of this process, undefined while there is none. Ask for it anew at every use. */
export function getPromptEnvelopeService(): PromptEnvelopeService | undefined {
	const found = readSlot(SERVICE_KEY) as Partial<PromptEnvelopeService> | null | undefined;
	if (typeof found !== "object" || found === null) return undefined;
	if (typeof found.capture !== "function" || typeof found.current !== "function") return undefined;
	return found as PromptEnvelopeService;
}

/**
 * The service over the sidecar. `capture` and `current` return values by contract, so they block this
 * thread until the sidecar has answered, or its time is up; `clear` does not wait.
 */
export class EnvelopeService implements PromptEnvelopeService {
	readonly #pi: PiExtensionAPI;
	readonly #sidecar: Sidecar;
	readonly #sessions: Sessions;
	readonly #join: () => void;

	constructor(pi: PiExtensionAPI, sidecar: Sidecar, sessions: Sessions, join: () => void) {
		this.#pi = pi;
		this.#sidecar = sidecar;
		this.#sessions = sessions;
		this.#join = join;
	}

	capture(request: PromptEnvelopeRequest): PromptEnvelope {
		promptEnvelopeRequests().set(request.sessionId, request);
		const { branch, failed } = branchOf(this.#sessions.get(request.sessionId)?.manager);
		const result = this.#call<CaptureResult>("envelope/capture", snapshot(request), {
			request: wireRequest(request), ...(branch && { branch }),
		});
		this.#sessions.captured(request.sessionId, result.state, request);
		this.publish(result.audit);
		this.#sidecar.misfits("capture", result.report);
		note("capture", { session: request.sessionId });
		if (failed) throw failed.error;
		return result.envelope;
	}

	current(sessionId: string, overrides: EnvelopeOverrides = {}): PromptEnvelope | undefined {
		const stored = promptEnvelopeRequests().get(sessionId);
		if (!stored) return undefined;
		const context: Record<string, unknown> = { ...stored };
		const laid: Record<string, unknown> = {};
		for (const key of ["provider", "api", "activeTools", "cwd"] as const) {
			if (!(key in overrides)) continue;
			context[key] = overrides[key];
			laid[key] = overrides[key] ?? null;
		}
		try {
			// The store is shared and outlives a reload; the sidecar may have another request, or none. That it has it is
			// waited for: what contributions ask for has no order there.
			if (this.#sessions.get(sessionId)?.known !== stored) {
				this.#join();
				this.#start(sessionId);
			}
			const result = this.#call<{ envelope: PromptEnvelope | null }>(
				"envelope/current", snapshot(context as unknown as PromptEnvelopeRequest),
				{ sessionId, overrides: laid },
			);
			return result.envelope ?? undefined;
		} catch (error) {
			// Without a sidecar there is no envelope; who asked goes on as if nothing had been captured.
			if (isAwayError(error)) return undefined;
			throw error;
		}
	}

	#start(sessionId: string): void {
		try {
			this.#sidecar.callSync("session/start", this.#sessions.start(sessionId));
		} catch (error) {
			this.#sessions.of(sessionId).known = undefined; // it is told again when somebody asks again
			throw error;
		}
	}

	clear(sessionId: string): void {
		promptEnvelopeRequests().delete(sessionId);
		const session = this.#sessions.get(sessionId);
		if (session) session.known = undefined;
		this.#sidecar.post("envelope/clear", { sessionId });
	}

	/** The developer messages for a context, environment left out. Throws if a contribution fails. */
	render(context: RenderContext): DeveloperMessage[] {
		const { messages } = this.#call<{ messages: DeveloperMessage[] | null }>(
			"envelope/render", snapshot(context), { context },
		);
		return messages ?? [];
	}

	/** Appends audit groups to Pi's session; what cannot be appended is tried again next turn. */
	publish(groups: readonly AuditGroup[] | null | undefined): void {
		for (const { customType, data } of groups ?? []) {
			try {
				this.#pi.appendEntry(customType, data);
			} catch {
				// an audit never stands in the way of a turn
			}
		}
	}

	#call<T>(method: string, contributions: Snapshot, params: object): T {
		this.#join();
		const { list, render } = contributions;
		try {
			return this.#sidecar.callSync<T>(method, { ...params, contributions: list }, { render });
		} catch (error) {
			throw original(error, contributions);
		}
	}
}

/** The audit entries of a session's branch; none without a manager, or if it cannot be read. */
export function branchOf(
	manager: PiSessionManager | undefined,
): { branch?: BranchEntry[]; failed?: { error: unknown } } {
	if (!manager) return {};
	try {
		return { branch: auditBranch(manager) };
	} catch (error) {
		return { failed: { error } };
	}
}

/** What a contribution of this process threw, if that is what the sidecar reports. */
function original(error: unknown, contributions: Snapshot): unknown {
	if (!isRpcError(error) || error.code !== ErrorCode.buildFailed) return error;
	const { contribution } = (error.data ?? {}) as { contribution?: string };
	const thrown = contribution === undefined ? undefined : contributions.thrown(contribution);
	return thrown ? thrown.value : error;
}

/** Puts a service into its slot, replacing another; the result empties the slot if it still holds it. */
export function registerService(service: PromptEnvelopeService): () => void {
	writeSlot(SERVICE_KEY, service);
	return () => {
		if (readSlot(SERVICE_KEY) === service) writeSlot(SERVICE_KEY, undefined);
	};
}
