// The difference of two JSON values as edits of the first.
import { alignment } from "./alignment.js";

// An address may have 64 steps; what differs deeper is replaced at an ancestor.
const deepest = 60;

// difference returns edits in the order of the document. Values are values.
export function difference(before, after) {
  const edits = [];
  compare([], before, after, edits);
  return edits;
}

export const isList = Array.isArray;
export const isRecord = (value) => typeof value === "object" && value !== null && !isList(value);

// plain is what JSON.stringify takes a value for.
export function plain(value) {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  if (typeof value.toJSON === "function") value = value.toJSON();
  return value instanceof Number || value instanceof String || value instanceof Boolean ? value.valueOf() : value;
}

const missing = (value) => value === undefined || typeof value === "function" || typeof value === "symbol";

function compare(at, before, after, edits) {
  if (before === after) return;
  after = plain(after);
  if (before === after) return;
  if (at.length < deepest && !moved(after)) {
    const start = edits.length;
    if (isList(before) && isList(after)) return lists(at, before, after, edits);
    if (isRecord(before) && isRecord(after) && edited(before, after)) {
      if (records(at, before, after, edits)) return;
      edits.length = start;
    }
  }
  if (!equal(before, after)) edits.push({ op: "set", at, value: after });
}

// edited tells whether an object looks like a version of another one, and not like one that took its place. The
// members of a version stay where they are, whatever order the author's code has put them in.
function edited(before, after) {
  const keys = Object.keys(before);
  const others = Object.keys(after);
  let kept = 0;
  let inOrder = true;
  for (const key of keys) {
    if (!Object.hasOwn(after, key)) continue;
    if (key !== others[kept]) inOrder = false;
    kept++;
  }
  return (kept > 0 && inOrder) || 2 * kept >= Math.max(keys.length, others.length);
}

// moved tells whether a value is something of the payload, from another place. It stays together.
const moved = (value) => typeof value === "object" && value !== null && Object.isFrozen(value);

// records compares members. It answers false if a member with half a surrogate pair in its name differs:
// no address can name it.
function records(at, before, after, edits) {
  let named = true;
  const change = (key, edit) => {
    const start = edits.length;
    edit([...at, key]);
    if (edits.length > start && !key.isWellFormed()) named = false;
  };
  for (const key of Object.keys(before)) {
    const value = after[key];
    const has = Object.hasOwn(after, key);
    if (has && value === before[key]) continue;
    if (has && !missing(value)) {
      change(key, (there) => compare(there, before[key], value, edits));
    } else {
      change(key, (there) => edits.push({ op: "remove", at: there }));
    }
  }
  for (const key of Object.keys(after)) {
    if (Object.hasOwn(before, key)) continue;
    const value = after[key];
    if (!missing(value)) change(key, (there) => edits.push({ op: "set", at: there, value }));
  }
  return named;
}

function lists(at, before, after, edits) {
  const written = Array.from(after, element); // holes too
  const from = alignment(before, written);
  let next = 0; // the first element of before that is not dealt with
  const removeTo = (end) => {
    for (; next < end; next++) edits.push({ op: "remove", at: [...at, next] });
  };
  for (let i = 0; i < written.length; i++) {
    const index = from[i];
    if (index < 0) {
      edits.push({ op: "insert", at: [...at, next], value: written[i] });
      continue;
    }
    if (index > next) removeTo(index);
    if (before[index] !== written[i]) compare([...at, index], before[index], written[i], edits);
    next = index + 1;
  }
  removeTo(before.length);
}

// element is what JSON.stringify makes of an element of a list.
function element(value) {
  if (typeof value === "object") value = plain(value);
  return missing(value) ? null : value;
}

// Values that nest deeper than this are taken for different if they are not the same object.
const deepestEqual = 200;

// equal compares values, with the order of members. It goes no deeper into what is the same object.
export function equal(a, b, depth = 0) {
  if (a === b) return true;
  b = plain(b);
  if (typeof a !== "object" || a === null || typeof b !== "object" || b === null || depth > deepestEqual) {
    return a === b || (a === null && typeof b === "number" && !Number.isFinite(b));
  }
  return isList(a) ? isList(b) && equalLists(a, b, depth + 1) : !isList(b) && equalRecords(a, b, depth + 1);
}

function equalLists(a, b, depth) {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!equal(a[i], element(b[i]), depth)) return false;
  return true;
}

function equalRecords(a, b, depth) {
  const keys = Object.keys(a);
  let i = 0;
  for (const key of Object.keys(b)) {
    const value = b[key];
    if (value === undefined || missing(value)) continue;
    if (keys[i++] !== key || !equal(a[key], value, depth)) return false;
  }
  return i === keys.length;
}
