// Re-exported by a guest, this gives the module the operations of provider-payload-adapters/v1, less the
// optional one.

import { serve } from "../internal/call";
import { readSystemPrompt, replaceSystemPrompt } from "../payload";

export { pintle_abi_1, pintle_alloc } from "../internal/call";

export function provider_payload_adapters_v1_read_system_prompt(at: usize, length: usize): u64 {
  return serve(at, length, readSystemPrompt);
}

export function provider_payload_adapters_v1_replace_system_prompt(at: usize, length: usize): u64 {
  return serve(at, length, replaceSystemPrompt);
}
