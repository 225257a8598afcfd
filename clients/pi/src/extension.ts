import { isAwayError, isRpcError } from "./connection.ts";
import { messageOf, type PromptOptions, type Snapshot, snapshot } from "./contributions.ts";
import { dropAuditCopies, dropAuditEntries, withContext } from "./messages.ts";
import { printable } from "./notices.ts";
import { type Settled, settle } from "./options.ts";
import { adaptPayload } from "./payload.ts";
import type { BeforeAgentStartEvent, PiContext, PiExtensionAPI } from "./pi.ts";
import type { TurnResult } from "./protocol.ts";
import { note } from "./report.ts";
import { type PromptEnvelopeRequest, promptEnvelopeRequests } from "./requests.ts";
import { branchOf, EnvelopeService, getPromptEnvelopeService, registerService } from "./service.ts";
import { Sessions } from "./sessions.ts";
import { type Listener, sharedSidecar } from "./sidecar.ts";
import { wireRequest } from "./wire.ts";

/**
 * Wires Pi's hooks to the process's sidecar, which starts with the first session and ends with the last.
 * Registers hooks and the envelope service, nothing else.
 */
export function createExtension(pi: PiExtensionAPI, settled: Settled = settle({})): void {
	const sessions = new Sessions();
	let unregister: (() => void) | undefined;
	let registered = true;
	const sidecar = sharedSidecar(settled);
	const { notices } = sidecar;
	const listener: Listener = {
		onStart: () => {
			for (const params of sessions.starts()) sidecar.post("session/start", params);
		},
		onReady: () => {
			notices.back(listener);
			// Not if another extension has taken the slot meanwhile.
			if (registered && !unregister && !getPromptEnvelopeService()) unregister = registerService(service);
		},
		onAway: () => {
			// Packages that find no service help themselves; one that cannot answer would stop them.
			unregister?.();
			unregister = undefined;
		},
	};
	const join = (): void => sidecar.join(listener);
	const service = new EnvelopeService(pi, sidecar, sessions, join);
	unregister = registerService(service);

	/** A failure of ours: Pi's request goes out as it is, and the user hears of it once. */
	const unchanged = (hook: string, sessionId: string, error: unknown): void => {
		note("unchanged", { hook, session: sessionId, why: messageOf(error) });
		notices.away(listener, messageOf(error));
	};

	const sessionOf = (ctx: PiContext): string => {
		notices.use(listener, ctx);
		return ctx.sessionManager.getSessionId();
	};

	pi.on("session_start", (_event, ctx) => {
		const id = sessionOf(ctx);
		sessions.of(id).manager = ctx.sessionManager;
		for (const problem of settled.problems) sidecar.problem(problem);
		join();
		sidecar.post("session/start", sessions.start(id));
	});

	pi.on("before_agent_start", async (event, ctx) => {
		const id = sessionOf(ctx);
		const session = sessions.of(id);
		try {
			const request = requestOf(event, ctx, id, pi.getActiveTools());
			promptEnvelopeRequests().set(id, request);
			const { branch, failed } = branchOf(session.manager ?? ctx.sessionManager);
			const contributions = snapshot(request);
			join();
			const result = await sidecar.call<TurnResult>("turn/start", {
				request: wireRequest(request, ctx.model?.id), contributions: contributions.list,
				...(branch && { branch }),
			}, { render: contributions.render });
			sessions.captured(id, result.state, request);
			notices.back(listener);
			service.publish(result.audit);
			for (const { message, level } of result.notifications ?? []) notify(ctx, message, level);
			if (failed) notify(ctx, `System prompt build failed: ${messageOf(failed.error)}`, "error");
			sidecar.misfits("before_agent_start", result.report);
			note("turn", { session: id, ...outcome(result, contributions) });
			return result.systemPrompt === null ? undefined : { systemPrompt: result.systemPrompt };
		} catch (error) {
			session.asleep = true;
			unchanged("before_agent_start", id, error);
			return undefined;
		}
	});

	pi.on("context", (event, ctx) => {
		const session = sessions.get(sessionOf(ctx));
		if (session?.asleep) return undefined;
		const messages = withContext(event.messages, session?.state?.contextText);
		return messages && { messages: messages as never[] };
	});

	pi.on("before_provider_request", async (event, ctx) => {
		const id = sessionOf(ctx);
		const { model, signal } = ctx;
		try {
			const request = { sessionId: id, session: sessions.get(id), model, payload: event.payload, signal };
			return await adaptPayload(request, sidecar);
		} catch (error) {
			if (isAwayError(error) || isRpcError(error)) {
				unchanged("before_provider_request", id, error);
				return undefined;
			}
			note("unchanged", { hook: "before_provider_request", session: id, why: messageOf(error) });
			if (signal?.aborted) return undefined;
			throw error; // an adapter's; Pi reports it and sends the payload as it was
		}
	});

	pi.on("session_before_compact", ({ preparation }) => {
		dropAuditCopies(preparation.messagesToSummarize);
		dropAuditCopies(preparation.turnPrefixMessages);
	});

	pi.on("session_before_tree", ({ preparation }) => {
		dropAuditEntries(preparation.entriesToSummarize);
	});

	pi.on("session_shutdown", async ({ reason }, ctx) => {
		const id = sessionOf(ctx);
		sidecar.post("session/end", { sessionId: id, reason });
		sessions.delete(id);
		if (reason === "reload" || reason === "quit") {
			registered = false;
			unregister?.();
		}
		if (sessions.open) return;
		notices.drop(listener);
		// Another instance of this extension follows, except when Pi quits; a reload is for guests too.
		await sidecar.leave(listener, reason !== "reload" && reason !== "quit");
	});
}

function requestOf(
	event: BeforeAgentStartEvent, ctx: PiContext, sessionId: string, activeTools: string[],
): PromptEnvelopeRequest {
	return {
		sessionId, provider: ctx.model?.provider, api: ctx.model?.api, activeTools, prompt: event.prompt,
		cwd: ctx.cwd, piSystemPrompt: event.systemPrompt,
		systemPromptOptions: event.systemPromptOptions as PromptOptions,
	};
}

/** A turn for the report, with the contributions that failed, or are none, and were left out. */
function outcome({ fallback, error, report }: TurnResult, { unusable }: Snapshot): object {
	const skipped: object[] = (report?.contributions ?? []).filter((c) => c.error).map(
		({ id, source, reason, error }) => ({ id, source, reason, error }),
	);
	for (const { id, error } of unusable) skipped.push({ id, source: "client", reason: "unusable", error });
	return { fallback, ...(error && { error: error.message }), ...(skipped.length > 0 && { skipped }) };
}

// As the reference has it: what a build failure says goes to the UI or nowhere.
function notify(ctx: PiContext, message: string, level: "info" | "warning" | "error"): void {
	try {
		if (ctx.hasUI) ctx.ui.notify(printable(message), level);
	} catch {
		// a UI that fails must not end the turn
	}
}
