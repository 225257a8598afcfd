/**
 * Payloads as text: finding values in them, and changing a few, while everything else stays byte for byte.
 * Numbers, the order of keys and half surrogate pairs survive, which decoding would not promise.
 */

import { Change, changed, Cut, cutsOf } from "./internal/jsonchanges";
import { isJSON, skipString, skipValue, space } from "./internal/jsonscan";
import { standsFor, unescape } from "./internal/jsontext";
import { quote } from "./quote";
import { Kind } from "./view";

export { Kind, quote };

/** A value of a document, good as long as the document is. The absent one has nothing inside. */
export class Node {
  constructor(
    /** Where it stands in memory; both 0 if it is absent. */
    readonly from: usize,
    readonly to: usize,
    private readonly end: usize,
    /** Where its key stands, in quotation marks; 0 if it is no member of an object. */
    private readonly key: usize = 0,
    /** The object or list that it is in, and which one it is there. */
    readonly inside: usize = 0,
    readonly index: i32 = 0,
  ) {}

  get kind(): Kind {
    if (this.from == 0) return Kind.Absent;
    switch (load<u8>(this.from)) {
      case 0x7b: return Kind.Object;
      case 0x5b: return Kind.List;
      case 0x22: return Kind.String;
      case 0x74: case 0x66: return Kind.Bool;
      case 0x6e: return Kind.Null;
    }
    return Kind.Number;
  }

  get absent(): bool { return this.from == 0; }

  /** The value as it is written. */
  raw(): string { return String.UTF8.decodeUnsafe(this.from, this.to - this.from); }

  /** A string, unescaped; null if it is something else. */
  text(): string | null { return this.kind == Kind.String ? unescape(this.from + 1, this.to - 1) : null; }

  /** Whether it is a string that equals the text. */
  is(text: string): bool { return this.kind == Kind.String && standsFor(this.from + 1, this.to - 1, text); }

  /** The name of a member of an object; null if it is none. */
  name(): string | null {
    return this.key != 0 ? unescape(this.key + 1, skipString(this.key, this.end) - 1) : null;
  }

  /**
   * A member of an object: the last one with the name, as in JavaScript; the absent node if there is none, or
   * if this is no object.
   */
  member(name: string): Node {
    let key: usize = 0, from: usize = 0, to: usize = 0, index = 0;
    if (this.kind != Kind.Object) return absent;
    let p = space(this.from + 1, this.end);
    for (let i = 0; load<u8>(p) != 0x7d; i++) {
      const behindKey = skipString(p, this.end), value = valueAt(behindKey, this.end);
      const end = skipValue(value, this.end);
      if (standsFor(p + 1, behindKey - 1, name)) {
        key = p;
        from = value;
        to = end;
        index = i;
      }
      p = behindComma(end, this.end);
    }
    return from != 0 ? new Node(from, to, this.end, key, this.from, index) : absent;
  }

  /**
   * The first member of an object or element of a list; the absent node if there is none, or if this is another
   * value. So `for (let n = list.first(); !n.absent; n = n.next())` goes through all of them.
   */
  first(): Node {
    const kind = this.kind;
    if (kind != Kind.Object && kind != Kind.List) return absent;
    return itemAt(space(this.from + 1, this.end), this.end, this.from, 0);
  }

  /** What comes next in the object or list that it is in; the absent node behind the last. */
  next(): Node {
    if (this.inside == 0) return absent;
    return itemAt(behindComma(this.to, this.end), this.end, this.inside, this.index + 1);
  }
}

/** What is not there. */
const absent = new Node(0, 0, 0);

/** Returns the member or element that begins at p, the absent node if a bracket closes there. */
function itemAt(p: usize, end: usize, inside: usize, index: i32): Node {
  const c = load<u8>(p);
  if (c == 0x7d || c == 0x5d) return absent;
  const key: usize = load<u8>(inside) == 0x7b ? p : 0;
  if (key != 0) p = valueAt(skipString(key, end), end);
  return new Node(p, skipValue(p, end), end, key, inside, index);
}

/** Returns where a member's value begins. Its key ends at p. */
function valueAt(p: usize, end: usize): usize { return space(space(p, end) + 1, end); }

/** Returns where what is behind the value that ends at p begins: the next one, or the bracket that closes. */
function behindComma(p: usize, end: usize): usize {
  p = space(p, end);
  return load<u8>(p) == 0x2c ? space(p + 1, end) : p;
}

/** A JSON text and the changes to be made to it. All of them mean the text as it was. */
export class Document {
  private readonly changes: Change[] = [];
  private readonly cuts: Cut[] = [];

  private constructor(private readonly data: Uint8Array) {}

  /** null if the bytes are not one JSON text in UTF-8. */
  static parse(json: Uint8Array): Document | null {
    return isJSON(json.dataStart, json.dataStart + json.length) ? new Document(json) : null;
  }

  private get end(): usize { return this.data.dataStart + this.data.length; }

  get root(): Node {
    const from = space(this.data.dataStart, this.end);
    return new Node(from, skipValue(from, this.end), this.end);
  }

  /** Puts a JSON text in the place of a value. */
  set(node: Node, value: string): void {
    assert(!node.absent, "there is no value here to set");
    this.cuts.push(new Cut(node.from, node.to, value));
  }

  /** Takes an element out of its list, or a member out of its object. */
  remove(node: Node): void {
    assert(node.inside != 0, "there is nothing here to remove from");
    this.changes.push(new Change(node.inside, node.index, null));
  }

  /**
   * Puts a JSON text into a list, in front of the element with the index; an index that no element has stands
   * for the end. Several at one place keep their order.
   */
  insert(list: Node, index: i32, value: string): void {
    assert(list.kind == Kind.List, "this is no list to insert into");
    this.changes.push(new Change(list.from, max(index, 0), value));
  }

  /** Sets a member of an object. One that is not there yet goes to the end. */
  put(object: Node, name: string, value: string): void {
    assert(object.kind == Kind.Object, "this is no object to put a member into");
    const member = object.member(name);
    if (!member.absent) this.set(member, value);
    else this.changes.push(new Change(object.from, i32.MAX_VALUE, quote(name) + ":" + value));
  }

  /** The changed text; null if it is the same, byte for byte. No change may lie inside another one. */
  bytes(): Uint8Array | null {
    return changed(this.data, this.cuts.concat(cutsOf(this.changes, this.end)));
  }
}
