import "./panic";
import { newRequest, request } from "./buffer";
import { isMessage } from "./check";
import { Value } from "../value";
import { Writer } from "./writer";

/** What the runtime can allocate at once, less its headers. */
const mostAllocated: u32 = (1 << 30) - 64;

/** The host copies it after the call. */
let answer = new Writer(0);

let failure: Writer | null = null;

/** The error that the call answers, whatever the handler returns. */
export function fail(message: string, code: string): void { failure = Writer.failure(code, message); }

export function pintle_abi_1(): void {}

export function pintle_alloc(size: u32): usize {
  if (size > mostAllocated) return 0;
  return changetype<usize>(newRequest(<i32>size));
}

/** Runs one operation on the request that the host wrote and returns where the answer is. */
export function serve(at: usize, length: usize, operation: (request: Value) => Writer): u64 {
  failure = null;
  if (length > <usize>request.byteLength || !isMessage(at, at + length)) {
    answer = Writer.failure("bad-request", "malformed message");
  } else {
    answer = operation(new Value(at, at + length));
    const failed = failure;
    if (failed !== null) answer = failed;
  }
  return <u64>answer.at << 32 | answer.length;
}
