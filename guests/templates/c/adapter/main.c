// {{name}} is a guest that puts the prompt and the developer messages into requests of one API. As it stands
// that is a made-up one, acme-chat, with the prompt in a string and everything else a turn:
//
//     {"model":"acme-1","prompt":"Be kind.","turns":[{"from":"user","text":"hi"}]}
//
// Developer messages are turns in front of the others, from "notice", with [agent/ID] before the text.
#include "pintle.h"

static pintle_text turn(pintle_message m) {
    pintle_builder text = {0}, json = {0};
    pintle_format(&text, "[agent/%.*s] %.*s", PINTLE_ARG(m.id), PINTLE_ARG(m.content));
    pintle_add(&json, "{\"from\":\"notice\",\"text\":");
    pintle_add_json(&json, pintle_built(&text));
    pintle_add(&json, "}");
    return pintle_built(&json);
}

// adapt answers edits of the payload, which itself stays in the host: it sees what the selectors of
// pintle.toml find.
static pintle_answer adapt(const pintle_request *r) {
    pintle_edits e = {0};
    for (size_t i = 0; i < r->view_count; i++) {
        pintle_address at = r->view[i].at;
        pintle_kind kind = pintle_see(r->view[i].value).kind;
        if (pintle_at(at, 0, "prompt") && kind == PINTLE_STRING) {
            // Carried out only if the prompt there is the one that the host had built.
            pintle_builder prompt = {0};
            pintle_add_json(&prompt, r->system_prompt);
            e.has_prompt = true;
            e.prompt_at = at;
            pintle_set(&e.prompt, at, pintle_built(&prompt));
        } else if (at.count == 2) { // a message of an earlier request
            pintle_remove(&e.messages, at);
        } else if (pintle_at(at, 0, "turns") && kind == PINTLE_LIST) {
            for (size_t j = 0; j < r->message_count; j++)
                pintle_insert(&e.messages, pintle_element(at, 0), turn(r->messages[j]));
        }
    }
    return pintle_say_edits(&e);
}

// The id is that of pintle.toml.
PINTLE_ADAPTERS_V2({"{{name}}", adapt});
