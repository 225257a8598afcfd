// The example guest in C: two contributions, and the Codex adapter in both versions of its interface. The
// same guest stands beside it in other languages, with the same cases.json.
#include "codex.h"

// A placeholder of the template and what stands for it.
typedef struct {
    const char *name;
    pintle_text value;
} placeholder;

// Puts texts together with commas: those of a list, or the member of its objects.
static pintle_text joined(pintle_value list, const char *member) {
    pintle_builder b = {0};
    bool any = false;
    for (pintle_items it = pintle_items_of(list); pintle_kind_of(list) == PINTLE_LIST && pintle_next(&it);) {
        pintle_text text = pintle_as_text(member == NULL ? it.value : pintle_get(it.value, member));
        if (member == NULL && !pintle_has(text)) continue;
        if (any) pintle_add(&b, ",");
        any = true;
        pintle_add_text(&b, text);
    }
    return pintle_built(&b);
}

// Fills in the text that the host has configured. What is not known of a turn is empty.
static pintle_answer template(const pintle_context *c) {
    pintle_text rest = pintle_config("template");
    const placeholder known[] = {
        {"{prompt}", c->prompt},
        {"{provider}", c->provider},
        {"{sessionId}", c->session_id},
        {"{tools}", joined(c->active_tools, NULL)},
        {"{cwd}", pintle_as_text(pintle_get(c->system_prompt_options, "cwd"))},
        {"{skills}", joined(pintle_get(c->system_prompt_options, "skills"), "name")},
    };
    pintle_builder b = {0};
    while (rest.len > 0) {
        pintle_text put = {rest.at, 1};
        size_t taken = 1;
        for (size_t i = 0; *rest.at == '{' && i < sizeof known / sizeof *known; i++) {
            if (!pintle_starts(rest, known[i].name)) continue;
            put = known[i].value;
            taken = pintle_text_of(known[i].name).len;
        }
        pintle_add_text(&b, put);
        rest.at += taken;
        rest.len -= taken;
    }
    return b.len == 0 ? pintle_nothing() : pintle_say(pintle_built(&b));
}

// Has something to say only if a prompt starts the turn.
static pintle_answer greeting(const pintle_context *c) {
    if (!pintle_has(c->prompt)) return pintle_nothing();
    pintle_log(PINTLE_DEBUG, "greeting");
    return pintle_say(PINTLE_TEXT("Greet the user before you answer."));
}

PINTLE_CONTRIBUTIONS({"template", template}, {"greeting", greeting});
PINTLE_ADAPTERS_V1({"codex-v1", codex_read, codex_replace_system});
PINTLE_DEVELOPER_MESSAGES_V1({"codex-v1", codex_replace_developer});
PINTLE_ADAPTERS_V2({"codex", codex_edits});
