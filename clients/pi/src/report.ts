import { appendFileSync } from "node:fs";

/** One thing that happened. `time` is an ISO time; the other members depend on the event. */
export interface ReportEntry {
	time: string;
	event: ReportEvent;
	[detail: string]: unknown;
}

export type ReportEvent =
	| "started" | "died" | "restarted" | "closed" | "away" | "back" | "problem"
	| "turn" | "capture" | "request" | "unchanged";

const SLOT = Symbol.for("pintle/report/v1");
const kept = 200;

// One list per process, in a slot, because Pi may load this module several times.
function entries(): ReportEntry[] {
	const slots = globalThis as { [SLOT]?: ReportEntry[] };
	slots[SLOT] ??= [];
	return slots[SLOT];
}

/** The last 200 things that happened in this process, oldest first. */
export function report(): ReportEntry[] {
	return [...entries()];
}

/** Adds to the report, and to the file PINTLE_REPORT as one line of JSON. Never fails. */
export function note(event: ReportEvent, details: Record<string, unknown> = {}): void {
	const entry: ReportEntry = { time: new Date().toISOString(), event, ...details };
	const list = entries();
	list.push(entry);
	if (list.length > kept) list.splice(0, list.length - kept);
	const file = process.env["PINTLE_REPORT"];
	if (!file) return;
	try {
		appendFileSync(file, `${JSON.stringify(entry)}\n`);
	} catch {
		// a full disk must not end a turn
	}
}
