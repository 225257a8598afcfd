// What the native tests share.
#include "../pintle/pintle_internal.h"

extern int failures;
void check(bool ok, const char *what, int line);
bool same(pintle_text got, const char *want, size_t len);

#define CHECK(condition) check(condition, #condition, __LINE__)
#define SAME(got, literal) CHECK(same(got, literal, sizeof literal - 1))

void test_values(void);
void test_json(void);

typedef uint64_t operation(const uint8_t *request, size_t len);
void fuzz_requests(pintle_text (*ask)(operation *op, const char *request, size_t len));
void fuzz_json(void);
pintle_answer fuzz_edits(const pintle_request *r); // uses all that a request of version 2 has
operation developer_messages_v1_render, provider_payload_adapters_v1_replace_developer_messages, provider_payload_adapters_v2_edit;
