/**
 * Writes a text as a JSON string, as JSON.stringify does: only what has to be escaped is, half a surrogate
 * pair too.
 */
export function quote(text: string): string {
  let size = 2;
  for (let i = 0; i < text.length; i++) size += room(text, i);
  const units = new ArrayBuffer(size << 1);
  let p = put(changetype<usize>(units), 0x22);
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    switch (room(text, i)) {
      case 1:
        p = put(p, c);
        break;
      case 2:
        p = put(put(p, 0x5c), short(c));
        break;
      default:
        p = put(put(p, 0x5c), 0x75);
        for (let shift = 12; shift >= 0; shift -= 4) p = put(p, digit(c >> shift & 15));
    }
  }
  put(p, 0x22);
  return String.UTF16.decodeUnsafe(changetype<usize>(units), size << 1);
}

// @ts-ignore: decorator
@inline function put(p: usize, c: i32): usize {
  store<u16>(p, c);
  return p + 2;
}

/** How many units the one at i takes: 1 as it is, 2 behind a backslash, 6 by its number. */
function room(text: string, i: i32): i32 {
  const c = text.charCodeAt(i);
  if (c >= 0x20 && (c & 0xf800) != 0xd800) return c == 0x22 || c == 0x5c ? 2 : 1;
  if (c < 0x20) return short(c) != 0 ? 2 : 6;
  const high = c < 0xdc00;
  const other = high ? i + 1 : i - 1;
  if (other < 0 || other >= text.length) return 6;
  return (text.charCodeAt(other) & 0xfc00) == (high ? 0xdc00 : 0xd800) ? 1 : 6;
}

/** The letter behind the backslash, 0 if there is none. */
function short(c: i32): i32 {
  switch (c) {
    case 0x08: return 0x62;
    case 0x09: return 0x74;
    case 0x0a: return 0x6e;
    case 0x0c: return 0x66;
    case 0x0d: return 0x72;
    case 0x22: case 0x5c: return c;
  }
  return 0;
}

function digit(n: i32): i32 { return n < 10 ? 0x30 + n : 0x57 + n; }
