// The guest in TypeScript that fails: it throws, recurses without end, allocates without end, and loops without end.
// The host's errors have to name the function that did. One contribution is well, to show that the guest is as good as
// before.
import { registerDeveloperMessageContribution } from "pintle";

registerDeveloperMessageContribution({ id: "calm", content: () => "calm" });
registerDeveloperMessageContribution({ id: "sink", content: () => sink() });
registerDeveloperMessageContribution({ id: "dive", content: () => String(dive(1)) });
registerDeveloperMessageContribution({ id: "hoard", content: () => hoard() });
registerDeveloperMessageContribution({ id: "spin", content: () => spin() });

function sink(): never {
  throw new Error("no tide today");
}

/** Needs its own result after the call, so that it is no loop. */
function dive(depth: number): number {
  return dive(depth + 1) * 3 + depth;
}

function hoard(): never {
  const hold: Uint8Array[] = [];
  for (;;) hold.push(new Uint8Array(64 << 10).fill(1));
}

/** Counts odd numbers until it comes to nought. */
function spin(): string {
  let turns = 1;
  while (turns !== 0) turns = (turns + 2) | 0;
  return String(turns);
}
