// {{name}} is a guest with one developer message.
#include "pintle.h"

// render returns what the model is told in this turn. Of the context it has what pintle.toml needs. A failure
// costs the turn this text and nothing else.
static pintle_answer render(const pintle_context *c) {
    if (c->prompt.len == 0) { // absent or empty
        pintle_log(PINTLE_DEBUG, "no prompt, nothing to say");
        return pintle_nothing();
    }
    pintle_text tone = pintle_config("tone");
    if (!pintle_has(tone)) tone = PINTLE_TEXT("friendly");

    pintle_builder text = {0};
    pintle_format(&text, "Answer in a %.*s tone.", PINTLE_ARG(tone));
    if (pintle_tool_active(c, "bash")) pintle_add(&text, " Say what a command does before you run it.");
    return pintle_say(pintle_built(&text));
}

// The id is that of pintle.toml.
PINTLE_CONTRIBUTIONS({"{{name}}", render});
