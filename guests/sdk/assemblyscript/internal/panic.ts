import * as host from "./host";

// The reason is put together in memory of its own: there may be none left to allocate.
const room: usize = 4096;
const reason: usize = memory.data(4096);
const place: usize = 160; // kept free for where it happened
let end: usize = 0;

/**
 * What the compiler calls for a throw, a failed assertion, an index out of range. It tells the host why and
 * where, from the place that failed, so that the trace names the author's functions.
 */
export function abort(message: string | null, file: string | null, line: u32, column: u32): void {
  end = 0;
  append(message !== null && message.length > 0 ? message : "aborted", room - place);
  if (file !== null) {
    append(" (", room);
    append(file, room - 32);
    append(":", room);
    decimal(line);
    append(":", room);
    decimal(column);
    append(")", room);
  }
  host.panic(reason, end);
  unreachable();
}

function append(text: string, limit: usize): void {
  // A character of UTF-16 takes up to three bytes, a pair four.
  const free = limit - end;
  const fits = min<usize>(text.length, free / 3);
  end += String.UTF8.encodeUnsafe(changetype<usize>(text), <i32>fits, reason + end, false, String.UTF8.ErrorMode.REPLACE);
}

function decimal(n: u32): void {
  let digits = 1;
  for (let rest = n / 10; rest > 0; rest /= 10) digits++;
  for (let i = digits; i > 0; i--) {
    store<u8>(reason + end + i - 1, <u8>(0x30 + n % 10));
    n /= 10;
  }
  end += digits;
}
