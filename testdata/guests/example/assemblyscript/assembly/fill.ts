/**
 * Replaces each `{name}` by the value of that name, in one pass: what was put in is not looked at again, and
 * a name without a value stays.
 */
export function fill(text: string, values: Map<string, string>): string {
  const pieces: string[] = [];
  let from = 0;
  for (let open = text.indexOf("{"); open >= 0; open = text.indexOf("{", open + 1)) {
    const close = text.indexOf("}", open);
    if (close < 0) break;
    const name = text.substring(open + 1, close);
    if (!values.has(name)) continue;
    pieces.push(text.substring(from, open));
    pieces.push(values.get(name));
    from = close + 1;
    open = close;
  }
  pieces.push(text.substring(from));
  return pieces.join("");
}
