// Loaded in front of the extension that is tested: records, and registers what the environment asks for, the
// way packages that came earlier would.
import { codexAdapter } from "./codex.mjs";
import { fault } from "./fault.mjs";
import { recordBefore } from "./record.mjs";
import scenario from "./scenario.mjs";
import { adapters, contributions } from "./slots.mjs";

const { E2E_ADAPTER, E2E_CONTRIBUTION, E2E_SCENARIO } = process.env;

export default function before(pi) {
  recordBefore(pi);
  if (E2E_ADAPTER) adapters().set(E2E_ADAPTER, codexAdapter(E2E_ADAPTER));
  if (E2E_CONTRIBUTION) {
    contributions().set(E2E_CONTRIBUTION, {
      id: E2E_CONTRIBUTION,
      priority: 5,
      content: ({ prompt }) => {
        fault("render"); // the sidecar waits for this
        return `Mode for: ${prompt}`;
      },
    });
  }
  if (E2E_SCENARIO) scenario(pi);
}
