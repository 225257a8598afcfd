// The Codex adapter.
#include "pintle.h"

pintle_answer codex_edits(const pintle_request *r);
pintle_answer codex_read(const pintle_request *r);
pintle_answer codex_replace_system(const pintle_request *r);
pintle_answer codex_replace_developer(const pintle_request *r);
