// Re-exported by a guest, this gives the module the operation of provider-payload-adapters/v2.

import { serve } from "../internal/call";
import { editPayload } from "../edit";

export { pintle_abi_1, pintle_alloc } from "../internal/call";

export function provider_payload_adapters_v2_edit(at: usize, length: usize): u64 {
  return serve(at, length, editPayload);
}
