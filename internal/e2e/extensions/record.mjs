// Writes down what Pi's hooks are given, one JSON line per event, into the file of E2E_RECORD. Two of these
// stand around the extension that is tested: what the second one sees is what the extension answered.
import { appendFileSync } from "node:fs";

const file = process.env.E2E_RECORD;

const write = (at, event, more) => appendFileSync(file, `${JSON.stringify({ at, event, ...more })}\n`);

const order = [
  "agent_start", "turn_start", "message_end", "before_provider_headers", "after_provider_response", "turn_end", "agent_end",
];

export function recordBefore(pi) {
  const at = "before-extension";
  for (const name of order) pi.on(name, () => write(at, name));
  for (const name of ["session_start", "session_shutdown"]) {
    pi.on(name, ({ reason }) => write(at, name, { reason }));
  }
  pi.on("before_agent_start", (event, ctx) => {
    const { provider, api, id } = ctx.model;
    write(at, event.type, {
      prompt: event.prompt,
      systemPrompt: event.systemPrompt,
      systemPromptOptions: event.systemPromptOptions,
      model: { provider, api, id },
      activeTools: pi.getActiveTools(),
      cwd: ctx.cwd,
    });
  });
  recordChained(pi, at);
}

export function recordAfter(pi) {
  const at = "after-extension";
  pi.on("before_agent_start", ({ type, systemPrompt }) => write(at, type, { systemPrompt }));
  recordChained(pi, at);
}

export const recordEnvelope = (envelope) => write("scenario", "envelope", { envelope });

function recordChained(pi, at) {
  pi.on("context", ({ type, messages }) => write(at, type, { messages }));
  pi.on("before_provider_request", ({ type, payload }) => write(at, type, { payload }));
}
