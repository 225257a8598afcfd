import { Context } from "pintle/message";

/** Fails in the way that its prompt says. The tests know the lines. */
export function fault(c: Context): string | null {
  const kind = c.prompt!;
  if (kind == "throw") throw new RangeError("no tide \ud83d\udea2 \udfff today");
  if (kind == "long") throw new Error("tide ".repeat(2000));
  if (kind == "assert") assert(kind.length == 0, "the tide is out");
  if (kind == "index") return [kind][kind.length];
  if (kind == "deep") return deep(1);
  return c.sessionId!; // absent
}

/** Needs its own result after the call, which waits on the stack of objects. */
function deep(n: i32): string {
  return deep(n + 1) + n.toString();
}
