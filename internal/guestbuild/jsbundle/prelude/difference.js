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
  after = plain(after);
  if (before === after) return;
  if (at.length < deepest) {
    const start = edits.length;
    if (isList(before) && isList(after)) return lists(at, before, after, edits);
    if (isRecord(before) && isRecord(after)) {
      if (records(at, before, after, edits)) return;
      edits.length = start;
    }
  }
  if (!equal(before, after)) edits.push({ op: "set", at, value: after });
}

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
    if (Object.hasOwn(after, key) && !missing(after[key])) {
      change(key, (there) => compare(there, before[key], after[key], edits));
    } else {
      change(key, (there) => edits.push({ op: "remove", at: there }));
    }
  }
  for (const key of Object.keys(after)) {
    if (Object.hasOwn(before, key) || missing(after[key])) continue;
    change(key, (there) => edits.push({ op: "set", at: there, value: after[key] }));
  }
  return named;
}

function lists(at, before, after, edits) {
  after = Array.from(after, (v) => (missing(v) ? null : plain(v)));
  let next = 0; // the first element of before that is not dealt with
  const removeTo = (end) => {
    for (; next < end; next++) edits.push({ op: "remove", at: [...at, next] });
  };
  alignment(before, after).forEach((from, i) => {
    if (from < 0) {
      edits.push({ op: "insert", at: [...at, next], value: after[i] });
      return;
    }
    removeTo(from);
    compare([...at, from], before[from], after[i], edits);
    next = from + 1;
  });
  removeTo(before.length);
}

// equal compares values, with the order of members. It goes no deeper into what is the same object.
export function equal(a, b) {
  const open = [[a, b]];
  while (open.length > 0) {
    const [x, other] = open.pop();
    const y = plain(other);
    if (x === y) continue;
    if (isList(x) && isList(y)) {
      if (x.length !== y.length) return false;
      for (let i = 0; i < x.length; i++) open.push([x[i], missing(y[i]) ? null : y[i]]);
    } else if (isRecord(x) && isRecord(y)) {
      const keys = Object.keys(x);
      const others = Object.keys(y).filter((key) => !missing(y[key]));
      if (keys.length !== others.length) return false;
      for (let i = 0; i < keys.length; i++) {
        if (keys[i] !== others[i]) return false;
        open.push([x[keys[i]], y[keys[i]]]);
      }
    } else if (!(x === null && typeof y === "number" && !Number.isFinite(y))) {
      return false;
    }
  }
  return true;
}
