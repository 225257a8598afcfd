// pintle.h - the SDK for Pintle guests in C (C11, no library needed).
//
// A guest is a set of functions, registered by macros that build static tables and export the operations
// of what they register, and nothing else:
//
//     #include "pintle.h"
//
//     static pintle_answer greeting(const pintle_context *c) {
//         if (!pintle_has(c->prompt)) return pintle_nothing();
//         return pintle_say(PINTLE_TEXT("Greet the user before you answer."));
//     }
//
//     PINTLE_CONTRIBUTIONS({"greeting", greeting});
//
// Use each macro once in a guest, in one of its files. The ids are those of the pintle.toml beside the
// source; `pintle build` compiles both into one module.
//
// Memory: whatever the SDK returns lives until the call ends, and so does the request. Nothing has to be
// freed. A guest must not keep pointers from one call to the next.
#ifndef PINTLE_H
#define PINTLE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- Texts ----

// A pintle_text is a slice of UTF-8; it has no zero byte behind it. at == NULL means absent, which is
// not the same as empty.
typedef struct {
    const char *at;
    size_t len;
} pintle_text;

// PINTLE_TEXT makes a text of a string literal.
#define PINTLE_TEXT(literal) ((pintle_text){"" literal, sizeof(literal) - 1})

// PINTLE_ARG hands a text to "%.*s" of pintle_format, pintle_log, pintle_fail and pintle_panic.
#define PINTLE_ARG(text) (int)(text).len, (text).at

static inline bool pintle_has(pintle_text t) { return t.at != NULL; }

pintle_text pintle_text_of(const char *s); // of a string that ends with a zero byte; absent for NULL
bool pintle_same(pintle_text a, pintle_text b);
bool pintle_is(pintle_text t, const char *s); // an absent text is nothing, not even ""
bool pintle_starts(pintle_text t, const char *prefix);
bool pintle_ends(pintle_text t, const char *suffix);

// ---- Memory and building texts ----

// pintle_new returns zeroed memory, aligned for everything, which lives until the call ends. It never
// returns NULL: without memory the call ends.
void *pintle_new(size_t size);

// A pintle_builder puts a text together. Begin with {0}.
typedef struct {
    char *at;
    size_t len, cap;
    bool fixed; // do not grow beyond cap: what is too much is cut off
} pintle_builder;

void pintle_add(pintle_builder *b, const char *s);
void pintle_add_text(pintle_builder *b, pintle_text t); // an absent text adds nothing
void pintle_add_json(pintle_builder *b, pintle_text t); // as a JSON string, the way JSON.stringify writes it

// pintle_format knows %s, %.*s, %c, %d, %i, %u, %x, with l, ll or z before the letter, and %%.
void pintle_format(pintle_builder *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void pintle_vformat(pintle_builder *b, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

pintle_text pintle_built(const pintle_builder *b); // present, even if nothing was added

// ---- Failing ----

// pintle_panic ends the call and tells the host why, with file and line: pintle_panic("no tide at %d", hour).
#define pintle_panic(...) pintle_panic_at(__FILE__, __LINE__, __VA_ARGS__)

// pintle_assert panics unless its condition holds. It is always compiled in.
#define pintle_assert(...) \
    ((__VA_ARGS__) ? (void)0 : pintle_panic_at(__FILE__, __LINE__, "assertion failed: %s", #__VA_ARGS__))

_Noreturn void pintle_panic_at(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4), noinline, cold));

// ---- The host ----

typedef enum { PINTLE_DEBUG, PINTLE_INFO, PINTLE_WARN, PINTLE_ERROR } pintle_level;

// pintle_log writes a record to the guest's log. What one call may log is bounded; the rest is cut off.
void pintle_log(pintle_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

// pintle_config returns the value under a key, which pintle.toml has to declare under the capability
// config. Absent if the host sets none.
pintle_text pintle_config(const char *key);

// The kv keeps entries of a session: keys of up to 256 bytes, values of up to 16 KiB, 256 entries and
// 64 KiB together. pintle.toml has to ask for the capability kv. What a call writes is kept if the call
// does not fail. Do not rely on finding anything: the host may forget it.
typedef enum {
    PINTLE_KV_OK,
    PINTLE_KV_NO_ROOM, // too large or too much; nothing has changed
    PINTLE_KV_DENIED,  // the host did not grant kv; go on without
} pintle_kv_result;

pintle_text pintle_kv_get(pintle_text key); // absent if there is nothing, and without the grant
pintle_kv_result pintle_kv_set(pintle_text key, pintle_text value);
pintle_kv_result pintle_kv_delete(pintle_text key); // OK too if there was nothing

// ---- Values of a request ----

typedef enum {
    PINTLE_ABSENT,
    PINTLE_NULL,
    PINTLE_BOOL,
    PINTLE_NUMBER,
    PINTLE_STRING,
    PINTLE_BYTES,
    PINTLE_LIST,
    PINTLE_MAP,
} pintle_kind;

// A pintle_value is a part of a request, read when it is asked for. {0} is absent, and so is everything
// asked of it: pintle_get(pintle_get(v, "a"), "b") never fails halfway.
typedef struct {
    const uint8_t *at, *end;
} pintle_value;

pintle_kind pintle_kind_of(pintle_value v);
pintle_text pintle_as_text(pintle_value v);  // absent if it is no text
pintle_text pintle_as_bytes(pintle_value v); // absent if it is no byte string
bool pintle_as_bool(pintle_value v, bool *out);
bool pintle_as_number(pintle_value v, double *out);
bool pintle_as_integer(pintle_value v, int64_t *out); // false for fractions and what does not fit
size_t pintle_count(pintle_value v);                  // elements of a list, entries of a map; otherwise 0
pintle_value pintle_get(pintle_value map, const char *key);

// pintle_next goes through a list or a map:
//     for (pintle_items it = pintle_items_of(v); pintle_next(&it);) use(it.value);
typedef struct {
    pintle_text key; // of a map's entry
    pintle_value value;
    size_t index;
    const uint8_t *rest_, *end_;
    size_t left_;
    bool map_;
} pintle_items;

pintle_items pintle_items_of(pintle_value v);
bool pintle_next(pintle_items *it);

// ---- Answers ----

typedef struct {
    uint8_t kind_;
    pintle_text value_, code_;
} pintle_answer;

pintle_answer pintle_nothing(void); // no text; the payload is unchanged
// pintle_say answers a text, or a payload; nothing if it is absent. In a text each byte that is not UTF-8
// becomes U+FFFD.
pintle_answer pintle_say(pintle_text text);
// pintle_fail is an error of the guest's own. The code is short, for programs; NULL for none.
pintle_answer pintle_fail(const char *code, const char *format, ...) __attribute__((format(printf, 2, 3)));

// ---- Contributions: developer-messages/v1 ----

// A pintle_context is what the turn is about. Only the fields that the contribution's entry in
// pintle.toml lists under needs are present.
typedef struct {
    pintle_text provider;
    pintle_text session_id;
    pintle_text prompt;                 // absent: the turn starts without one
    pintle_value active_tools;          // a list of texts
    pintle_value system_prompt_options; // a map: cwd, customPrompt, appendSystemPrompt, contextFiles, skills
} pintle_context;

bool pintle_tool_active(const pintle_context *c, const char *name);

typedef struct {
    const char *id;
    pintle_answer (*render)(const pintle_context *c);
} pintle_contribution;

#define PINTLE_CONTRIBUTIONS(...) \
    PINTLE_TABLE_(pintle_contribution, pintle_contributions_, __VA_ARGS__) \
    PINTLE_OPERATION_(developer_messages_v1_render, pintle_render_, pintle_contributions_) \
    PINTLE_END_(pintle_contributions_)

// ---- Adapters of version 1: the payload is handed to the guest ----

typedef struct {
    pintle_text id, content;
} pintle_message;

// A pintle_request is what an adapter is asked. Version 1 has a payload, version 2 a view.
typedef struct {
    pintle_text id, provider;
    pintle_text api;                // empty if the host does not know it
    pintle_text payload;            // the request body, JSON
    pintle_text system_prompt;      // that shall be in the payload; absent when reading
    const pintle_message *messages; // that shall be in the payload, in their order
    size_t message_count;
    const struct pintle_entry *view; // what the selectors of pintle.toml found
    size_t view_count;
} pintle_request;

typedef struct {
    const char *id;
    pintle_answer (*read_system_prompt)(const pintle_request *r);    // say it, even if empty; or nothing
    pintle_answer (*replace_system_prompt)(const pintle_request *r); // say the new payload; or nothing
} pintle_adapter_v1;

#define PINTLE_ADAPTERS_V1(...) \
    PINTLE_TABLE_(pintle_adapter_v1, pintle_adapters_v1_, __VA_ARGS__) \
    PINTLE_OPERATION_(provider_payload_adapters_v1_read_system_prompt, pintle_read_v1_, \
                      pintle_adapters_v1_) \
    PINTLE_OPERATION_(provider_payload_adapters_v1_replace_system_prompt, pintle_replace_v1_, \
                      pintle_adapters_v1_) \
    PINTLE_END_(pintle_adapters_v1_)

// Those of them that place developer messages too. List replace_developer_messages under operations of
// the adapters in pintle.toml. The function says the payload in which the managed developer messages are
// exactly those of the request, or nothing.
typedef struct {
    const char *id;
    pintle_answer (*replace_developer_messages)(const pintle_request *r);
} pintle_developer_v1;

#define PINTLE_DEVELOPER_MESSAGES_V1(...) \
    PINTLE_TABLE_(pintle_developer_v1, pintle_developers_v1_, __VA_ARGS__) \
    PINTLE_OPERATION_(provider_payload_adapters_v1_replace_developer_messages, pintle_place_v1_, \
                      pintle_developers_v1_) \
    PINTLE_END_(pintle_developers_v1_)

// ---- Adapters of version 2: the payload stays in the host, the guest answers edits ----

// A pintle_step goes to a member of an object or, if there is no name, to an element of a list.
typedef struct {
    pintle_text name;
    uint32_t index;
} pintle_step;

// A pintle_address leads from the top of the payload to a value. {0} is the top.
typedef struct {
    const pintle_step *steps;
    size_t count;
} pintle_address;

pintle_address pintle_member(pintle_address of, const char *name);
pintle_address pintle_element(pintle_address of, size_t index);
bool pintle_at(pintle_address a, size_t step, const char *name); // whether that step goes to that member

// A pintle_entry is one value that a selector found.
typedef struct pintle_entry {
    pintle_address at;
    pintle_value value; // for pintle_see
} pintle_entry;

// A pintle_seen is a value of the payload, as far as its selector shows it.
typedef struct {
    pintle_kind kind; // PINTLE_MAP is an object
    bool boolean;
    double number;
    pintle_text text; // of a string; the beginning of one that is clipped
    bool clipped;     // the string is longer than the selector's clip
    pintle_text tail; // then: its end
    size_t bytes;     // of a string: how long it is
    size_t length;    // of a list: how many elements
    pintle_value members; // of an object: those that the selector wants and the object has
} pintle_seen;

pintle_seen pintle_see(pintle_value v);
pintle_seen pintle_see_member(pintle_seen object, const char *name);

// pintle_edits collects an answer. Begin with {0}. Addresses mean the payload as it was.
typedef struct {
    pintle_builder cbor_;
    size_t count_;
} pintle_edit_list;

typedef struct {
    bool has_prompt;
    pintle_address prompt_at; // the string that is the payload's prompt
    pintle_edit_list prompt;  // carried out only if that string is the prompt that the host had built
    pintle_edit_list messages; // carried out in any case, so they must be right with and without the others
} pintle_edits;

// A value is one JSON text. set adds a member that is not there. insert puts an element in front of the
// one at the address; the list's length stands for its end. append puts the text of a JSON string behind
// the string at the address.
void pintle_set(pintle_edit_list *e, pintle_address at, pintle_text value);
void pintle_insert(pintle_edit_list *e, pintle_address at, pintle_text value);
void pintle_append(pintle_edit_list *e, pintle_address at, pintle_text value);
void pintle_remove(pintle_edit_list *e, pintle_address at);

pintle_answer pintle_say_edits(const pintle_edits *e); // nothing if there is neither a prompt nor an edit
// pintle_use_v1 sends the host to the guest's adapter of version 1, for what a view does not tell enough.
pintle_answer pintle_use_v1(const char *reason);

typedef struct {
    const char *id;
    pintle_answer (*edit)(const pintle_request *r);
} pintle_adapter_v2;

#define PINTLE_ADAPTERS_V2(...) \
    PINTLE_TABLE_(pintle_adapter_v2, pintle_adapters_v2_, __VA_ARGS__) \
    PINTLE_OPERATION_(provider_payload_adapters_v2_edit, pintle_edit_v2_, pintle_adapters_v2_) \
    PINTLE_END_(pintle_adapters_v2_)

// ---- JSON, for payloads of version 1 ----

// A pintle_json is one value of a JSON document, where it stands. {0} is absent.
typedef struct {
    const char *at, *end;
} pintle_json;

pintle_json pintle_json_open(pintle_text document); // absent if it is not one JSON document
pintle_kind pintle_json_kind(pintle_json v);         // an object is PINTLE_MAP
bool pintle_json_is(pintle_json v, const char *text); // a string that decodes to text
pintle_text pintle_json_text(pintle_json v); // a string decoded, half a surrogate pair as U+FFFD; else absent
pintle_text pintle_json_raw(pintle_json v);  // as it is written

// pintle_json_member returns a member of an object. Readers of JSON disagree about a member that is there
// twice; this is the last one, and *twice (if not NULL) is set to true. It is never set to false.
pintle_json pintle_json_member(pintle_json object, const char *name, bool *twice);

typedef struct {
    pintle_json name; // of a member
    pintle_json value;
    const char *rest_, *end_;
    bool map_;
} pintle_json_items;

pintle_json_items pintle_json_items_of(pintle_json v); // of a list or an object
bool pintle_json_next(pintle_json_items *it);

// A pintle_splice collects edits of a document. Everything outside them stays byte for byte; what becomes of
// white space is what the host does with edits of version 2. Begin with pintle_splice_of. The order of the
// edits does not matter, except that inserts at one place keep theirs.
typedef struct {
    pintle_text document;
    struct pintle_cut *cuts_;
    size_t count_, cap_;
} pintle_splice;

pintle_splice pintle_splice_of(pintle_text document); // one that pintle_json_open accepts
void pintle_splice_set(pintle_splice *s, pintle_json value, pintle_text with);
void pintle_splice_remove(pintle_splice *s, pintle_json list, pintle_json element);
void pintle_splice_prepend(pintle_splice *s, pintle_json list, pintle_text element);
void pintle_splice_append(pintle_splice *s, pintle_json list, pintle_text element);
// pintle_splice_put sets a member, or adds it at the end of the object.
void pintle_splice_put(pintle_splice *s, pintle_json object, const char *name, pintle_text value);
// pintle_spliced returns the document with the edits; absent if it is the same value as before (numbers
// compared by their spelling). It panics if edits overlap.
pintle_text pintle_spliced(pintle_splice *s);

// ---- What the macros are made of ----

#ifdef __wasm__
#define PINTLE_EXPORT_(name) __attribute__((export_name(name)))
#else
#define PINTLE_EXPORT_(name)
#endif

#define PINTLE_TABLE_(type, table, ...) static const type table[] = {__VA_ARGS__};

#define PINTLE_OPERATION_(name, serve, table) \
    PINTLE_EXPORT_(#name) uint64_t name(const uint8_t *request, size_t len); \
    uint64_t name(const uint8_t *request, size_t len) { \
        return serve(table, sizeof table / sizeof *table, request, len); \
    }

#define PINTLE_END_(table) _Static_assert(sizeof table > 0, "it takes the semicolon")

uint64_t pintle_render_(const pintle_contribution *table, size_t n, const uint8_t *request, size_t len);
uint64_t pintle_read_v1_(const pintle_adapter_v1 *table, size_t n, const uint8_t *request, size_t len);
uint64_t pintle_replace_v1_(const pintle_adapter_v1 *table, size_t n, const uint8_t *request, size_t len);
uint64_t pintle_place_v1_(const pintle_developer_v1 *table, size_t n, const uint8_t *request, size_t len);
uint64_t pintle_edit_v2_(const pintle_adapter_v2 *table, size_t n, const uint8_t *request, size_t len);

#ifndef __wasm__
// For tests on the developer's machine, where an operation returns 0: the bytes that it answered.
pintle_text pintle_answered(void);
#endif

#endif
