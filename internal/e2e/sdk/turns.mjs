// Takes a turn for every line of the input, and says how long it took, in microseconds. A session has
// E2E_TURNS turns; the next one is opened outside the time.
import { createInterface } from "node:readline";
import { contributions } from "../extensions/slots.mjs";
import { openSession } from "./session.mjs";

const turns = Number(process.env.E2E_TURNS);
const here = Number(process.env.E2E_CONTRIBUTIONS);

for (let i = 0; i < here; i++) {
  const id = `here/${String(i).padStart(2, "0")}`;
  contributions().set(id, { id, content: ({ prompt }) => prompt });
}

let session;
let taken = turns;
for await (const prompt of createInterface({ input: process.stdin })) {
  if (taken === turns) {
    session?.dispose();
    session = await openSession();
    taken = 0;
  }
  taken++;
  const start = process.hrtime.bigint();
  await session.prompt(prompt);
  const time = process.hrtime.bigint() - start;
  if (session.getLastAssistantText() === undefined) throw new Error("no answer");
  console.log(String(time / 1000n));
}
session?.dispose();
