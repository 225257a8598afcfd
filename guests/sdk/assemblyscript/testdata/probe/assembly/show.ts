import { Value } from "pintle";
import { Entry, Kind, Shown } from "pintle/edit";

/** Writes what the SDK makes of a value, lists and maps with what is in them. */
export function showValue(v: Value): string {
  if (!v.present) return "absent";
  const text = v.text(), bytes = v.bytes();
  if (text !== null) return "<" + text + ">";
  if (bytes !== null) return "bytes " + bytes.length.toString();
  if (v.isNumber) return v.number().toString();
  if (v.isTrue) return "true";
  if (v.isFalse) return "false";
  if (v.isNull) return "null";
  if (v.isList) return "[" + v.list().map<string>(item => showValue(item)).join(" ") + "]";
  if (!v.isMap) return "something else";
  const keys = v.keys(), values = v.values(), said: string[] = [];
  for (let i = 0; i < keys.length; i++) {
    said.push(keys[i] + ":" + showValue(values[i]));
    if (showValue(v.get(keys[i])) != showValue(values[i])) said.push("differs");
  }
  return "{" + said.join(" ") + "}";
}

export function showEntry(e: Entry): string {
  const steps: string[] = [];
  for (let i = 0; i < e.at.length; i++) {
    const name = e.at.name(i);
    steps.push(name !== null ? name : e.at.index(i).toString());
  }
  return e.at.toString() + " " + steps.join("/") + " " + showShown(e.value);
}

function showShown(v: Shown): string {
  switch (v.kind) {
    case Kind.Null: return "null";
    case Kind.Bool: return v.bool.toString();
    case Kind.Number: return v.number.toString();
    case Kind.List: return "list " + v.length.toString();
    case Kind.Object: {
      const said: string[] = [];
      for (let i = 0; i < v.members.length; i++) said.push(v.members[i] + ":" + showShown(v.member(v.members[i])));
      return "{" + said.join(" ") + "}" + (v.member("nowhere").kind == Kind.Absent ? "" : "?");
    }
    case Kind.String:
      return v.clipped ? "<" + v.text + "..." + v.tail + "> " + v.bytes.toString() : "<" + v.text + ">" + v.is(v.text).toString();
  }
  return "absent";
}
