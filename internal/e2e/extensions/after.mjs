// Loaded behind the extension that is tested.
import { fault } from "./fault.mjs";
import { recordAfter } from "./record.mjs";

export default function after(pi) {
  recordAfter(pi);
  for (const place of ["before_agent_start", "context", "before_provider_request"]) pi.on(place, () => fault(place));
}
