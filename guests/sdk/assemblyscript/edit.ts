/**
 * Adapting request payloads that stay in the host: the interface provider-payload-adapters/v2. The adapter's
 * entry in pintle.toml says which places of a payload the guest wants to see (view) and which it may change
 * (write). The guest gets those places, however large the payload is, and answers edits of it. The operation
 * is in exports/edit.
 */

import { Address, Entry } from "./view";
import { fail } from "./internal/call";
import { Registry } from "./internal/registry";
import { Message, messagesOf, textOf } from "./internal/request";
import { Writer } from "./internal/writer";
import { Value } from "./value";

export { Address, Entry, Kind, Shown } from "./view";
export { quote } from "./quote";
export { Message };

/** Asks for the edits of one payload. */
export class Request {
  /** The adapter's id in pintle.toml. */
  readonly id: string;
  readonly provider: string;
  /** Empty if the host does not know it. */
  readonly api: string;
  /** The prompt that shall be in the payload. */
  readonly systemPrompt: string;
  /** The developer messages that shall be in it, in their order. */
  readonly messages: Message[];
  /**
   * What the selectors of pintle.toml found: those of one selector in the order of the document, selectors in
   * the order of the file.
   */
  readonly view: Entry[];

  constructor(request: Value) {
    this.id = textOf(request, "id");
    this.provider = textOf(request, "provider");
    this.api = textOf(request, "api");
    this.systemPrompt = textOf(request, "systemPrompt");
    this.messages = messagesOf(request);
    const found = request.get("view").list();
    this.view = new Array<Entry>(found.length);
    for (let i = 0; i < found.length; i++) this.view[i] = Entry.of(found[i]);
  }
}

/**
 * One change of a payload. Addresses mean the payload as it was before any edit. An edit outside the places
 * that pintle.toml lists under write, at an address that does not exist, or of something that another one
 * sets or removes (but append) makes the host refuse the whole answer and send the payload as it was. So do
 * more than 1,024 edits, or values of more than 1 MiB.
 */
export class Edit {
  private constructor(readonly op: string, readonly at: Address, readonly value: string | null) {}

  /** Puts a JSON text in the place of a value. A member that its object does not have is added at its end. */
  static set(at: Address, value: string): Edit { return new Edit("set", at, value); }

  /**
   * Puts a JSON text into a list, in front of the element at the address; the index that is the list's length
   * stands for its end. Several inserts at one place keep their order.
   */
  static insert(at: Address, value: string): Edit { return new Edit("insert", at, value); }

  /** Takes an element out of its list, or a member with its name out of its object. */
  static remove(at: Address): Edit { return new Edit("remove", at, null); }

  /**
   * Puts the text of a JSON string behind the string at the address. If another edit sets that string the
   * text goes behind the new one, so the two are right together and alone.
   */
  static append(at: Address, value: string): Edit { return new Edit("append", at, value); }
}

/** What is to be changed. A new one changes nothing. */
export class Answer {
  /** The address of the string that is the payload's system prompt, null if there is none. */
  promptAt: Address | null = null;
  /**
   * Puts the request's systemPrompt there. It is carried out only if the string at promptAt equals the prompt
   * that the host had built, which the guest does not know.
   */
  prompt: Edit[] = [];
  /**
   * Makes the payload's developer messages those of the request. It is carried out in any case, so it must be
   * right whether or not prompt is carried out too.
   */
  messages: Edit[] = [];
}

/**
 * The answer of an adapter that cannot answer from its view. The host then asks the adapter of version 1 that
 * the same guest offers for the same providers, APIs and models; if there is none it sends the payload as it
 * was. The reason is for people.
 */
export function useV1(reason: string): Answer {
  fail(reason, "use-v1");
  return new Answer();
}

export type Adapt = (request: Request) => Answer;

const handlers = new Registry("handler for adapter");

/** Registers an adapter under its id in pintle.toml. Call it at the top level. */
export function adapter(id: string, adapt: Adapt): void { handlers.set<Adapt>(id, adapt); }

export function editPayload(value: Value): Writer {
  const request = new Request(value);
  if (!handlers.has(request.id)) return Writer.nothing();
  return encode(handlers.get<Adapt>(request.id)(request));
}

function encode(answer: Answer): Writer {
  const at = answer.promptAt, some = answer.messages.length > 0;
  if (at === null && !some) return Writer.nothing();
  const w = Writer.value();
  w.map((at !== null ? 1 : 0) + (some ? 1 : 0));
  if (at !== null) {
    w.text("prompt");
    w.map(2);
    w.text("at");
    at.write(w);
    writeEdits(w, answer.prompt);
  }
  if (some) {
    w.text("messages");
    w.map(1);
    writeEdits(w, answer.messages);
  }
  return w;
}

function writeEdits(w: Writer, edits: Edit[]): void {
  w.text("edits");
  w.list(edits.length);
  for (let i = 0; i < edits.length; i++) {
    const edit = edits[i], value = edit.value;
    w.map(value !== null ? 3 : 2);
    w.text("at");
    edit.at.write(w);
    w.text("op");
    w.text(edit.op);
    if (value !== null) {
      w.text("value");
      w.textBytes(value);
    }
  }
}
