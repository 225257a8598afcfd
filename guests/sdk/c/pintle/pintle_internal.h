// What the files of the SDK share.
#ifndef PINTLE_INTERNAL_H
#define PINTLE_INTERNAL_H

#include "pintle.h"

// Copying by these becomes an instruction in Wasm and needs no library.
#define pintle_copy_(to, from, n) __builtin_memmove(to, from, n)
#define pintle_clear_(at, n) __builtin_memset(at, 0, n)

// Memory that is not zeroed; see pintle_new.
void *pintle_take_(size_t size);
// The array with room for need elements of a size; count of them are in use. cap is kept up to date.
void *pintle_room_(void *array, size_t count, size_t *cap, size_t need, size_t size);
// Ends what the last call allocated.
void pintle_begin_(void);
void pintle_add_bytes_(pintle_builder *b, const void *at, size_t n);
// Sorts n elements of a size and leaves those that are equal in their order.
void pintle_sort_(void *array, size_t n, size_t size, bool (*less)(const void *, const void *));

// Where the first byte stands that is not the same in a text and in a JSON string; end if nowhere.
const char *pintle_plain_(const char *p, const char *end);

// The length of the UTF-8 character at the start of n > 0 bytes; 0 if they start with none.
size_t pintle_utf8_(const char *at, size_t n);
bool pintle_is_utf8_(const char *at, size_t n);
// Adds a text with U+FFFD for each byte that is not UTF-8.
void pintle_add_utf8_(pintle_builder *b, pintle_text t);

const char *pintle_space_(const char *p, const char *end); // behind the white space at p
// Whether two cuttings of JSON documents, cut between tokens, have the same tokens.
bool pintle_same_json_(const char *a, const char *a_end, const char *b, const char *b_end);

// One item: its major type, the five bits beside it, its argument, and what follows its head.
typedef struct {
    uint8_t major, info;
    uint64_t arg;
    const uint8_t *body;
} pintle_head_;

bool pintle_read_head_(pintle_value v, pintle_head_ *h);
// The list under a key; absent if it is something else, which has items as well if it is a map.
pintle_value pintle_get_list_(pintle_value map, const char *key);
// Whether the bytes are one item as ABI.md section 6 wants it.
bool pintle_check_(const uint8_t *at, size_t len);

enum {
    PINTLE_MAJOR_UINT,
    PINTLE_MAJOR_NEGATIVE,
    PINTLE_MAJOR_BYTES,
    PINTLE_MAJOR_TEXT,
    PINTLE_MAJOR_LIST,
    PINTLE_MAJOR_MAP,
};
void pintle_add_head_(pintle_builder *b, unsigned major, uint64_t arg);
void pintle_add_item_(pintle_builder *b, unsigned major, pintle_text content); // of bytes or text

enum { PINTLE_SAYS_NOTHING, PINTLE_SAYS_TEXT, PINTLE_SAYS_EDITS, PINTLE_SAYS_ERROR };

// A table of handlers; each begins with its id.
typedef struct {
    const void *at;
    size_t count, size;
    const char *what;
} pintle_table_;

// Begins a call: reads the request and finds its handler. NULL: the call is to end with *failure.
const void *pintle_find_(pintle_table_ table, const uint8_t *request, size_t len, pintle_value *out,
                         pintle_answer *failure);
// Ends a call. major is the type in which the operation answers a text.
uint64_t pintle_reply_(pintle_answer a, unsigned major);

#endif
