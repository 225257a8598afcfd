import type { PiSessionManager } from "./pi.ts";
import type { State } from "./protocol.ts";
import { type PromptEnvelopeRequest, promptEnvelopeRequests } from "./requests.ts";
import { wireRequest } from "./wire.ts";

/** One session as this process knows it. */
export interface Session {
	/** From `session_start`; audits of captures by other packages need it. */
	manager?: PiSessionManager;
	/** What the last capture left, as the sidecar told; undefined before the first. */
	state?: State;
	/**
	 * The current turn was started without the sidecar: Pi's requests go out as they are until the next
	 * good capture, even if the state of an earlier turn would fit.
	 */
	asleep?: boolean;
	/** The captured request that the running sidecar has. */
	known?: PromptEnvelopeRequest | undefined;
}

/** The sessions of one extension, and what a new sidecar has to be told about them. */
export class Sessions {
	readonly #sessions = new Map<string, Session>();

	/** Whether Pi has started a session and not ended it; captures by other packages do not count. */
	get open(): boolean {
		return [...this.#sessions.values()].some(({ manager }) => manager !== undefined);
	}

	get(id: string): Session | undefined {
		return this.#sessions.get(id);
	}

	/** The session, made on first use. */
	of(id: string): Session {
		let session = this.#sessions.get(id);
		if (!session) {
			this.#forgetEnded();
			this.#sessions.set(id, (session = {}));
		}
		return session;
	}

	// A session that other packages captured for, such as a subagent's, may be another extension's, which takes
	// its request out of the store when it ends.
	#forgetEnded(): void {
		for (const [id, { manager }] of this.#sessions) {
			if (!manager && !promptEnvelopeRequests().get(id)) this.#sessions.delete(id);
		}
	}

	delete(id: string): void {
		this.#sessions.delete(id);
		promptEnvelopeRequests().delete(id);
	}

	/** Takes the state after a capture. */
	captured(id: string, state: State | null | undefined, request: PromptEnvelopeRequest): void {
		const session = this.of(id);
		session.asleep = false;
		session.known = request;
		if (state) session.state = state;
		else delete session.state;
	}

	/**
	 * Parameters of `session/start` for a sidecar that runs: it may not know the stored request. The state
	 * it does know, and another extension of this process, or a turn that is being answered, may have
	 * changed it since.
	 */
	start(id: string): object {
		const request = promptEnvelopeRequests().get(id);
		this.of(id).known = request;
		return { sessionId: id, ...(request && { restore: { request: wireRequest(request) } }) };
	}

	/** Parameters of `session/start` for a new sidecar, for all sessions. */
	starts(): object[] {
		this.#forgetEnded();
		return [...this.#sessions].map(([id, { state }]) => {
			const start = this.start(id) as { restore?: object };
			return state ? { ...start, restore: { ...start.restore, state } } : start;
		});
	}
}
