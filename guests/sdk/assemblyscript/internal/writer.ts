import { Major } from "./head";
import { lengthUTF8, putUTF8 } from "./utf8";

/** Writes an answer in CBOR. */
export class Writer {
  private buffer: ArrayBuffer;
  private end: usize = 0;

  constructor(size: usize = 256) {
    this.buffer = new ArrayBuffer(<i32>size);
  }

  /** Where the answer begins. */
  get at(): usize { return changetype<usize>(this.buffer); }

  get length(): usize { return this.end; }

  /** The answer that there is nothing to say, or nothing to change. */
  static nothing(): Writer {
    const w = new Writer(2);
    w.list(1);
    w.number(0);
    return w;
  }

  /** The beginning of an answer with a value; the value has to follow. */
  static value(size: usize = 256): Writer {
    const w = new Writer(size);
    w.list(2);
    w.number(1);
    return w;
  }

  /** The answer with an error of the guest's own. */
  static failure(code: string, message: string): Writer {
    const w = new Writer();
    w.list(2);
    w.number(2);
    w.map(2);
    w.text("code");
    w.text(code);
    w.text("message");
    w.text(message);
    return w;
  }

  number(n: u64): void { this.head(Major.unsigned, n); }

  /** Begins a list of n elements, which follow. */
  list(n: u64): void { this.head(Major.list, n); }

  /** Begins a map of n keys; each key and its value follow. */
  map(n: u64): void { this.head(Major.map, n); }

  text(s: string): void { this.encoded(Major.text, s); }

  /** A text as a byte string. */
  textBytes(s: string): void { this.encoded(Major.bytes, s); }

  bytes(b: Uint8Array): void {
    this.head(Major.bytes, b.length);
    this.room(b.length);
    memory.copy(this.at + this.end, b.dataStart, b.length);
    this.end += b.length;
  }

  private encoded(major: u32, s: string): void {
    const n = lengthUTF8(s);
    this.head(major, n);
    this.room(n);
    this.end = putUTF8(s, this.at + this.end) - this.at;
  }

  private head(major: u32, n: u64): void {
    this.room(9);
    const first = <u8>(major << 5);
    if (n < 24) {
      this.byte(first | <u8>n);
      return;
    }
    const size = n <= 0xff ? 0 : n <= 0xffff ? 1 : n <= 0xffffffff ? 2 : 3;
    this.byte(first | <u8>(24 + size));
    for (let shift = (8 << size) - 8; shift >= 0; shift -= 8) this.byte(<u8>(n >> shift));
  }

  // @ts-ignore: decorator
  @inline private byte(b: u8): void { store<u8>(this.at + this.end++, b); }

  private room(n: usize): void {
    const size = <usize>this.buffer.byteLength;
    if (this.end + n <= size) return;
    const larger = new ArrayBuffer(<i32>max(this.end + n, 2 * size));
    memory.copy(changetype<usize>(larger), this.at, this.end);
    this.buffer = larger;
  }
}
