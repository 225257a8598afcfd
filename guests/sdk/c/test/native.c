// Tests of the SDK on the developer's machine, to be compiled with the address and undefined behaviour
// sanitizers. The host's functions are stubs.
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../pintle/pintle_internal.h"
#include "native.h"

int failures;

void check(bool ok, const char *what, int line) {
    if (ok) return;
    failures++;
    printf("line %d: %s\n", line, what);
}

bool same(pintle_text got, const char *want, size_t len) {
    bool ok = got.at != NULL && got.len == len && memcmp(got.at, want, len) == 0;
    if (!ok) printf("got  %.*s\nwant %.*s\n", (int)got.len, got.at == NULL ? "(absent)" : got.at, (int)len, want);
    return ok;
}

// ---- A host ----

static char said[4096];
static jmp_buf died;

void pintle_host_log(uint32_t level, const char *text, size_t len) {
    snprintf(said, sizeof said, "%u %.*s", (unsigned)level, (int)len, text);
}

_Noreturn void pintle_host_panic(const char *reason, size_t len) {
    snprintf(said, sizeof said, "%.*s", (int)len, reason);
    longjmp(died, 1);
}

int32_t pintle_host_config(const char *key, size_t len, char *buf, size_t cap) {
    static const char small[] = "dry!";
    static char large[1000];
    if (len == 4 && memcmp(key, "tone", 4) == 0) {
        if (cap >= 4) memcpy(buf, small, 4);
        return 4;
    }
    if (len == 5 && memcmp(key, "large", 5) == 0) {
        memset(large, 'x', sizeof large);
        if (cap >= sizeof large) memcpy(buf, large, sizeof large);
        return sizeof large;
    }
    return -1;
}

// ---- A guest ----

static pintle_answer hello(const pintle_context *c) {
    pintle_builder b = {0};
    pintle_format(&b, "%.*s/%zu/%d", PINTLE_ARG(c->prompt), pintle_count(c->active_tools), pintle_tool_active(c, "bash"));
    return pintle_say(pintle_built(&b));
}

static pintle_answer absent(const pintle_context *c) { return pintle_say(c->prompt); }
static pintle_answer fails(const pintle_context *c) { return pintle_fail("no-prompt", "nothing %s", pintle_has(c->prompt) ? "?" : "to echo"); }

static pintle_answer cut_off(const pintle_context *c) {
    return pintle_has(c->provider) ? pintle_fail("\xff", "%.*s!", 1, c->prompt.at) : pintle_say((pintle_text){c->prompt.at, 1});
}

PINTLE_CONTRIBUTIONS({"hello", hello}, {"absent", absent}, {"fails", fails}, {"cut off", cut_off});

static pintle_answer nothing(const pintle_request *r) {
    (void)r;
    return pintle_nothing();
}

static pintle_answer echo(const pintle_request *r) { return pintle_say(r->payload); }

PINTLE_ADAPTERS_V1({"a", nothing, echo});
PINTLE_DEVELOPER_MESSAGES_V1({"a", echo});
PINTLE_ADAPTERS_V2({"a", fuzz_edits}, {"text", echo});

// A request in memory of exactly its size, so that the sanitizer sees who reads beyond it.
static pintle_text ask(uint64_t (*op)(const uint8_t *, size_t), const char *request, size_t len) {
    uint8_t *exact = malloc(len == 0 ? 1 : len);
    memcpy(exact, request, len);
    op(exact, len);
    pintle_text answer = pintle_answered();
    char *copy = malloc(answer.len); // the request ends here, and nothing of it may be in the answer
    memcpy(copy, answer.at, answer.len);
    free(exact);
    static char *last;
    free(last);
    last = copy;
    return (pintle_text){copy, answer.len};
}

#define ASK(op, literal) ask(op, literal, sizeof literal - 1)

static void test_answers(void) {
    SAME(ASK(developer_messages_v1_render, "\xa3\x62" "id\x65" "hello\x66" "prompt\x62" "hi\x6b" "activeTools\x82\x64" "read\x64" "bash"),
         "\x82\x01\x66" "hi/2/1");
    SAME(ASK(developer_messages_v1_render, "\xa1\x62" "id\x66" "absent"), "\x81\x00");
    SAME(ASK(developer_messages_v1_render, "\xa2\x62" "id\x66" "absent\x66" "prompt\x60"), "\x82\x01\x60");
    SAME(ASK(developer_messages_v1_render, "\xa1\x62" "id\x65" "fails"),
         "\x82\x02\xa2\x64" "code\x69" "no-prompt\x67" "message\x6f" "nothing to echo");
    SAME(ASK(developer_messages_v1_render, "\xa1\x62" "id\x60"),
         "\x82\x02\xa2\x64" "code\x60\x67" "message\x78\x53" "no handler for contribution ; there are handlers for: hello, absent, fails, cut off");
    SAME(ASK(developer_messages_v1_render, "\xa2\x62" "id\x67" "cut off\x66" "prompt\x62\xc3\xa9"), "\x82\x01\x63\xef\xbf\xbd");
    SAME(ASK(developer_messages_v1_render, "\xa3\x62" "id\x67" "cut off\x66" "prompt\x62\xc3\xa9\x68" "provider\x60"),
         "\x82\x02\xa2\x64" "code\x63\xef\xbf\xbd\x67" "message\x64\xef\xbf\xbd!");
    SAME(ASK(developer_messages_v1_render, "\xa0\x00"),
         "\x82\x02\xa2\x64" "code\x6b" "bad-request\x67" "message\x71" "malformed message");
    SAME(ASK(provider_payload_adapters_v1_replace_system_prompt, "\xa2\x62" "id\x61" "a\x67" "payload\x42" "{}"), "\x82\x01\x42" "{}");
    SAME(ASK(provider_payload_adapters_v1_read_system_prompt, "\xa2\x62" "id\x61" "a\x67" "payload\x42" "{}"), "\x81\x00");
    if (setjmp(died) == 0) {
        ASK(provider_payload_adapters_v2_edit, "\xa2\x62" "id\x64" "text\x67" "payload\x42" "{}");
        CHECK(!"it panics");
    }
    CHECK(strstr(said, "pintle_say_edits") != NULL);
}

// What compilers warn of does no harm.
static void formatted(pintle_builder *b, const char *format, ...) {
    va_list args;
    va_start(args, format);
    pintle_vformat(b, format, args);
    va_end(args);
}

static void test_texts(void) {
    CHECK(pintle_is(PINTLE_TEXT("a"), "a") && !pintle_is(PINTLE_TEXT("a"), "ab") && !pintle_is((pintle_text){0}, ""));
    CHECK(pintle_starts(PINTLE_TEXT("abc"), "ab") && !pintle_starts(PINTLE_TEXT("a"), "ab") && pintle_starts(PINTLE_TEXT("a"), ""));
    CHECK(pintle_ends(PINTLE_TEXT("abc"), "bc") && !pintle_ends(PINTLE_TEXT("c"), "bc") && !pintle_ends((pintle_text){0}, ""));
    CHECK(!pintle_has(pintle_text_of(NULL)) && pintle_text_of("ab").len == 2);
    pintle_builder b = {0};
    pintle_format(&b, "%d %i %u %x %c %s %.*s %% %zu %ld %lu %lld %llu", -7, 0, 7u, 0xbeefu, 'c', "s", 2, "abc", (size_t)9, -1L, 1UL,
                  (long long)INT64_MIN, (unsigned long long)UINT64_MAX);
    SAME(pintle_built(&b), "-7 0 7 beef c s ab % 9 -1 1 -9223372036854775808 18446744073709551615");
    b = (pintle_builder){0};
    formatted(&b, "%s %5d %f.%", (const char *)NULL);
    SAME(pintle_built(&b), "(null) %5d %f.%");
    b = (pintle_builder){0};
    pintle_add_json(&b, PINTLE_TEXT("a\"\\/\b\f\n\r\t\x01\x1f\x7f\xc3\xa9\xed\xa0\x80\xff\xf0\x9f\x9a\xa2<\xe2\x80\xa8"));
    SAME(pintle_built(&b), "\"a\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xf0\x9f\x9a\xa2<\xe2\x80\xa8\"");
    b = (pintle_builder){0};
    for (int i = 0; i < 5000; i++) pintle_add(&b, "abc");
    CHECK(b.len == 15000 && memcmp(b.at + 14997, "abc", 3) == 0);
    SAME(pintle_built(&(pintle_builder){0}), "");
}

static void test_host(void) {
    SAME(pintle_config("tone"), "dry!");
    pintle_text large = pintle_config("large");
    CHECK(large.len == 1000 && large.at[999] == 'x');
    CHECK(!pintle_has(pintle_config("none")));
    CHECK(!pintle_has(pintle_kv_get(PINTLE_TEXT("k"))) && pintle_kv_set(PINTLE_TEXT("k"), PINTLE_TEXT("v")) == PINTLE_KV_DENIED &&
          pintle_kv_delete(PINTLE_TEXT("k")) == PINTLE_KV_DENIED);
    pintle_log(PINTLE_WARN, "n is %d", 3);
    CHECK(strcmp(said, "2 n is 3") == 0);
    if (setjmp(died) == 0) pintle_panic("no %s", "tide");
    CHECK(strstr(said, "no tide (") == said && strstr(said, "native.c:") != NULL);
    if (setjmp(died) == 0) pintle_assert(1 + 1 == 3);
    CHECK(strstr(said, "assertion failed: 1 + 1 == 3") == said);
    if (setjmp(died) == 0) pintle_set(&(pintle_edit_list){0}, (pintle_address){0}, (pintle_text){0});
    CHECK(strstr(said, "needs a value") != NULL);
    if (setjmp(died) == 0) pintle_new(SIZE_MAX - 8);
    CHECK(strcmp(said, "out of memory") == 0);
    char *long_text = pintle_new(5000);
    memset(long_text, 'x', 4999);
    if (setjmp(died) == 0) pintle_panic("%s", long_text);
    CHECK(strlen(said) > 800 && strstr(said, "native.c:") != NULL);
}

static void test_overlaps(void) {
    pintle_text text = PINTLE_TEXT("{\"l\":[[1],2]}");
    pintle_json list = pintle_json_member(pintle_json_open(text), "l", NULL);
    pintle_json_items it = pintle_json_items_of(list);
    pintle_json_next(&it);
    pintle_json first = it.value;
    for (int i = 0; i < 4; i++) {
        pintle_splice s = pintle_splice_of(text);
        said[0] = 0;
        pintle_splice_remove(&s, list, first);
        if (i == 0) pintle_splice_set(&s, first, PINTLE_TEXT("3"));
        if (i == 1) pintle_splice_append(&s, first, PINTLE_TEXT("3"));
        if (i == 2) pintle_splice_remove(&s, list, first);
        if (i == 3) pintle_splice_remove(&s, list, list);
        if (setjmp(died) == 0) pintle_spliced(&s);
        CHECK(strstr(said, i < 2 ? "overlap" : "removes what is not in the list") != NULL);
    }
}

int main(void) {
    test_answers();
    test_texts();
    test_host();
    test_values();
    test_json();
    test_overlaps();
    fuzz_requests(ask);
    fuzz_json();
    pintle_begin_();
    if (failures > 0) printf("%d failures\n", failures);
    return failures > 0;
}
