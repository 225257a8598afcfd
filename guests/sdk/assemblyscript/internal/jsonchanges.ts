import { skipString, skipValue, space } from "./jsonscan";
import { lengthUTF8, putUTF8 } from "./utf8";

/** What changes are sorted by. It keeps the order of equal ones. */
class Keyed {
  constructor(readonly key: u64) {}
}

/** Puts a text in the place of the bytes from one to another. */
export class Cut extends Keyed {
  constructor(readonly from: usize, readonly to: usize, readonly text: string) {
    // What is put in front of a value comes before what replaces it.
    super(<u64>from << 1 | <u64>(to > from ? 1 : 0));
  }
}

/** One change to the sequence of what is inside an object or list. */
export class Change extends Keyed {
  constructor(
    /** Where the object or list begins. */
    readonly inside: usize,
    readonly index: i32,
    /** What is put in front of the one with the index; null: that one is taken out. */
    readonly value: string | null,
  ) {
    super(<u64>inside << 32 | <u64>index << 1 | <u64>(value === null ? 1 : 0));
  }
}

/** Turns changes into cuts. */
export function cutsOf(changes: Change[], end: usize): Cut[] {
  const cuts: Cut[] = [];
  const sorted = ordered<Change>(changes);
  for (let i = 0; i < sorted.length;) i = sequence(cuts, sorted, i, end);
  return cuts;
}

/**
 * Cuts what changes in one object or list, whose changes begin at i; returns the next one's. Each thing that
 * stays keeps the white space around it, up to the comma or bracket; what is taken out goes with its own.
 */
function sequence(cuts: Cut[], changes: Change[], i: i32, end: usize): i32 {
  const inside = changes[i].inside, object = load<u8>(inside) == 0x7b;
  let some = false; // of the new sequence
  let from = inside + 1;
  let p = space(from, end);
  for (let index = 0; load<u8>(p) != (object ? 0x7d : 0x5d); index++) {
    // Everything but the first has its comma in front.
    const comma = from - 1, first = index == 0;
    if (object) p = space(space(skipString(p, end), end) + 1, end);
    p = space(skipValue(p, end), end);
    const values: string[] = [];
    let removed = false;
    for (; i < changes.length && changes[i].inside == inside && changes[i].index == index; i++) {
      const value = changes[i].value;
      if (value !== null) values.push(value);
      else removed = true;
    }
    let text = behind(some, values);
    some = some || values.length > 0;
    const at = first ? from : comma;
    if (removed) {
      cuts.push(new Cut(at, p, text));
    } else {
      if (first && some) text += ",";
      if (!first && !some) cuts.push(new Cut(comma, from, text));
      else if (text.length > 0) cuts.push(new Cut(at, at, text));
      some = true;
    }
    from = p;
    if (load<u8>(p) == 0x2c) p = space(from = p + 1, end);
  }
  // Behind all; in the place of the white space, if it was empty.
  const values: string[] = [];
  for (; i < changes.length && changes[i].inside == inside; i++) {
    const value = changes[i].value;
    if (value !== null) values.push(value);
  }
  const text = behind(some, values);
  if (text.length > 0) cuts.push(new Cut(from, from > inside + 1 ? from : p, text));
  return i;
}

/** Writes what is put in, behind something or at the start. */
function behind(some: bool, values: string[]): string {
  const text = values.join(",");
  return some && values.length > 0 ? "," + text : text;
}

/** Returns the changed text, null if it is as before. */
export function changed(data: Uint8Array, cuts: Cut[]): Uint8Array | null {
  const sorted = ordered<Cut>(cuts);
  let size = <usize>data.length, from = data.dataStart;
  for (let i = 0; i < sorted.length; i++) {
    assert(sorted[i].from >= from, "changes of a JSON text overlap");
    from = sorted[i].to;
    size += lengthUTF8(sorted[i].text) - (from - sorted[i].from);
  }
  const out = new Uint8Array(<i32>size);
  let to = out.dataStart;
  from = data.dataStart;
  for (let i = 0; i < sorted.length; i++) {
    const cut = sorted[i];
    memory.copy(to, from, cut.from - from);
    to = putUTF8(cut.text, to + cut.from - from);
    from = cut.to;
  }
  memory.copy(to, from, data.dataStart + data.length - from);
  const same = out.length == data.length && memory.compare(out.dataStart, data.dataStart, data.length) == 0;
  return same ? null : out;
}

/** Returns changes in order. */
function ordered<T extends Keyed>(items: T[]): T[] {
  // One instance of the sort for both is enough.
  const sorted = changetype<Keyed[]>(items.slice(0));
  sorted.sort((a, b) => a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
  return changetype<T[]>(sorted);
}
