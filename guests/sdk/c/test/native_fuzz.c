// Hostile input: no request and no document may make the SDK read where it must not.
#include <stdlib.h>
#include <string.h>

#include "native.h"

static uint64_t state = 88172645463325252u;

static size_t below(size_t n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (size_t)(state >> 11) % n;
}

// Changes a few bytes, cuts something off, or repeats something.
static size_t mutate(char *bytes, size_t len, size_t cap) {
    for (size_t n = 1 + below(4); n > 0 && len > 0; n--) {
        size_t at = below(len);
        switch (below(5)) {
        case 0: bytes[at] = (char)below(256); break;
        case 1: bytes[at] = (char)(bytes[at] ^ 1 << below(8)); break;
        case 2: len = at; break;
        case 3: bytes[at] = "\"\\{}[],:u\xff\x7f\x9f\xbf\x1b\xfb"[below(15)]; break;
        case 4: {
            size_t more = below(len - at) + 1;
            if (len + more > cap) break;
            memmove(bytes + at + more, bytes + at, len - at);
            len += more;
        }
        }
    }
    return len;
}

pintle_answer fuzz_edits(const pintle_request *r) {
    pintle_edits e = {.has_prompt = r->view_count > 0};
    for (size_t i = 0; i < r->view_count; i++) {
        pintle_seen s = pintle_see(r->view[i].value);
        pintle_builder b = {0};
        pintle_add_json(&b, s.text);
        pintle_add_json(&b, s.tail);
        pintle_add_json(&b, pintle_see_member(s, "role").text);
        for (pintle_items it = pintle_items_of(s.members); pintle_next(&it);) pintle_add_json(&b, it.key);
        e.prompt_at = pintle_member(r->view[i].at, "x");
        pintle_set(&e.messages, pintle_element(r->view[i].at, s.length & 0xff), pintle_built(&b));
    }
    for (size_t i = 0; i < r->message_count; i++) {
        pintle_builder b = {0};
        pintle_add_json(&b, r->messages[i].id);
        pintle_add_json(&b, r->messages[i].content);
        pintle_set(&e.prompt, e.prompt_at, pintle_built(&b));
    }
    return pintle_say_edits(&e);
}

#define SEED(literal) {literal, sizeof literal - 1}

void fuzz_requests(pintle_text (*ask)(operation *op, const char *request, size_t len)) {
    static const struct {
        const char *at;
        size_t len;
    } seeds[] = {
        SEED("\xa4\x62" "id\x65" "hello\x66" "prompt\x62" "hi\x6b" "activeTools\x82\x64" "read\x64" "bash\x73" "systemPromptOptions\xa1\x61" "a\xfb\x3f\xf8\0\0\0\0\0\0"),
        SEED("\xa3\x62" "id\x61" "a\x67" "payload\x58\x02{}\x68" "messages\x81\xa2\x62" "id\x61" "m\x67" "content\x62\xc3\xa9"),
        SEED("\xa3\x62" "id\x61" "a\x64" "view\x83\xa2\x62" "at\x82\x65" "input\x00\x65" "value\xa1\x66" "object\xa1\x64" "role\x64" "user"
             "\xa2\x62" "at\x81\x65" "input\x65" "value\xa1\x64" "list\x03\xa2\x62" "at\x80\x65" "value\xa3\x64" "head\x61" "a\x64" "tail\x61" "z\x65" "bytes\x18\x50"
             "\x68" "messages\x81\xa2\x62" "id\x61" "m\x67" "content\x61" "c"),
        SEED("\x9a\x00\x01\xff\xff\xbb\0\0\0\0\0\0\xff\xff\x7b\xff\xff\xff\xff\xff\xff\xff\xff"),
    };
    operation *ops[] = {developer_messages_v1_render, provider_payload_adapters_v1_replace_developer_messages, provider_payload_adapters_v2_edit};
    for (int i = 0; i < 200000; i++) {
        char request[512];
        size_t seed = below(sizeof seeds / sizeof *seeds);
        memcpy(request, seeds[seed].at, seeds[seed].len);
        size_t len = mutate(request, seeds[seed].len, sizeof request);
        pintle_text answer = ask(ops[below(3)], request, len);
        pintle_value v = {(const uint8_t *)answer.at, (const uint8_t *)answer.at + answer.len};
        bool well_formed = pintle_check_(v.at, answer.len) && pintle_kind_of(v) == PINTLE_LIST;
        if (!well_formed) CHECK(well_formed);
    }
}

void fuzz_json(void) {
    static const char seed[] = "{\"instructions\":\"a\\u0062\\ud83d\\udea2\\n\",\"input\":[{\"role\":\"developer\",\"content\":\"x\"} , null,5.5e+1,[true,{}]],\"z\":false}";
    for (int i = 0; i < 200000; i++) {
        char changed[512];
        memcpy(changed, seed, sizeof seed - 1);
        size_t len = i == 0 ? sizeof seed - 1 : mutate(changed, sizeof seed - 1, sizeof changed);
        char *exact = malloc(len + 1);
        memcpy(exact, changed, len);
        exact = realloc(exact, len == 0 ? 1 : len);
        pintle_text text = {exact, len};
        pintle_json top = pintle_json_open(text), list = pintle_json_member(top, "input", NULL);
        pintle_splice s = pintle_splice_of(text);
        if (pintle_json_kind(top) == PINTLE_MAP) pintle_splice_put(&s, top, "added", PINTLE_TEXT("1"));
        for (pintle_json_items it = pintle_json_items_of(list); pintle_json_next(&it);) {
            pintle_json_text(it.value);
            if (below(2) == 0) pintle_splice_remove(&s, list, it.value);
        }
        if (pintle_json_kind(list) == PINTLE_LIST) pintle_splice_prepend(&s, list, PINTLE_TEXT("\"new\""));
        pintle_text out = pintle_spliced(&s);
        bool document = !pintle_has(out) || pintle_json_open(out).at != NULL;
        if (!document) CHECK(document);
        pintle_begin_();
        free(exact);
    }
}
