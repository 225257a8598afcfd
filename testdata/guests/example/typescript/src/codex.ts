// The adapter for payloads of Codex: the prompt is `instructions`, developer messages stand in front of `input`.
import {
  insert, isList, isText, registerPayloadAdapter, registerSystemPromptPayloadAdapter, remove, set,
  type DeveloperMessage, type EditAnswer, type EditRequest,
} from "pintle";

const provider = "openai-codex";
const api = "openai-codex-responses";

/** The tags around a developer message: the current ones, and those of older releases. */
const tags = [
  { opening: '<pi_developer_prompt_message id="', closing: "</pi_developer_prompt_message>" },
  { opening: '<pi_system_prompt_developer_message id="', closing: "</pi_system_prompt_developer_message>" },
];

const entities: Record<string, string> = { "&": "&amp;", '"': "&quot;", "<": "&lt;", ">": "&gt;" };

/** The item that a developer message becomes. */
function item({ id, content }: DeveloperMessage) {
  const name = id.replace(/[&"<>]/g, (c) => entities[c] ?? c);
  return { role: "developer", content: `${tags[0]!.opening}${name}">\n${content}\n${tags[0]!.closing}` };
}

registerPayloadAdapter({
  id: "codex",
  providers: [provider],
  apis: [api],
  // That they are there, and of what kind, is all there is to know about prompt and history. The items that an
  // earlier request left there the host finds by their tags.
  view: [
    { path: ["instructions"], clip: 0 },
    { path: ["input"], clip: 0 },
    ...tags.map(({ opening, closing }) => ({
      path: ["input", true] as const,
      where: [{ member: "role", equals: "developer" }, { member: "content", prefix: opening, suffix: closing }],
    })),
  ],
  write: [["instructions"], ["input", true]],
  edit: codexEdits,
});

function codexEdits({ view, systemPrompt, messages }: EditRequest): EditAnswer {
  const prompt = view.find(({ at, value }) => at[0] === "instructions" && isText(value));
  const history = view.find(({ at, value }) => at[0] === "input" && at.length === 1 && isList(value));
  const old = view.filter(({ at }) => at.length === 2);
  return {
    prompt: prompt && { at: prompt.at, edits: [set(prompt.at, systemPrompt)] },
    messages: history && [
      ...old.map(({ at }) => remove(at)),
      ...messages.map((message) => insert([...history.at, 0], item(message))),
    ],
  };
}

registerSystemPromptPayloadAdapter({
  id: "codex-v1",
  provider,
  api,
  readSystemPrompt: (payload) => (isRecord(payload) && typeof payload.instructions === "string" ? payload.instructions : undefined),
  replaceSystemPrompt: (payload, instructions) => (isRecord(payload) ? { ...payload, instructions } : payload),
  replaceDeveloperMessages(payload, messages) {
    if (!isRecord(payload) || !Array.isArray(payload.input)) return payload;
    const others = payload.input.filter((old) => !managed(old));
    return { ...payload, input: [...messages.map(item), ...others] };
  },
});

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether an earlier request left an item there. */
function managed(item: unknown): boolean {
  if (!isRecord(item) || item.role !== "developer") return false;
  const { content } = item;
  return typeof content === "string" && tags.some(({ opening, closing }) => content.startsWith(opening) && content.endsWith(closing));
}
