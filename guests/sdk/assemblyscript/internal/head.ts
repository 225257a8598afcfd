// The heads of CBOR's items: a major type and a number.

export namespace Major {
  export const unsigned: u32 = 0;
  export const negative: u32 = 1;
  export const bytes: u32 = 2;
  export const text: u32 = 3;
  export const list: u32 = 4;
  export const map: u32 = 5;
  export const simple: u32 = 7;
}

/** The number in the head that was read last. */
export let argument: u64 = 0;

/** Reads the head at p and returns what follows it; 0 if there is none. */
export function readHead(p: usize, end: usize): usize {
  if (p >= end) return 0;
  const info = <u32>load<u8>(p++) & 31;
  if (info < 24) {
    argument = info;
    return p;
  }
  if (info > 27) return 0; // lengths that are not known before are no part of the ABI
  const n = <usize>1 << (info - 24);
  if (end - p < n) return 0;
  let value: u64 = 0;
  for (let i: usize = 0; i < n; i++) value = value << 8 | load<u8>(p + i);
  argument = value;
  return p + n;
}

/** The major type of the item at p. */
// @ts-ignore: decorator
@inline export function majorAt(p: usize): u32 { return <u32>load<u8>(p) >> 5; }
