/** What guests share: logging, configuration, a small store, errors, and the values of a request. */

import { fail as failCall } from "./internal/call";
import * as host from "./internal/host";
import { toUTF8 } from "./internal/utf8";

export { Value } from "./value";

/** How important a log record is, as the host counts it. */
export enum Level { Debug, Info, Warn, Error }

/** Writes a record to the host's log. What a guest may log in one call is bounded; the rest is dropped. */
export function log(level: Level, text: string): void {
  const t = toUTF8(text);
  host.log(level, changetype<usize>(t), t.byteLength);
}

/**
 * Makes the call answer an error, whatever the handler returns; return null or an empty answer behind it. The
 * message is for people, the code for programs. The guest stays usable, unlike after a throw.
 */
export function fail(message: string, code: string = ""): void { failCall(message, code); }

/**
 * The value that the host holds under a key. The key has to be declared in pintle.toml under the capability
 * config; null if it is not, or if the host sets no value.
 */
export function config(key: string): string | null {
  const k = toUTF8(key);
  let buffer = new ArrayBuffer(256);
  while (true) {
    const n = host.config(changetype<usize>(k), k.byteLength, changetype<usize>(buffer), buffer.byteLength);
    if (n < 0) return null;
    if (n <= buffer.byteLength) return String.UTF8.decodeUnsafe(changetype<usize>(buffer), n);
    buffer = new ArrayBuffer(n);
  }
}

/**
 * The time of day, in milliseconds since the beginning of 1970 as a Date has it. It is the real one if the host
 * grants the capability clock, for which pintle.toml has to ask; without the grant it is virtual, and 2020 begins
 * with each call.
 */
export function now(): i64 {
  const time = new Uint64Array(1);
  host.clockTime(0, 1000, time.dataStart);
  return <i64>(time[0] / 1_000_000);
}

/**
 * Random bytes. They are fit for secrets if the host grants the capability random, for which pintle.toml has to
 * ask; without the grant they are the same in every call.
 */
export function random(length: i32): Uint8Array {
  const bytes = new Uint8Array(length);
  host.random(bytes.dataStart, length);
  return bytes;
}

/**
 * What the guest keeps in a session. It has to ask for the capability kv in pintle.toml, and goes on without
 * it where the host does not grant it. What a call writes counts when the call ends well.
 */
export namespace kv {
  /** What became of a change. NoRoom: key or value are too large, or there is too much already. */
  export enum Result { Done, Denied, NoRoom }

  /** What is kept under a key; null if there is nothing, and without the grant. */
  export function get(key: string): Uint8Array | null {
    const k = toUTF8(key);
    let buffer = new Uint8Array(256);
    while (true) {
      const n = host.kvGet(changetype<usize>(k), k.byteLength, buffer.dataStart, buffer.length);
      if (n < 0) return null;
      if (n <= buffer.length) return buffer.subarray(0, n);
      buffer = new Uint8Array(n);
    }
  }

  /** Keeps a value until the session ends, or the host needs the room. */
  export function set(key: string, value: Uint8Array): Result {
    const k = toUTF8(key);
    return result(host.kvSet(changetype<usize>(k), k.byteLength, value.dataStart, value.length));
  }

  /** What is kept under a key, as a text; null if there is nothing, and without the grant. */
  export function getText(key: string): string | null {
    const value = get(key);
    return value !== null ? String.UTF8.decodeUnsafe(value.dataStart, value.length) : null;
  }

  /** Keeps a text, in UTF-8. */
  export function setText(key: string, text: string): Result { return set(key, Uint8Array.wrap(toUTF8(text))); }

  /** Forgets what is under a key, if there is anything: Done or Denied. */
  export function remove(key: string): Result {
    const k = toUTF8(key);
    const n = host.kvDelete(changetype<usize>(k), k.byteLength);
    return n == -2 ? Result.Denied : Result.Done;
  }

  function result(n: i32): Result { return n == 0 ? Result.Done : n == -2 ? Result.Denied : Result.NoRoom; }
}
