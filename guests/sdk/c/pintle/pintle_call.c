// Life of a call: finding the handler, and answering. Contributions, which need nothing else.
#include "pintle_internal.h"

pintle_answer pintle_nothing(void) { return (pintle_answer){PINTLE_SAYS_NOTHING, {0}, {0}}; }

pintle_answer pintle_say(pintle_text text) {
    return (pintle_answer){pintle_has(text) ? PINTLE_SAYS_TEXT : PINTLE_SAYS_NOTHING, text, {0}};
}

pintle_answer pintle_fail(const char *code, const char *format, ...) {
    pintle_builder b = {0};
    va_list args;
    va_start(args, format);
    pintle_vformat(&b, format, args);
    va_end(args);
    return (pintle_answer){PINTLE_SAYS_ERROR, pintle_built(&b), pintle_text_of(code)};
}

static const char *id_of(pintle_table_ table, size_t i) {
    return *(const char *const *)(const void *)((const char *)table.at + i * table.size);
}

const void *pintle_find_(pintle_table_ table, const uint8_t *request, size_t len, pintle_value *out,
                         pintle_answer *failure) {
    pintle_begin_();
    if (!pintle_check_(request, len)) {
        *failure = pintle_fail("bad-request", "malformed message");
        return NULL;
    }
    *out = (pintle_value){request, request + len};
    pintle_text id = pintle_as_text(pintle_get(*out, "id"));
    for (size_t i = 0; i < table.count; i++)
        if (pintle_is(id, id_of(table, i))) return (const char *)table.at + i * table.size;
    pintle_builder known = {0};
    for (size_t i = 0; i < table.count; i++)
        pintle_format(&known, "%s%s", i == 0 ? "" : ", ", id_of(table, i));
    *failure = pintle_fail(NULL, "no handler for %s %.*s; there are handlers for: %.*s", table.what,
                           PINTLE_ARG(id), PINTLE_ARG(pintle_built(&known)));
    return NULL;
}

#ifdef __wasm__

static uint64_t pack(pintle_text answer) { return (uint64_t)(uintptr_t)answer.at << 32 | answer.len; }

#else

static pintle_text answered;

pintle_text pintle_answered(void) { return answered; }

static uint64_t pack(pintle_text answer) {
    answered = answer;
    return 0;
}

#endif

// A text as an answer may have it. It may have been cut inside a character, and that should not cost all of it.
static pintle_text utf8(pintle_text t) {
    if (pintle_is_utf8_(t.at, t.len)) return t;
    pintle_builder b = {0};
    pintle_add_utf8_(&b, t);
    return pintle_built(&b);
}

uint64_t pintle_reply_(pintle_answer a, unsigned major) {
    if (a.kind_ == PINTLE_SAYS_ERROR || major == PINTLE_MAJOR_TEXT) {
        a.value_ = utf8(a.value_);
        a.code_ = utf8(a.code_);
    }
    size_t cap = a.value_.len + a.code_.len + 64;
    pintle_builder b = {pintle_take_(cap), 0, cap, false};
    switch (a.kind_) {
    case PINTLE_SAYS_NOTHING:
        pintle_add_bytes_(&b, "\x81\x00", 2);
        break;
    case PINTLE_SAYS_ERROR:
        pintle_add_bytes_(&b, "\x82\x02", 2);
        pintle_add_head_(&b, PINTLE_MAJOR_MAP, 2);
        pintle_add_item_(&b, PINTLE_MAJOR_TEXT, PINTLE_TEXT("code"));
        pintle_add_item_(&b, PINTLE_MAJOR_TEXT, a.code_);
        pintle_add_item_(&b, PINTLE_MAJOR_TEXT, PINTLE_TEXT("message"));
        pintle_add_item_(&b, PINTLE_MAJOR_TEXT, a.value_);
        break;
    default:
        if (a.kind_ != (major == PINTLE_MAJOR_MAP ? PINTLE_SAYS_EDITS : PINTLE_SAYS_TEXT))
            pintle_panic_at(NULL, 0, "pintle_say is for texts and payloads, pintle_say_edits for version 2");
        pintle_add_bytes_(&b, "\x82\x01", 2);
        if (a.kind_ == PINTLE_SAYS_EDITS)
            pintle_add_text(&b, a.value_);
        else
            pintle_add_item_(&b, major, a.value_);
    }
    return pack(pintle_built(&b));
}

bool pintle_tool_active(const pintle_context *c, const char *name) {
    for (pintle_items it = pintle_items_of(c->active_tools); pintle_next(&it);)
        if (pintle_is(pintle_as_text(it.value), name)) return true;
    return false;
}

uint64_t pintle_render_(const pintle_contribution *table, size_t n, const uint8_t *request, size_t len) {
    pintle_value v;
    pintle_answer answer;
    pintle_table_ all = {table, n, sizeof *table, "contribution"};
    const pintle_contribution *c = pintle_find_(all, request, len, &v, &answer);
    if (c != NULL) {
        pintle_context context = {
            .provider = pintle_as_text(pintle_get(v, "provider")),
            .session_id = pintle_as_text(pintle_get(v, "sessionId")),
            .prompt = pintle_as_text(pintle_get(v, "prompt")),
            .active_tools = pintle_get_list_(v, "activeTools"),
            .system_prompt_options = pintle_get(v, "systemPromptOptions"),
        };
        answer = c->render(&context);
    }
    return pintle_reply_(answer, PINTLE_MAJOR_TEXT);
}
