/**
 * Adapting request payloads that are handed over whole: the interface provider-payload-adapters/v1. Its
 * operations are in exports/payload. "pintle/edit" has version 2, in which payloads stay in the host; it is
 * the better choice wherever it suffices. "pintle/json" reads and edits payloads.
 */

import { Registry } from "./internal/registry";
import { textOf } from "./internal/request";
import { Writer } from "./internal/writer";
import { Value } from "./value";

/** A request with a payload. */
export class Request {
  /** The adapter's id in pintle.toml. */
  readonly id: string;
  readonly provider: string;
  /** Empty if the host does not know it. */
  readonly api: string;
  /** The request body: a JSON text in UTF-8. It must not be changed. */
  readonly payload: Uint8Array;

  constructor(request: Value) {
    this.id = textOf(request, "id");
    this.provider = textOf(request, "provider");
    this.api = textOf(request, "api");
    const payload = request.get("payload").bytes();
    this.payload = payload !== null ? payload : new Uint8Array(0);
  }
}

/** Returns the system prompt that is in the payload; null if there is none. */
export type Read = (request: Request) => string | null;

/** Returns the payload with another system prompt; null if the payload is unchanged. */
export type ReplaceSystem = (request: Request, systemPrompt: string) => Uint8Array | null;

const readers = new Registry("handler for adapter");
const replacers = new Registry("handler for adapter");

/** Registers an adapter under its id in pintle.toml. Call it at the top level. */
export function adapter(id: string, read: Read, replaceSystem: ReplaceSystem): void {
  readers.set<Read>(id, read);
  replacers.set<ReplaceSystem>(id, replaceSystem);
}

/** The answer with a new payload; null: unchanged. */
export function changed(payload: Uint8Array | null): Writer {
  if (payload === null) return Writer.nothing();
  const w = Writer.value(<usize>payload.length + 16);
  w.bytes(payload);
  return w;
}

export function readSystemPrompt(value: Value): Writer {
  const request = new Request(value);
  if (!readers.has(request.id)) return Writer.nothing();
  const text = readers.get<Read>(request.id)(request);
  if (text === null) return Writer.nothing();
  const w = Writer.value(<usize>text.length + 16);
  w.text(text);
  return w;
}

export function replaceSystemPrompt(value: Value): Writer {
  const request = new Request(value);
  if (!replacers.has(request.id)) return Writer.nothing();
  return changed(replacers.get<ReplaceSystem>(request.id)(request, textOf(value, "systemPrompt")));
}
