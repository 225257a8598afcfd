import { isUTF8 } from "./utf8";

const deepest = 10_000; // as the host's
const quotes: u64 = 0x2222222222222222;
const backslashes: u64 = 0x5c5c5c5c5c5c5c5c;
const ones: u64 = 0x0101010101010101;
const tops: u64 = 0x8080808080808080;

/** Returns the first byte at or behind p that is no white space. */
export function space(p: usize, end: usize): usize {
  while (p < end) {
    const c = load<u8>(p);
    if (c != 0x20 && c != 0x0a && c != 0x0d && c != 0x09) break;
    p++;
  }
  return p;
}

/** Reports whether the bytes from p to end are one JSON text in UTF-8. */
export function isJSON(p: usize, end: usize): bool {
  if (!isUTF8(p, end)) return false;
  const inObject = new Array<bool>();
  p = space(p, end);
  while (true) {
    // A value has to begin at p.
    if (p >= end) return false;
    const c = load<u8>(p);
    const opens = c == 0x7b || c == 0x5b;
    if (opens) {
      if (inObject.length == deepest) return false;
      inObject.push(c == 0x7b);
      p = space(p + 1, end);
      if (p >= end) return false;
      if (load<u8>(p) != c + 2) { // not closed at once
        if (c == 0x7b) p = key(p, end);
        if (p == 0) return false;
        continue;
      }
    } else {
      p = scalar(p, end);
      if (p == 0) return false;
    }
    // What follows a value: the ends of what it stands in, then a comma or nothing.
    while (true) {
      p = space(p, end);
      if (inObject.length == 0) return p == end;
      if (p >= end) return false;
      const object = inObject[inObject.length - 1], next = load<u8>(p++);
      if (next == 0x2c) {
        p = space(p, end);
        if (object) p = key(p, end);
        if (p == 0) return false;
        break;
      }
      if (next != (object ? 0x7d : 0x5d)) return false;
      inObject.pop();
    }
  }
}

/** Returns where the value of the member begins whose key stands at p, 0 if none does. */
function key(p: usize, end: usize): usize {
  if (p >= end || load<u8>(p) != 0x22) return 0;
  p = checkedString(p, end);
  if (p == 0) return 0;
  p = space(p, end);
  return p < end && load<u8>(p) == 0x3a ? space(p + 1, end) : 0;
}

function scalar(p: usize, end: usize): usize {
  switch (load<u8>(p)) {
    case 0x22: return checkedString(p, end);
    case 0x74: return word(p, end, 0x65757274, 4); // true
    case 0x6e: return word(p, end, 0x6c6c756e, 4); // null
    case 0x66: return word(p + 1, end, 0x65736c61, 4); // false
  }
  return number(p, end);
}

function word(p: usize, end: usize, letters: u32, n: usize): usize {
  return p + n <= end && load<u32>(p) == letters ? p + n : 0;
}

function number(p: usize, end: usize): usize {
  if (p < end && load<u8>(p) == 0x2d) p++;
  if (p < end && load<u8>(p) == 0x30) p++;
  else p = digits(p, end);
  if (p != 0 && p < end && load<u8>(p) == 0x2e) p = digits(p + 1, end);
  if (p != 0 && p < end && (load<u8>(p) | 0x20) == 0x65) {
    p++;
    if (p < end && (load<u8>(p) == 0x2b || load<u8>(p) == 0x2d)) p++;
    p = digits(p, end);
  }
  return p;
}

/** Returns the end of one or more digits, 0 if there are none. */
function digits(p: usize, end: usize): usize {
  const from = p;
  while (p < end && isDigit(load<u8>(p))) p++;
  return p > from ? p : 0;
}

function isDigit(c: u32): bool { return c - 0x30 < 10; }

function checkedString(p: usize, end: usize): usize {
  for (p = plain(p + 1, end); p < end; p = plain(p, end)) {
    const c = load<u8>(p++);
    if (c == 0x22) return p;
    if (c != 0x5c || p >= end) return 0;
    switch (load<u8>(p++)) {
      case 0x22: case 0x5c: case 0x2f: case 0x62: case 0x66: case 0x6e: case 0x72: case 0x74:
        break;
      case 0x75:
        if (end - p < 4) return 0;
        for (const to = p + 4; p < to; p++) {
          const c = <u32>load<u8>(p);
          if (!isDigit(c) && (c | 0x20) - 0x61 >= 6) return 0;
        }
        break;
      default:
        return 0;
    }
  }
  return 0;
}

/** Returns the first byte at or behind p that ends a string, escapes, or may not be in one. */
function plain(p: usize, end: usize): usize {
  while (p + 8 <= end) {
    const v = load<u64>(p), q = v ^ quotes, b = v ^ backslashes;
    if (((q - ones & ~q | b - ones & ~b | v - (ones << 5) & ~v) & tops) != 0) break;
    p += 8;
  }
  while (p < end) {
    const c = load<u8>(p);
    if (c == 0x22 || c == 0x5c || c < 0x20) break;
    p++;
  }
  return p;
}

/** Returns the end of the string at p, of a text that is JSON. */
export function skipString(p: usize, end: usize): usize {
  for (p = plain(p + 1, end); p < end && load<u8>(p) == 0x5c; p = plain(p + 2, end)) {}
  return p + 1;
}

/** Returns the end of the value at p, of a text that is JSON. */
export function skipValue(p: usize, end: usize): usize {
  let depth = 0;
  while (p < end) {
    const c = load<u8>(p);
    if (c == 0x22) p = skipString(p, end);
    else if (c == 0x7b || c == 0x5b) { p++; depth++; }
    else if (c == 0x7d || c == 0x5d) { p++; depth--; }
    else if (depth > 0) { p++; continue; } // nothing in here ends it
    else p = skipWord(p, end);
    if (depth == 0) break;
  }
  return p;
}

function skipWord(p: usize, end: usize): usize {
  while (p < end) {
    const c = load<u8>(p);
    if (c == 0x2c || c == 0x7d || c == 0x5d || c <= 0x20) break;
    p++;
  }
  return p;
}
