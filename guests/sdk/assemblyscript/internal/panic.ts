import * as host from "./host";

// The reason is put together in memory of its own: there may be none left to allocate. Nothing here is a
// variable of the module, since the first throw may be compiled before any of those.
const room: usize = 4096;
const place: usize = 160; // kept free for where it happened

/**
 * What the compiler calls for a throw, a failed assertion, an index out of range. It tells the host why and
 * where, from the place that failed, so that the trace names the author's functions.
 */
export function abort(message: string | null, file: string | null, line: u32, column: u32): void {
  const reason = memory.data(4096), end = reason + room;
  let p = append(message !== null && message.length > 0 ? message : "aborted", reason, end - place);
  if (file !== null) {
    p = append(file, append(" (", p, end), end - 32);
    p = decimal(line, append(":", p, end));
    p = decimal(column, append(":", p, end));
    p = append(")", p, end);
  }
  host.panic(reason, p - reason);
  unreachable();
}

/** Writes a text to p, or as much of it as there is room for before the end, and returns what follows it. */
function append(text: string, p: usize, end: usize): usize {
  // A character of UTF-16 takes up to three bytes, a pair four.
  const fits = min<usize>(text.length, (end - p) / 3);
  return p + String.UTF8.encodeUnsafe(changetype<usize>(text), <i32>fits, p, false, String.UTF8.ErrorMode.REPLACE);
}

function decimal(n: u32, p: usize): usize {
  let end = p + 1;
  for (let rest = n / 10; rest > 0; rest /= 10) end++;
  for (let at = end; at > p; n /= 10) store<u8>(--at, <u8>(0x30 + n % 10));
  return end;
}
