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

/** A value of a document. The absent one has nothing inside. */
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
    let found = new Node(0, 0, 0);
    if (this.kind != Kind.Object) return found;
    const members = this.children();
    for (let i = 0; i < members.length; i++) {
      const key = members[i].key;
      if (standsFor(key + 1, skipString(key, this.end) - 1, name)) found = members[i];
    }
    return found;
  }

  /** The members of an object or the elements of a list, in their order; none of another value. */
  children(): Node[] {
    const found: Node[] = [];
    const kind = this.kind;
    if (kind != Kind.Object && kind != Kind.List) return found;
    for (let p = space(this.from + 1, this.end); p < this.to - 1; p = space(p, this.end)) {
      let key: usize = 0;
      if (kind == Kind.Object) {
        key = p;
        p = space(space(skipString(p, this.end), this.end) + 1, this.end);
      }
      const to = skipValue(p, this.end);
      found.push(new Node(p, to, this.end, key, this.from, found.length));
      p = space(to, this.end);
      if (load<u8>(p) == 0x2c) p++;
    }
    return found;
  }
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
