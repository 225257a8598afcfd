import { argument, Major, majorAt, readHead } from "./head";
import { isUTF8 } from "./utf8";

const deepest = 32;
const most: u64 = 131_072;

/** Reports whether the bytes from p to end are one item, and in it nothing that the ABI refuses. */
export function isMessage(p: usize, end: usize): bool { return item(p, end, 0) == end; }

/** Returns the end of the item at p, 0 if there is no valid one. The depth counts what it stands in. */
function item(p: usize, end: usize, depth: i32): usize {
  const after = readHead(p, end);
  if (after == 0) return 0;
  const n = argument;
  switch (majorAt(p)) {
    case Major.unsigned:
    case Major.negative:
      return after;
    case Major.bytes:
      return n <= end - after ? after + <usize>n : 0;
    case Major.text:
      return n <= end - after && isUTF8(after, after + <usize>n) ? after + <usize>n : 0;
    case Major.list:
      return depth < deepest && n <= most ? items(after, end, n, depth + 1) : 0;
    case Major.map:
      return depth < deepest && n <= most ? members(after, end, n, depth + 1) : 0;
    case Major.simple: {
      const info = load<u8>(p) & 31;
      return info >= 20 && info <= 22 || info >= 25 && info <= 27 ? after : 0;
    }
  }
  return 0;
}

function items(p: usize, end: usize, n: u64, depth: i32): usize {
  for (; n > 0 && p != 0; n--) p = item(p, end, depth);
  return p;
}

function members(from: usize, end: usize, n: u64, depth: i32): usize {
  let p = from, before: usize = 0, ascending: bool = true;
  for (let left = n; left > 0; left--) {
    const key = p;
    p = item(key, end, depth);
    if (p == 0 || majorAt(key) != Major.text && majorAt(key) != Major.unsigned) return 0;
    ascending = ascending && (before == 0 || isLess(before, key, end));
    before = key;
    p = item(p, end, depth);
    if (p == 0) return 0;
  }
  // In the order of the deterministic encoding, in which hosts write, no key is there twice.
  return ascending || allDiffer(from, end, n) ? p : 0;
}

/** Compares two keys: numbers before texts, short ones before long ones. */
function isLess(a: usize, b: usize, end: usize): bool {
  const majors = <i32>majorAt(a) - <i32>majorAt(b);
  if (majors != 0) return majors < 0;
  const atA = readHead(a, end), nA = argument;
  const atB = readHead(b, end), nB = argument;
  if (nA != nB || majorAt(a) == Major.unsigned) return nA < nB;
  return memory.compare(atA, atB, <usize>nA) < 0;
}

function allDiffer(p: usize, end: usize, n: u64): bool {
  const seen = new Set<string>();
  for (let left = n; left > 0; left--) {
    const content = readHead(p, end), size = <usize>argument;
    const key = majorAt(p) == Major.text ? "t" + String.UTF8.decodeUnsafe(content, size) : digits(argument);
    if (seen.has(key)) return false;
    seen.add(key);
    p = skip(skip(p, end), end);
  }
  return true;
}

function digits(n: u64): string { return (<u32>(n >> 32)).toString() + "," + (<u32>n).toString(); }

/** Returns the end of the item at p, which is known to be valid. */
export function skip(p: usize, end: usize): usize {
  for (let left: u64 = 1; left > 0; left--) {
    const major = majorAt(p);
    p = readHead(p, end);
    switch (major) {
      case Major.bytes:
      case Major.text:
        p += <usize>argument;
        break;
      case Major.list:
        left += argument;
        break;
      case Major.map:
        left += 2 * argument;
        break;
    }
  }
  return p;
}
