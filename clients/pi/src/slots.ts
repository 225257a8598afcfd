/**
 * Process-wide slots: how packages of one process find each other without importing each other. A slot
 * is looked up anew at every access, so it does not matter who was loaded first.
 */
export const CONTRIBUTIONS_KEY = "pi-developer-messages/developer-messages/v1";
export const ADAPTERS_KEY = "pi-developer-messages/provider-payload-adapters/v1";
export const SERVICE_KEY = "pi-developer-messages/envelope-service/v1";
export const REQUESTS_KEY = "pi-developer-messages/envelope-requests/v1";

/** What a slot with a store promises; it need not be a real Map. */
export interface Store<V> {
	readonly protocol: string;
	readonly version: 1;
	get(key: string): V | undefined;
	set(key: string, value: V): unknown;
	delete(key: string): unknown;
	clear(): void;
}

/** What a registry's slot promises. */
export interface Registry<V> extends Store<V> {
	values(): Iterable<V>;
}

export function readSlot(key: string): unknown {
	return (globalThis as Record<symbol, unknown>)[Symbol.for(key)];
}

/** Fills a slot; undefined empties it. */
export function writeSlot(key: string, value: unknown): void {
	const slots = globalThis as Record<symbol, unknown>;
	if (value === undefined) delete slots[Symbol.for(key)];
	else slots[Symbol.for(key)] = value;
}

function recognised(value: unknown, key: string, methods: readonly string[]): boolean {
	if (typeof value !== "object" || value === null) return false;
	const object = value as Record<string, unknown>;
	return object["protocol"] === key && object["version"] === 1
		&& methods.every((method) => typeof object[method] === "function");
}

function adopt(key: string, methods: readonly string[]): unknown {
	const found = readSlot(key);
	if (recognised(found, key, methods)) return found;
	const made = Object.assign(new Map<string, unknown>(), { protocol: key, version: 1 as const });
	writeSlot(key, made);
	return made;
}

/** The registry in a slot. What is no registry is overwritten with an empty one. */
export function registry<V>(key: string): Registry<V> {
	return adopt(key, ["get", "set", "delete", "values", "clear"]) as Registry<V>;
}

/** The store in a slot, like `registry`, for stores that are never listed. */
export function store<V>(key: string): Store<V> {
	return adopt(key, ["get", "set", "delete", "clear"]) as Store<V>;
}

/** Puts a value into a registry. The disposer removes it only while it is still the one stored there. */
export function register<V>(key: string, name: string, value: V): () => void {
	registry<V>(key).set(name, value);
	return () => {
		const now = registry<V>(key);
		if (now.get(name) === value) now.delete(name);
	};
}
