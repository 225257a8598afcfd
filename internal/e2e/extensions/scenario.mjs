// What a user's own extensions bring into the golden runs: a tool, contributions of every kind beside those of
// the guests, and a package that asks the envelope service for what another provider would be sent.
import { recordEnvelope } from "./record.mjs";
import { contributions, envelopeService } from "./slots.mjs";

const timetable = {
  name: "timetable",
  label: "Timetable",
  description: "Says when ferries leave a quay.",
  parameters: {
    type: "object",
    properties: { quay: { type: "string", description: "one letter" } },
    required: ["quay"],
  },
  async execute(_id, { quay }) {
    return { content: [{ type: "text", text: `Quay ${quay}: 07:40, 08:10 — “Zoë”` }], details: {} };
  },
};

const own = [
  { id: "demo/mode", priority: 5, content: ({ prompt }) => `Mode for: ${prompt}` },
  { id: "demo/first", priority: -1, content: "  Said first, trimmed.\n" },
  { id: "demo/tool", priority: 30, activeTools: ["timetable"], content: "Ask the timetable." },
  { id: "demo/elsewhere", providers: ["nobody"], content: () => { throw new Error("never asked"); } },
  { id: "demo/silent", content: () => undefined },
  { id: "greeting", priority: 7, content: ({ sessionId }) => (sessionId ? "The user's own greeting." : "no session") },
];

export default function scenario(pi) {
  pi.registerTool(timetable);
  const map = contributions();
  for (const one of own) map.set(one.id, one);
  pi.on("agent_end", (_event, ctx) => {
    recordEnvelope(envelopeService().current(ctx.sessionManager.getSessionId(), { provider: "other", activeTools: [] }));
  });
}
