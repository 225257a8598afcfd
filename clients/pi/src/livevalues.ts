import { toJSON } from "./plainjson.ts";

/**
 * The value that an edit puts in place of a live one, with what is live in that: where both are the same
 * JSON the live value stays, and so do members that JSON leaves out. Neither argument is modified. Of
 * lists of different lengths only what is the same at both ends is taken for the same.
 */
export function keepLive(live: unknown, value: unknown): unknown {
	if (Array.isArray(live) && Array.isArray(value)) return keepItems(live, value);
	if (isPlain(live) && isRecord(value)) return keepMembers(live, value);
	return same(live, value) ? live : value;
}

function keepItems(live: unknown[], value: unknown[]): unknown[] {
	const list = [...value];
	if (live.length === value.length) {
		for (const [i, item] of value.entries()) list[i] = keepLive(live[i], item);
		return list.every((item, i) => Object.is(item, live[i])) ? live : list;
	}
	const shorter = Math.min(live.length, value.length);
	let front = 0;
	while (front < shorter && same(live[front], value[front])) list[front] = live[front++];
	for (let back = 1; back <= shorter - front; back++) {
		if (!same(live.at(-back), value.at(-back))) break;
		list[list.length - back] = live.at(-back);
	}
	return list;
}

function keepMembers(live: Record<string, unknown>, value: Record<string, unknown>): object {
	const members = Object.keys(value).map((key): [string, unknown] =>
		[key, Object.hasOwn(live, key) ? keepLive(live[key], value[key]) : value[key]]);
	const before = Object.entries(live);
	const seen = before.filter(([, member]) => !isLeftOut(member));
	const unchanged = members.length === seen.length && members.every(([key, member], i) =>
		key === seen[i]?.[0] && Object.is(member, seen[i]?.[1]));
	if (unchanged) return live;
	const unseen = before.filter(([key, member]) => isLeftOut(member) && !Object.hasOwn(value, key));
	return Object.fromEntries([...members, ...unseen]);
}

/** Whether the live value is this JSON. In a list, what JSON leaves out is null. */
function same(live: unknown, value: unknown): boolean {
	return live === value || toJSON([live]) === JSON.stringify([value]);
}

function isLeftOut(member: unknown): boolean {
	return member === undefined || typeof member === "function" || typeof member === "symbol";
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

// Anything else, an abort signal for example, is one value.
function isPlain(live: unknown): live is Record<string, unknown> {
	return isRecord(live) && [Object.prototype, null].includes(Object.getPrototypeOf(live) as object | null)
		&& typeof live["toJSON"] !== "function";
}
