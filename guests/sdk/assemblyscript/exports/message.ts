// Re-exported by a guest, this gives the module the operation of developer-messages/v1.

import { serve } from "../internal/call";
import { render } from "../message";

export { pintle_abi_1, pintle_alloc } from "../internal/call";

export function developer_messages_v1_render(at: usize, length: usize): u64 { return serve(at, length, render); }
