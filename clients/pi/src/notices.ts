import type { PiContext } from "./pi.ts";
import type { Problem } from "./protocol.ts";
import { note } from "./report.ts";

/**
 * Tells the user that the sidecar is away, once per outage, that it is back, and what is amiss with guests
 * and settings. In Pi's modes without a UI (print, JSON) that is a line on stderr: stdout belongs to the
 * answer.
 */
export class Notices {
	#context: PiContext | undefined;
	#away = false;

	/** The context of the newest event, for what has to be said between two. */
	use(context: PiContext): void {
		this.#context = context;
	}

	/** A request of Pi went out without us. */
	away(reason: string): void {
		if (this.#away) return;
		this.#away = true;
		note("away", { reason });
		this.#tell(`pintle: ${reason}; requests go out as Pi built them`, "warning");
	}

	back(): void {
		if (!this.#away) return;
		this.#away = false;
		note("back");
		this.#tell("pintle: the sidecar is back", "info");
	}

	/** Something is amiss that does not keep the sidecar from serving. */
	problem({ where, message }: Problem): void {
		this.#tell(`pintle: ${where}: ${message}`, "warning");
	}

	#tell(text: string, level: "info" | "warning"): void {
		const message = printable(text);
		try {
			if (this.#context?.hasUI) this.#context.ui.notify(message, level);
			else process.stderr.write(`${message}\n`);
		} catch {
			// a context that Pi has replaced throws; the report has it
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
