// A Codex request has its prompt in the string instructions and its history in the list input. Developer
// messages are items in front of the others, in tags by which the next request finds and replaces them.
#include "codex.h"

// The tags of today and those of older releases.
static const char *const tags[][2] = {
    {"<pi_developer_prompt_message id=\"", "</pi_developer_prompt_message>"},
    {"<pi_system_prompt_developer_message id=\"", "</pi_system_prompt_developer_message>"},
};

static void add_escaped(pintle_builder *b, pintle_text id) {
    for (size_t i = 0; i < id.len; i++) {
        switch (id.at[i]) {
        case '&': pintle_add(b, "&amp;"); break;
        case '"': pintle_add(b, "&quot;"); break;
        case '<': pintle_add(b, "&lt;"); break;
        case '>': pintle_add(b, "&gt;"); break;
        default: pintle_format(b, "%c", id.at[i]);
        }
    }
}

// The item of a message.
static pintle_text item(pintle_message m) {
    pintle_builder text = {0}, json = {0};
    pintle_add(&text, tags[0][0]);
    add_escaped(&text, m.id);
    pintle_format(&text, "\">\n%.*s\n%s", PINTLE_ARG(m.content), tags[0][1]);
    pintle_add(&json, "{\"role\":\"developer\",\"content\":");
    pintle_add_json(&json, pintle_built(&text));
    pintle_add(&json, "}");
    return pintle_built(&json);
}

static pintle_text quoted(pintle_text t) {
    pintle_builder b = {0};
    pintle_add_json(&b, t);
    return pintle_built(&b);
}

// Version 2: answers from the places that pintle.toml lists. Every item that it sees is an old message.
pintle_answer codex_edits(const pintle_request *r) {
    pintle_edits e = {0};
    for (size_t i = 0; i < r->view_count; i++) {
        pintle_address at = r->view[i].at;
        pintle_kind kind = pintle_see(r->view[i].value).kind;
        if (at.count == 2) {
            pintle_remove(&e.messages, at);
        } else if (pintle_at(at, 0, "instructions") && kind == PINTLE_STRING) {
            e.has_prompt = true;
            e.prompt_at = at;
            pintle_set(&e.prompt, at, quoted(r->system_prompt));
        } else if (pintle_at(at, 0, "input") && kind == PINTLE_LIST) {
            for (size_t j = 0; j < r->message_count; j++)
                pintle_insert(&e.messages, pintle_element(at, 0), item(r->messages[j]));
        }
    }
    return pintle_say_edits(&e);
}

// Version 1: the payload is here. Of a member that is there twice the last one counts.
pintle_answer codex_read(const pintle_request *r) {
    return pintle_say(pintle_json_text(pintle_json_member(pintle_json_open(r->payload), "instructions", NULL)));
}

pintle_answer codex_replace_system(const pintle_request *r) {
    pintle_json top = pintle_json_open(r->payload);
    if (pintle_json_kind(top) != PINTLE_MAP) return pintle_nothing();
    pintle_splice s = pintle_splice_of(r->payload);
    pintle_splice_put(&s, top, "instructions", quoted(r->system_prompt));
    return pintle_say(pintle_spliced(&s));
}

// Whether an item is a developer message that an earlier request left.
static bool managed(pintle_json item) {
    if (!pintle_json_is(pintle_json_member(item, "role", NULL), "developer")) return false;
    pintle_text text = pintle_json_text(pintle_json_member(item, "content", NULL));
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        if (pintle_starts(text, tags[i][0]) && pintle_ends(text, tags[i][1])) return true;
    return false;
}

pintle_answer codex_replace_developer(const pintle_request *r) {
    pintle_json input = pintle_json_member(pintle_json_open(r->payload), "input", NULL);
    if (pintle_json_kind(input) != PINTLE_LIST) return pintle_nothing();
    pintle_splice s = pintle_splice_of(r->payload);
    for (pintle_json_items it = pintle_json_items_of(input); pintle_json_next(&it);)
        if (managed(it.value)) pintle_splice_remove(&s, input, it.value);
    for (size_t i = 0; i < r->message_count; i++) pintle_splice_prepend(&s, input, item(r->messages[i]));
    return pintle_say(pintle_spliced(&s));
}
