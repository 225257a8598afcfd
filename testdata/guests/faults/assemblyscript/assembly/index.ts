// The guest in AssemblyScript that fails: it throws, recurses without end, allocates without end, and loops
// without end. The host's errors have to name the function that did. One contribution is well, to show that
// the guest is as good as before.

import { Context, contribution } from "pintle/message";

export * from "pintle/exports/message";

function sink(c: Context): string | null {
  throw new Error("no tide today");
}

/** Needs its own result after the call, so that it is no loop. */
function dive(depth: i32): i32 {
  return dive(depth + 1) * 3 + depth;
}

const hold: Uint8Array[] = [];

function hoard(c: Context): string | null {
  while (true) hold.push(new Uint8Array(64 << 10));
}

let turns = 0;

function spin(c: Context): string | null {
  while (true) turns++;
}

contribution("calm", (c: Context): string | null => "calm");
contribution("sink", sink);
contribution("dive", (c: Context): string | null => dive(1).toString());
contribution("hoard", hoard);
contribution("spin", spin);
