/** Reports whether the bytes from p to end are UTF-8. Half a surrogate pair, and what is too long, is not. */
export function isUTF8(p: usize, end: usize): bool {
  while (p < end) {
    while (p + 8 <= end && (load<u64>(p) & 0x8080808080808080) == 0) p += 8;
    if (p == end) break;
    const c = <u32>load<u8>(p++);
    if (c < 0x80) continue;
    if (c < 0xc2 || c > 0xf4) return false;
    const more: usize = c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
    if (end - p < more) return false;
    const next = <u32>load<u8>(p);
    // The second byte has to rule out what is too long, too large, or half a pair.
    let low: u32 = 0x80, high: u32 = 0xbf;
    if (c == 0xe0) low = 0xa0;
    else if (c == 0xed) high = 0x9f;
    else if (c == 0xf0) low = 0x90;
    else if (c == 0xf4) high = 0x8f;
    if (next < low || next > high) return false;
    for (let i: usize = 1; i < more; i++) {
      if ((load<u8>(p + i) & 0xc0) != 0x80) return false;
    }
    p += more;
  }
  return true;
}

/** Reports whether the bytes from p to end are the text. */
export function isText(p: usize, end: usize, text: string): bool {
  const n = text.length;
  if (end - p < <usize>n) return false;
  for (let i = 0; i < n; i++) {
    const c = text.charCodeAt(i);
    if (c >= 0x80) return String.UTF8.decodeUnsafe(p, end - p) == text; // not worth more
    if (load<u8>(p + i) != c) return false;
  }
  return end - p == n;
}

/** The length of a text in UTF-8. */
export function lengthUTF8(text: string): usize { return <usize>String.UTF8.byteLength(text); }

/** Writes a text as UTF-8 to p and returns its end. Half a surrogate pair becomes U+FFFD. */
export function putUTF8(text: string, p: usize): usize {
  return p + String.UTF8.encodeUnsafe(changetype<usize>(text), text.length, p, false, String.UTF8.ErrorMode.REPLACE);
}

/** A text as UTF-8. Half a surrogate pair becomes U+FFFD. */
export function toUTF8(text: string): ArrayBuffer {
  return String.UTF8.encode(text, false, String.UTF8.ErrorMode.REPLACE);
}
