// Payloads for adapters of version 1. An author gets a payload as values and answers another one; the host
// gets the difference as edits, so that what the author did not touch stays as it was written.
import { difference } from "./difference.js";
import { written } from "./edit.js";

// parsed reads a payload. It cannot be changed: code that tries fails at its own line, not in a request of
// somebody else. A large payload is frozen where adapters work, at the top; all of it would take most of a
// call's fuel.
export function parsed(text) {
  const root = JSON.parse(text);
  // Functions of the engine do it all: a loop of ours would take twice as much.
  let level = [root].filter(Object.isExtensible);
  for (let depth = 1; level.length > 0; depth++) {
    const next = depth === levels && large(text) ? [] : level.flatMap(Object.values).filter(Object.isExtensible);
    level.forEach(Object.freeze);
    level = next;
  }
  return root;
}

const large = (text) => text.length > 256 << 10;
const levels = 3; // the payload, its lists and objects, what is in them

const container = (value) => typeof value === "object" && value !== null;

// changes lists the edits that make `after` of a payload. The value of each is a JSON text. who is for errors.
export function changes(before, after, text, who) {
  const spelled = speller(before, text, who);
  return difference(before, after).map((edit) => {
    if (edit.op === "remove") return edit;
    return { op: edit.op, at: edit.at, value: spelled(edit.value) };
  });
}

// speller writes values as JSON. Objects and lists of the payload that an author has put into a new place
// keep the spelling of their numbers, which as values may have lost digits.
function speller(before, text, who) {
  let exact;
  const inside = (_, value) => exact.get(value) ?? value;
  return (value) => {
    if (!exact && reusesPayload(value, text)) exact = exactOf(before, text);
    return written(value, `what ${who} answered`, exact && inside);
  };
}

// reusesPayload tells whether there may be something of the payload in a value. That is frozen, but for what is
// deep in a large one.
function reusesPayload(value, text) {
  const seen = new Set();
  const open = [value];
  while (open.length > 0) {
    const v = open.pop();
    if (!container(v) || seen.has(v)) continue;
    if (Object.isFrozen(v) || (large(text) && seen.size > 0)) return true;
    seen.add(v);
    for (const key of Object.keys(v)) open.push(v[key]);
  }
  return false;
}

// exactOf maps objects and lists of the payload to equal ones whose numbers are as written.
function exactOf(before, text) {
  const written = JSON.parse(text, (_, value, { source }) =>
    typeof value === "number" && source !== String(value) ? JSON.rawJSON(source) : value,
  );
  const exact = new Map();
  const open = [[before, written]];
  while (open.length > 0) {
    const [value, twin] = open.pop();
    if (!container(value) || exact.has(value)) continue;
    exact.set(value, twin);
    for (const key of Object.keys(value)) open.push([value[key], twin[key]]);
  }
  return exact;
}
