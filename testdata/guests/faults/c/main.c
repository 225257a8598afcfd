// The guest in C that fails: it panics, recurses without end, allocates without end, and loops without end.
// The host's errors have to name the function that did. One contribution is well, to show that the guest is
// as good as before.
#include "pintle.h"

static pintle_answer calm(const pintle_context *c) {
    (void)c;
    return pintle_say(PINTLE_TEXT("calm"));
}

static pintle_answer sink(const pintle_context *c) {
    (void)c;
    pintle_panic("no tide today");
}

static volatile unsigned bottom, depth, turns; // of which the compiler knows nothing

// Does something after the call, so that it is no loop.
static pintle_answer dive(const pintle_context *c) {
    if (++depth == bottom) return calm(c);
    pintle_answer a = dive(c);
    depth--;
    return a;
}

static pintle_answer hoard(const pintle_context *c) {
    (void)c;
    for (;;) pintle_new(64 * 1024);
}

static pintle_answer spin(const pintle_context *c) {
    (void)c;
    for (;;) turns++;
}

PINTLE_CONTRIBUTIONS({"calm", calm}, {"sink", sink}, {"dive", dive}, {"hoard", hoard}, {"spin", spin});
