import { Writer } from "./internal/writer";
import { quote } from "./quote";
import { Value } from "./value";

/** Leads from the top of the payload to a value, in steps into objects and lists. It is never changed. */
export class Address {
  /** Of each step the name or, if that is null, the index. */
  private constructor(private readonly names: (string | null)[], private readonly indexes: i32[]) {}

  /** The address of a member of the payload itself. */
  static top(name: string): Address { return new Address([name], [0]); }

  /** How many steps it has. */
  get length(): i32 { return this.names.length; }

  /** The name of a step, counted from 0; null if the step goes into a list, or there is none. */
  name(step: i32): string | null { return step < this.length ? this.names[step] : null; }

  /** The index of a step into a list; -1 if the step goes into an object, or there is none. */
  index(step: i32): i32 { return step < this.length && this.names[step] === null ? this.indexes[step] : -1; }

  /** The address of a member of the object that is here. */
  member(name: string): Address { return new Address(this.names.concat([name]), this.indexes.concat([0])); }

  /** The address of an element of the list that is here. */
  element(index: i32): Address { return new Address(this.names.concat([null]), this.indexes.concat([index])); }

  /** The address for people: ["turns",0,"role"]. */
  toString(): string {
    const steps = new Array<string>(this.length);
    for (let i = 0; i < steps.length; i++) {
      const name = this.names[i];
      steps[i] = name !== null ? quote(name) : this.indexes[i].toString();
    }
    return "[" + steps.join(",") + "]";
  }

  static of(v: Value): Address {
    const steps = v.list();
    const names = new Array<string | null>(steps.length), indexes = new Array<i32>(steps.length);
    for (let i = 0; i < steps.length; i++) {
      if (steps[i].isNumber) indexes[i] = <i32>steps[i].number();
      else names[i] = orEmpty(steps[i].text());
    }
    return new Address(names, indexes);
  }

  write(w: Writer): void {
    w.list(this.length);
    for (let i = 0; i < this.length; i++) {
      const name = this.names[i];
      if (name !== null) w.text(name);
      else w.number(<u64>this.indexes[i]);
    }
  }
}

function orEmpty(text: string | null): string { return text !== null ? text : ""; }

/** One value that a selector found. */
export class Entry {
  constructor(readonly at: Address, readonly value: Shown) {}

  static of(v: Value): Entry { return new Entry(Address.of(v.get("at")), Shown.of(v.get("value"))); }
}

/** The kind of a value. Absent is that of a value that is not there. */
export enum Kind { Absent, Null, Bool, Number, String, List, Object }

/** A value of the payload as far as its selector shows it. */
export class Shown {
  kind: Kind = Kind.Absent;
  bool: bool = false;
  number: f64 = 0;
  /**
   * A string, with U+FFFD for what is not Unicode. If it is clipped, the string is longer than the selector's
   * clip: then text is its beginning, tail its end, and bytes how long it is as UTF-8.
   */
  text: string = "";
  clipped: bool = false;
  tail: string = "";
  bytes: i32 = 0;
  /** How many elements a list has. */
  length: i32 = 0;
  private names: string[] = [];
  private values: Shown[] = [];

  /** The names of those members of an object that the selector wants and the object has. */
  get members(): string[] { return this.names; }

  /**
   * A member of an object, an absent one if the view does not show it. Objects and lists among the members
   * come without what is inside.
   */
  member(name: string): Shown {
    const i = this.names.indexOf(name);
    return i >= 0 ? this.values[i] : new Shown();
  }

  /** Whether this is a string, shown whole, that equals the text. */
  is(text: string): bool { return this.kind == Kind.String && !this.clipped && this.text == text; }

  static of(v: Value): Shown {
    const s = new Shown();
    const text = v.text();
    if (text !== null) {
      s.kind = Kind.String;
      s.text = text;
    } else if (v.isNumber) {
      s.kind = Kind.Number;
      s.number = v.number();
    } else if (v.isTrue || v.isFalse) {
      s.kind = Kind.Bool;
      s.bool = v.isTrue;
    } else if (v.isNull) {
      s.kind = Kind.Null;
    } else if (v.isMap) {
      s.fromMap(v);
    }
    return s;
  }

  private fromMap(v: Value): void {
    const list = v.get("list"), object = v.get("object"), head = v.get("head").text();
    if (list.isNumber) {
      this.kind = Kind.List;
      this.length = <i32>list.number();
    } else if (object.isMap) {
      this.kind = Kind.Object;
      this.names = object.keys();
      const values = object.values();
      for (let i = 0; i < values.length; i++) this.values.push(Shown.of(values[i]));
    } else if (head !== null) {
      this.kind = Kind.String;
      this.clipped = true;
      this.text = head;
      this.tail = orEmpty(v.get("tail").text());
      this.bytes = <i32>v.get("bytes").number();
    }
  }
}
