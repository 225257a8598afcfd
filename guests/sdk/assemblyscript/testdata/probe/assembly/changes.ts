// The adapter that does what it is told: each line of the prompt is one change, as
//
//	set ADDRESS VALUE, insert ADDRESS VALUE, remove ADDRESS, put ADDRESS VALUE
//
// with an address like /input/0/role. What stands in a payload is found by the names of the steps.

import { Message } from "pintle/developer";
import { Document, Kind, Node } from "pintle/json";
import { Request } from "pintle/payload";

/** Answers the text at the address that the provider's id is, and what it is as it stands there. */
export function readWord(r: Request): string | null {
  const doc = Document.parse(r.payload);
  if (doc === null) return null;
  const node = find(doc.root, r.provider);
  if (node.absent) return null;
  const text = node.text();
  return text !== null ? text : node.raw();
}

export function changePayload(r: Request, systemPrompt: string): Uint8Array | null {
  const doc = Document.parse(r.payload);
  if (doc === null) return null;
  const lines = systemPrompt.split("\n");
  for (let i = 0; i < lines.length; i++) change(doc, lines[i]);
  return doc.bytes();
}

export function changeMessages(r: Request, messages: Message[]): Uint8Array | null {
  const doc = Document.parse(r.payload);
  if (doc === null) return null;
  for (let i = 0; i < messages.length; i++) change(doc, messages[i].id + " " + messages[i].content);
  return doc.bytes();
}

function change(doc: Document, line: string): void {
  const space = line.indexOf(" "), behind = line.indexOf(" ", space + 1);
  const what = line.substring(0, space), address = line.substring(space + 1, behind < 0 ? line.length : behind);
  const value = behind < 0 ? "" : line.substring(behind + 1);
  const slash = address.lastIndexOf("/");
  const above = find(doc.root, address.substring(0, slash)), last = address.substring(slash + 1);
  if (what == "set") doc.set(find(doc.root, address), value);
  else if (what == "remove") doc.remove(find(doc.root, address));
  else if (what == "put") doc.put(above, last, value);
  else if (what == "insert") doc.insert(above, i32.parse(last), value);
  else assert(false, "no such change: " + line);
}

function find(root: Node, address: string): Node {
  let node = root;
  const steps = address.split("/");
  for (let i = 1; i < steps.length; i++) {
    node = node.kind == Kind.Object ? node.member(steps[i]) : element(node, i32.parse(steps[i]));
  }
  return node;
}

function element(list: Node, index: i32): Node {
  let node = list.first();
  while (!node.absent && node.index < index) node = node.next();
  assert(node.absent || list.kind == Kind.List || node.name() !== null, "a member has a name");
  return node;
}
