import type { PiContext } from "./pi.ts";
import type { Problem } from "./protocol.ts";
import { note } from "./report.ts";

/** Standard error, where Pi has no user interface (print and JSON modes): stdout belongs to the answer. */
const nowhere = {};

/**
 * Tells the user that the sidecar is away, once per outage, that it is back, and what is amiss with guests
 * and settings. It is shared by the extensions of a process, one for each session: every user interface is
 * told, and what happens to a session without one, such as a subagent's, is told to another's, or else on
 * stderr, once for all of them.
 */
export class Notices {
	/** The context of the newest event of each extension, for what has to be said between two. */
	readonly #contexts = new Map<object, PiContext>();
	/** Where it was told that the sidecar is away, and which extensions are without it. */
	readonly #away = new Map<object, Set<object>>();

	use(extension: object, context: PiContext): void {
		this.#contexts.set(extension, context);
	}

	/** The extension has no session any more. */
	drop(extension: object): void {
		this.#contexts.delete(extension);
		for (const [place, without] of this.#away) {
			if (without.delete(extension) && without.size === 0) this.#away.delete(place);
		}
	}

	/** A request of Pi went out without us. */
	away(extension: object, reason: string): void {
		if (!this.#contexts.has(extension)) return; // it was dropped under a call, and would never be back
		const place = this.#place(extension);
		const without = this.#away.get(place);
		if (without) {
			without.add(extension);
			return;
		}
		this.#away.set(place, new Set([extension]));
		note("away", { reason });
		this.#tell(place, `pintle: ${reason}; requests go out as Pi built them`, "warning");
	}

	back(extension: object): void {
		for (const [place, without] of this.#away) {
			if (!without.delete(extension) || without.size > 0) continue;
			this.#away.delete(place);
			note("back");
			this.#tell(place, "pintle: the sidecar is back", "info");
		}
	}

	/** Something is amiss that does not keep the sidecar from serving. */
	problem({ where, message }: Problem): void {
		const places = new Set([...this.#contexts.keys()].map((extension) => this.#place(extension)));
		if (places.size === 0) places.add(nowhere);
		for (const place of places) this.#tell(place, `pintle: ${where}: ${message}`, "warning");
	}

	/** The extension whose user interface is told, if there is one. */
	#place(extension: object): object {
		if (this.#hasUI(extension)) return extension;
		return [...this.#contexts.keys()].find((other) => this.#hasUI(other)) ?? nowhere;
	}

	#hasUI(extension: object): boolean {
		try {
			return this.#contexts.get(extension)?.hasUI === true;
		} catch {
			return false; // a context that Pi has replaced throws
		}
	}

	#tell(place: object, text: string, level: "info" | "warning"): void {
		const message = printable(text);
		try {
			const context = this.#contexts.get(place);
			if (context) context.ui.notify(message, level);
			else process.stderr.write(`${message}\n`);
		} catch {
			// a user interface that fails; the report has it
		}
	}
}

/**
 * A text with the words of guests or names of files, safe for a terminal: what could move the cursor, hide
 * text or turn the direction of writing is written as an escape.
 */
export function printable(text: string): string {
	return text.replace(/(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (c) => `\\u{${c.codePointAt(0)?.toString(16)}}`);
}
