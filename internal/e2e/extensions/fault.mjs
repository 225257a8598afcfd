// Does something to the sidecar in the middle of a turn: E2E_FAULT is "place signal", E2E_PIDS the file in
// which the sidecars' process ids are, the newest last. It happens once.
import { readFileSync } from "node:fs";

const [at, signal] = (process.env.E2E_FAULT ?? "").split(" ");
let done = false;

export function fault(place) {
  if (place !== at || done) return;
  done = true;
  const pid = Number(readFileSync(process.env.E2E_PIDS, "utf8").trim().split("\n").at(-1));
  process.kill(pid, signal);
  // A signal takes effect a moment later, and an answer could slip through.
  for (const end = Date.now() + 60000; runs(pid) && Date.now() < end; );
}

/** False once the process is gone, dead or stopped, and where there is no /proc to ask. */
function runs(pid) {
  try {
    const [state] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1];
    return !"TZX".includes(state);
  } catch {
    return false;
  }
}
