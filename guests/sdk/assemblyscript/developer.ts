/**
 * Placing developer messages in payloads that are handed over whole: the optional operation of
 * provider-payload-adapters/v1, which is in exports/developer. A guest that re-exports it lists
 * replace_developer_messages under operations of the adapters concerned.
 */

import { Registry } from "./internal/registry";
import { Message, messagesOf } from "./internal/request";
import { Writer } from "./internal/writer";
import { changed, Request } from "./payload";
import { Value } from "./value";

export { Message };

/**
 * Returns the payload in which the managed developer messages are exactly those given, in their order; null
 * if the payload is unchanged.
 */
export type ReplaceDeveloper = (request: Request, messages: Message[]) => Uint8Array | null;

const handlers = new Registry("developer message handler for adapter");

/** Registers it under the id of an adapter of "pintle/payload". Call it at the top level. */
export function developerMessages(id: string, replace: ReplaceDeveloper): void {
  handlers.set<ReplaceDeveloper>(id, replace);
}

export function replaceDeveloperMessages(value: Value): Writer {
  const request = new Request(value);
  if (!handlers.has(request.id)) return Writer.nothing();
  return changed(handlers.get<ReplaceDeveloper>(request.id)(request, messagesOf(value)));
}
