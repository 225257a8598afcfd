import { request } from "./internal/buffer";
import { skip } from "./internal/check";
import { argument, Major, majorAt, readHead } from "./internal/head";
import { isText } from "./internal/utf8";

/**
 * Part of a request whose shape the interface leaves open. It is read when it is asked for, out of the
 * request, so it is good until the handler returns. What is asked of an absent value is absent as well:
 * `v.get("a").get("b").text()` never fails halfway.
 */
export class Value {
  /** The value in the bytes from `at` to `end`; absent if there are none. */
  constructor(private at: usize, private end: usize) {}

  static absent(): Value { return nothing; }

  /** Whether there is a value. */
  get present(): bool { return this.at < this.end; }

  get isNull(): bool { return this.is(0xf6); }

  get isTrue(): bool { return this.is(0xf5); }

  get isFalse(): bool { return this.is(0xf4); }

  private is(head: u8): bool { return this.present && load<u8>(this.at) == head; }

  private isA(major: u32): bool { return this.present && majorAt(this.at) == major; }

  /** The text, or null if it is something else. */
  text(): string | null {
    if (!this.isA(Major.text)) return null;
    const from = readHead(this.at, this.end);
    return String.UTF8.decodeUnsafe(from, <usize>argument);
  }

  /** The byte string, in the request itself, or null if it is something else. */
  bytes(): Uint8Array | null {
    if (!this.isA(Major.bytes)) return null;
    const from = readHead(this.at, this.end);
    return Uint8Array.wrap(request, <i32>(from - changetype<usize>(request)), <i32>argument);
  }

  get isNumber(): bool {
    if (!this.present) return false;
    const head = load<u8>(this.at);
    return head < 0x40 || head >= 0xf9 && head <= 0xfb;
  }

  /** The number, or NaN if it is something else. */
  number(): f64 {
    if (!this.isNumber) return NaN;
    const head = load<u8>(this.at);
    readHead(this.at, this.end);
    switch (head) {
      case 0xf9: return half(argument);
      case 0xfa: return reinterpret<f32>(<u32>argument);
      case 0xfb: return reinterpret<f64>(argument);
    }
    return head < 0x20 ? <f64>argument : -1 - <f64>argument;
  }

  get isList(): bool { return this.isA(Major.list); }

  /** The elements of a list; none of another value. */
  list(): Value[] {
    if (!this.isList) return [];
    const p = readHead(this.at, this.end);
    return this.sequence(p, <i32>argument);
  }

  /** The texts of a list; other elements are left out. */
  texts(): string[] {
    const texts: string[] = [];
    const items = this.list();
    for (let i = 0; i < items.length; i++) {
      const text = items[i].text();
      if (text !== null) texts.push(text);
    }
    return texts;
  }

  get isMap(): bool { return this.isA(Major.map); }

  /** What is under a key of a map, absent if there is nothing. */
  get(key: string): Value {
    if (!this.isMap) return Value.absent();
    let p = readHead(this.at, this.end);
    for (let left = argument; left > 0; left--) {
      const value = skip(p, this.end), after = skip(value, this.end);
      if (majorAt(p) == Major.text && isText(readHead(p, this.end), value, key)) return new Value(value, after);
      p = after;
    }
    return Value.absent();
  }

  /** The keys of a map that are texts, in the order of the request. */
  keys(): string[] {
    const keys: string[] = [], found = this.inside();
    for (let i = 0; i < found.length; i += 2) {
      const key = found[i].text();
      if (key !== null) keys.push(key);
    }
    return keys;
  }

  /** What is under the keys that are texts, in the order of the keys. */
  values(): Value[] {
    const values: Value[] = [], found = this.inside();
    for (let i = 0; i < found.length; i += 2) {
      if (found[i].isA(Major.text)) values.push(found[i + 1]);
    }
    return values;
  }

  /** The keys and values of a map, in turn. */
  private inside(): Value[] {
    if (!this.isMap) return [];
    const p = readHead(this.at, this.end);
    return this.sequence(p, <i32>argument * 2);
  }

  private sequence(p: usize, n: i32): Value[] {
    const items = new Array<Value>(n);
    for (let i = 0; i < n; i++) {
      const after = skip(p, this.end);
      items[i] = new Value(p, after);
      p = after;
    }
    return items;
  }
}

const nothing = new Value(0, 0);

/** Widens a number of 16 bits, in which hosts write every float that fits. */
function half(h: u64): f64 {
  const sign = h >> 15 << 63, exponent = h >> 10 & 31, fraction = h & 1023;
  if (exponent == 0) return (sign != 0 ? -1.0 : 1.0) * <f64>fraction / <f64>(1 << 24);
  const wide = exponent == 31 ? 2047 : exponent - 15 + 1023;
  return reinterpret<f64>(sign | wide << 52 | fraction << 42);
}
