import { Value } from "../value";

/** One developer message. */
export class Message {
  constructor(readonly id: string, readonly content: string) {}
}

/** A text of a request, empty if it is absent. */
export function textOf(request: Value, key: string): string {
  const text = request.get(key).text();
  return text !== null ? text : "";
}

export function messagesOf(request: Value): Message[] {
  const items = request.get("messages").list();
  const messages = new Array<Message>(items.length);
  for (let i = 0; i < items.length; i++) {
    messages[i] = new Message(textOf(items[i], "id"), textOf(items[i], "content"));
  }
  return messages;
}
