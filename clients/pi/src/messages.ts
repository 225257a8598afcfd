import type { BranchEntry } from "./protocol.ts";
import type { Kinded, PiSessionManager } from "./pi.ts";

export const CONTEXT_TYPE = "pi-developer-messages/agents-md";

const auditTypes = new Set([
	"pi-developer-messages/group",
	"pi-developer-messages/developer",
	"pi-developer-messages/context-user",
]);

function kind(value: unknown): Kinded {
	return typeof value === "object" && value !== null ? (value as Kinded) : {};
}

function isAuditCopy(message: unknown): boolean {
	const { role, customType = "" } = kind(message);
	return role === "custom" && auditTypes.has(customType);
}

function isContextMessage(message: unknown): boolean {
	const { role, customType } = kind(message);
	return role === "custom" && customType === CONTEXT_TYPE;
}

/**
 * The messages of a model call without audit copies and with the context-files message in front,
 * undefined if that changes nothing. The argument stays as it is; messages keep their identity.
 */
export function withContext(
	messages: readonly unknown[], text: string | null | undefined,
): unknown[] | undefined {
	const kept = messages.filter((message) => !isAuditCopy(message) && !isContextMessage(message));
	if (text) {
		kept.unshift({ role: "custom", customType: CONTEXT_TYPE, content: text, display: false, timestamp: 0 });
	} else if (kept.length === messages.length) {
		return undefined;
	}
	return kept;
}

/** Removes audit copies from the messages of a compaction, in place. */
export function dropAuditCopies(messages: unknown): void {
	drop(messages, isAuditCopy);
}

/** Removes audit copies from the session entries of a branch summary, in place. */
export function dropAuditEntries(entries: unknown): void {
	drop(entries, (entry) => {
		const { type, customType = "" } = kind(entry);
		return type === "custom_message" && auditTypes.has(customType);
	});
}

function drop(list: unknown, unwanted: (item: unknown) => boolean): void {
	if (!Array.isArray(list)) return;
	const kept = list.filter((item) => !unwanted(item));
	if (kept.length === list.length) return;
	for (const [i, item] of kept.entries()) list[i] = item;
	list.length = kept.length;
}

/** The audit entries of the session's branch, root first. */
export function auditBranch(manager: PiSessionManager): BranchEntry[] {
	const found: BranchEntry[] = [];
	for (const entry of manager.getBranch()) {
		const { type, customType = "", data } = entry as Kinded & { data?: unknown };
		if (type === "custom" && auditTypes.has(customType)) found.push({ type, customType, data });
	}
	return found;
}
