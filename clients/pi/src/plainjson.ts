function isBinary(value: unknown): boolean {
	return ArrayBuffer.isView(value) || value instanceof ArrayBuffer || value instanceof SharedArrayBuffer;
}

// Binary data has to go before JSON.stringify reaches it: a Buffer's toJSON makes a list of its bytes.
function plain(_key: string, value: unknown): unknown {
	if (typeof value === "bigint") return null;
	if (typeof value !== "object" || value === null) return value;
	if (isBinary(value)) return null;
	const members = value as Record<string, unknown>;
	let copy: Record<string, unknown> | undefined;
	for (const key of Object.keys(members)) {
		if (!isBinary(members[key])) continue;
		copy ??= (Array.isArray(value) ? [...value] : { ...members }) as unknown as Record<string, unknown>;
		copy[key] = null;
	}
	return copy ?? value;
}

/**
 * The value as JSON, for the sidecar's eyes: what JSON has no form for (big integers, binary data) is
 * null, so that every other value keeps its place. Throws on cycles.
 */
export function toJSON(value: unknown): string {
	return JSON.stringify(value, plain);
}
