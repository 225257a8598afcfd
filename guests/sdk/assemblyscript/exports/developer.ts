// Re-exported by a guest, this gives the module the optional operation of provider-payload-adapters/v1.

import { replaceDeveloperMessages } from "../developer";
import { serve } from "../internal/call";

export function provider_payload_adapters_v1_replace_developer_messages(at: usize, length: usize): u64 {
  return serve(at, length, replaceDeveloperMessages);
}
