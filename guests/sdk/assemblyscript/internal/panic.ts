import * as host from "./host";

// The reason is put together in memory of its own: there may be none left to allocate. Nothing here is a
// variable of the module, since the first throw may be compiled before any of those.
const room: usize = 4096;
const place: usize = 160; // kept free for where it happened

/**
 * What the compiler calls for a throw, a failed assertion, an index out of range, and where the stack of objects
 * in use is full. It tells the host why and where, from the place that failed, so that the trace names the
 * author's functions.
 *
 * The texts come as addresses. As objects they would be put on that stack, and when it is full, the check of it
 * would call this function again, and again, until the trace shows nothing else. The texts that the check itself
 * gives are none: the compiler writes them behind the data and forgets them.
 */
export function abort(message: usize, file: usize, line: u32, column: u32): void {
  const reason = memory.data(4096), end = reason + room;
  if (__stack_pointer < __data_end) {
    message = changetype<usize>("stack overflow: its calls go too deep (--stackSize of asc makes room for more)");
    file = 0;
  }
  let p = append(message, reason, end - place);
  if (p == reason) p = append(changetype<usize>("aborted"), reason, end - place);
  if (file != 0) {
    p = append(file, append(changetype<usize>(" ("), p, end), end - 32);
    p = decimal(line, append(changetype<usize>(":"), p, end));
    p = decimal(column, append(changetype<usize>(":"), p, end));
    p = append(changetype<usize>(")"), p, end);
  }
  host.panic(reason, p - reason);
  unreachable();
}

/**
 * Writes a text to p, or as much of it as there is room for before the end, and returns what follows it. No
 * text, of address 0, is as an empty one.
 */
function append(text: usize, p: usize, end: usize): usize {
  if (text == 0) return p;
  // A character of UTF-16 takes up to three bytes, a pair four.
  const fits = min<usize>(lengthOf(text), (end - p) / 3);
  return p + String.UTF8.encodeUnsafe(text, <i32>fits, p, false, String.UTF8.ErrorMode.REPLACE);
}

/** The length of a text in characters of UTF-16: its bytes are counted right before it. */
// @ts-ignore: decorator
@inline
function lengthOf(text: usize): usize {
  return load<u32>(text - 4) >> 1;
}

function decimal(n: u32, p: usize): usize {
  let end = p + 1;
  for (let rest = n / 10; rest > 0; rest /= 10) end++;
  for (let at = end; at > p; n /= 10) store<u8>(--at, <u8>(0x30 + n % 10));
  return end;
}
