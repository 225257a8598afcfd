// E2E_SESSIONS sessions at once, each with E2E_TURNS turns. Every line of the output is one answer.
import { contributions } from "../extensions/slots.mjs";
import { openSession } from "./session.mjs";

const count = Number(process.env.E2E_SESSIONS);
const turns = Number(process.env.E2E_TURNS);

contributions().set("demo/mode", { id: "demo/mode", priority: 5, content: ({ prompt }) => `Mode for: ${prompt}` });

// Loading an extension compiles it; all the turns run at the same time.
const sessions = [];
for (let i = 0; i < count; i++) sessions.push(await openSession());

await Promise.all(sessions.map(async (session, i) => {
  for (let turn = 1; turn <= turns; turn++) {
    await session.prompt(`session ${i} turn ${turn}.`);
    console.log(JSON.stringify({ session: i, turn, text: session.getLastAssistantText() }));
  }
}));
for (const session of sessions) session.dispose();
