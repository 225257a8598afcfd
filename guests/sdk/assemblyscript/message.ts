/** Rendering developer messages: the interface developer-messages/v1. Its operation is in exports/message. */

import { Registry } from "./internal/registry";
import { textOf } from "./internal/request";
import { Writer } from "./internal/writer";
import { Value } from "./value";

/** What the turn is about. Of it there is what the contribution's entry in pintle.toml lists under needs. */
export class Context {
  /** null if the host does not know it. */
  readonly provider: string | null;
  /** The names of the active tools; null if the host does not know them. */
  readonly activeTools: string[] | null;
  readonly sessionId: string | null;
  /** The user prompt that starts the turn; null if it starts without one. */
  readonly prompt: string | null;
  /**
   * The host's structured prompt input: cwd, customPrompt, appendSystemPrompt, contextFiles, skills and more,
   * as the host names them.
   */
  readonly systemPromptOptions: Value;

  constructor(request: Value) {
    this.provider = request.get("provider").text();
    const tools = request.get("activeTools");
    this.activeTools = tools.isList ? tools.texts() : null;
    this.sessionId = request.get("sessionId").text();
    this.prompt = request.get("prompt").text();
    this.systemPromptOptions = request.get("systemPromptOptions");
  }

  /** Reports whether a tool is active. */
  toolActive(name: string): bool {
    const tools = this.activeTools;
    return tools !== null && tools.includes(name);
  }
}

/** Makes the text of a contribution; null or an empty one if there is nothing to say this time. */
export type Render = (context: Context) => string | null;

const handlers = new Registry("handler for contribution");

/** Registers the function that renders a contribution, under its id in pintle.toml. Call it at the top level. */
export function contribution(id: string, render: Render): void { handlers.set<Render>(id, render); }

export function render(request: Value): Writer {
  const id = textOf(request, "id");
  if (!handlers.has(id)) return Writer.nothing();
  const text = handlers.get<Render>(id)(new Context(request));
  if (text === null || text.length == 0) return Writer.nothing();
  const w = Writer.value(<usize>text.length + 16);
  w.text(text);
  return w;
}
