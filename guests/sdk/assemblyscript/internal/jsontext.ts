// The text of a JSON string, between its quotation marks.

import { isText } from "./utf8";

/** Returns the text that the bytes from p to end stand for. Half a surrogate pair stays what it is. */
export function unescape(p: usize, end: usize): string {
  const from = escape(p, end);
  if (from == end) return String.UTF8.decodeUnsafe(p, end - p);
  // No text has more units than it has bytes here.
  const units = new ArrayBuffer(<i32>(end - p) << 1);
  let to = changetype<usize>(units);
  while (p < end) {
    let c = <u32>load<u8>(p++);
    if (c == 0x5c) {
      c = load<u8>(p++);
      if (c == 0x75) {
        c = hex(p) << 12 | hex(p + 1) << 8 | hex(p + 2) << 4 | hex(p + 3);
        p += 4;
      } else {
        c = meant(c);
      }
    } else if (c >= 0xf0) {
      c = (c & 7) << 18 | next(p) << 12 | next(p + 1) << 6 | next(p + 2);
      p += 3;
      store<u16>(to, 0xd800 + (c - 0x10000 >> 10));
      to += 2;
      c = 0xdc00 | c & 0x3ff;
    } else if (c >= 0xe0) {
      c = (c & 15) << 12 | next(p) << 6 | next(p + 1);
      p += 2;
    } else if (c >= 0x80) {
      c = (c & 31) << 6 | next(p++);
    }
    store<u16>(to, c);
    to += 2;
  }
  return String.UTF16.decodeUnsafe(changetype<usize>(units), to - changetype<usize>(units));
}

/** Reports whether the bytes from p to end stand for the text. */
export function standsFor(p: usize, end: usize, text: string): bool {
  if (end - p < <usize>text.length) return false; // no text has more units than it has bytes here
  return escape(p, end) < end ? unescape(p, end) == text : isText(p, end, text);
}

/** Returns the first escape, the end if there is none. */
function escape(p: usize, end: usize): usize {
  while (p < end && load<u8>(p) != 0x5c) p++;
  return p;
}

// @ts-ignore: decorator
@inline function next(p: usize): u32 { return load<u8>(p) & 0x3f; }

function hex(p: usize): u32 {
  const c = <u32>load<u8>(p);
  return c <= 0x39 ? c - 0x30 : (c | 0x20) - 0x61 + 10;
}

/** The character that stands for itself, or for a control character, behind a backslash. */
function meant(c: u32): u32 {
  switch (c) {
    case 0x62: return 0x08;
    case 0x66: return 0x0c;
    case 0x6e: return 0x0a;
    case 0x72: return 0x0d;
    case 0x74: return 0x09;
  }
  return c;
}
