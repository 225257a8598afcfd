import { keepLive } from "./livevalues.ts";
import type { Edit, Step } from "./protocol.ts";

/** What is to happen at one place of the original document, and below it. */
interface Place {
	set?: { value: unknown };
	removed?: true;
	/** Values to put in front of this place. */
	before?: unknown[];
	below?: Map<Step, Place>;
}

const maxDepth = 256;

/**
 * The document with the edits, all of which are addressed in the document as given. Only objects and
 * lists on the way to an edit are copied; everything else is in the result as the same object, also
 * below a value that was set, and the argument is not modified. Throws if an edit has no place in the document.
 */
export function applyEdits(document: unknown, edits: readonly Edit[]): unknown {
	const root: Place = {};
	for (const edit of edits) {
		let place = root;
		if (edit.path.length > maxDepth) throw new Error("an edit is too deep");
		for (const step of edit.path) {
			place.below ??= new Map();
			let next = place.below.get(step);
			if (!next) place.below.set(step, (next = {}));
			place = next;
		}
		if (edit.op === "insert") (place.before ??= []).push(edit.value);
		else if (edit.op === "remove") place.removed = true;
		else place.set = { value: edit.value };
	}
	if (root.removed || root.before) throw new Error("the whole payload can only be set");
	return changed(document, root, []);
}

function changed(value: unknown, place: Place, path: Step[]): unknown {
	if (place.set) {
		if (place.below) throw misplaced(path);
		return keepLive(value, place.set.value);
	}
	if (!place.below) return value;
	if (Array.isArray(value)) return changedList(value, place.below, path);
	if (typeof value === "object" && value !== null) return changedObject(value, place.below, path);
	throw misplaced(path);
}

function changedList(list: unknown[], below: Map<Step, Place>, path: Step[]): unknown[] {
	for (const [step, place] of below) {
		const onlyInserts = place.before && !place.set && !place.removed && !place.below;
		const last = onlyInserts ? list.length : list.length - 1;
		if (!Number.isInteger(step) || Number(step) < 0 || Number(step) > last) throw misplaced([...path, step]);
	}
	const result: unknown[] = [];
	for (let i = 0; i <= list.length; i++) {
		const place = below.get(i);
		if (place?.before) for (const value of place.before) result.push(value);
		if (i === list.length || place?.removed) continue;
		result.push(place ? changed(list[i], place, [...path, i]) : list[i]);
	}
	return result;
}

function changedObject(object: object, below: Map<Step, Place>, path: Step[]): object {
	const copy: object = { ...object }; // not Object.assign, which sets a key __proto__ instead of copying it
	const prototype = Object.getPrototypeOf(object) as object | null;
	if (prototype !== Object.prototype) Object.setPrototypeOf(copy, prototype);
	for (const [step, place] of below) {
		const key = String(step);
		const has = Object.hasOwn(object, key);
		if (place.before || (!has && !place.set)) throw misplaced([...path, step]);
		if (place.removed) {
			delete (copy as Record<string, unknown>)[key];
			continue;
		}
		const value = changed(has ? (object as Record<string, unknown>)[key] : undefined, place, [...path, step]);
		// Defined, not assigned: a key may be called __proto__.
		Object.defineProperty(copy, key, { value, writable: true, enumerable: true, configurable: true });
	}
	return copy;
}

function misplaced(path: Step[]): Error {
	return new Error(`the payload has no place ${JSON.stringify(path)} for an edit`);
}
