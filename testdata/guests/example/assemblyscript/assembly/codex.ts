// A Codex request has its prompt in the string instructions and its history in the list input. Developer
// messages are items in front of the others, in tags by which the next request finds and replaces them.

import { Message } from "pintle/developer";
import * as edit from "pintle/edit";
import { Document, Kind, Node, quote } from "pintle/json";
import * as payload from "pintle/payload";

/** Answers from the places that pintle.toml lists: every item that it sees is an old message. */
export function codexEdits(r: edit.Request): edit.Answer {
  const answer = new edit.Answer();
  for (let i = 0; i < r.view.length; i++) {
    const at = r.view[i].at, kind = r.view[i].value.kind;
    if (at.length == 2) {
      answer.messages.push(edit.Edit.remove(at));
    } else if (at.name(0) == "instructions" && kind == Kind.String) {
      answer.promptAt = at;
      answer.prompt.push(edit.Edit.set(at, quote(r.systemPrompt)));
    } else if (at.name(0) == "input" && kind == Kind.List) {
      for (let m = 0; m < r.messages.length; m++) {
        answer.messages.push(edit.Edit.insert(at.element(0), item(r.messages[m])));
      }
    }
  }
  return answer;
}

export function codexRead(r: payload.Request): string | null {
  const doc = Document.parse(r.payload);
  return doc !== null ? doc.root.member("instructions").text() : null;
}

export function codexReplaceSystem(r: payload.Request, systemPrompt: string): Uint8Array | null {
  const doc = Document.parse(r.payload);
  if (doc === null || doc.root.kind != Kind.Object) return null;
  doc.put(doc.root, "instructions", quote(systemPrompt));
  return doc.bytes();
}

export function codexReplaceDeveloper(r: payload.Request, messages: Message[]): Uint8Array | null {
  const doc = Document.parse(r.payload);
  if (doc === null) return null;
  const input = doc.root.member("input");
  if (input.kind != Kind.List) return null;
  let old = 0, same = true; // whether the old messages stand in front and are those that shall be there
  for (let found = input.first(); !found.absent; found = found.next()) {
    if (!isManaged(found)) continue;
    doc.remove(found);
    same = same && found.index == old && old < messages.length && found.raw() == item(messages[old]);
    old++;
  }
  if (same && old == messages.length) return null;
  for (let i = 0; i < messages.length; i++) doc.insert(input, 0, item(messages[i]));
  return doc.bytes();
}

const opening = '<pi_developer_prompt_message id="';
const closing = "</pi_developer_prompt_message>";
const olderOpening = '<pi_system_prompt_developer_message id="';
const olderClosing = "</pi_system_prompt_developer_message>";

/** Tells whether an item is a developer message that an earlier request left. */
function isManaged(item: Node): bool {
  if (!item.member("role").is("developer")) return false;
  const text = item.member("content").text();
  return text !== null &&
    (text.startsWith(opening) && text.endsWith(closing) || text.startsWith(olderOpening) && text.endsWith(olderClosing));
}

function item(m: Message): string {
  return '{"role":"developer","content":' + quote(opening + escaped(m.id) + '">\n' + m.content + "\n" + closing) + "}";
}

/** Not with replaceAll: in AssemblyScript 0.28 it makes room for twice the text and writes what is longer behind it. */
function escaped(id: string): string {
  return id.split("&").join("&amp;").split('"').join("&quot;").split("<").join("&lt;").split(">").join("&gt;");
}
