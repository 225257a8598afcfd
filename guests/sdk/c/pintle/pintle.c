// Memory, texts and what a guest asks its host for.
#include "pintle_internal.h"

// ---- Memory ----

static _Noreturn void no_memory(void) { pintle_panic_at(NULL, 0, "out of memory"); }

#ifdef __wasm__

#define IMPORT(name) __attribute__((import_module("pintle/1"), import_name(#name)))
IMPORT(log) void pintle_host_log(uint32_t level, const char *text, size_t len);
IMPORT(panic) void pintle_host_panic(const char *reason, size_t len);
IMPORT(config) int32_t pintle_host_config(const char *key, size_t len, char *buf, size_t cap);
IMPORT(kv_get) int32_t pintle_host_kv_get(const char *key, size_t len, char *buf, size_t cap);
IMPORT(kv_set) int32_t pintle_host_kv_set(const char *key, size_t len, const char *value, size_t n);
IMPORT(kv_delete) int32_t pintle_host_kv_delete(const char *key, size_t len);

PINTLE_EXPORT_("pintle_abi_1") void pintle_abi_1(void);
void pintle_abi_1(void) {}

#ifndef __wasi__ // whose library does the same
// Constructors run once, before the host takes its image. Nobody calling them, the linker would have them run
// in front of each operation.
void __wasm_call_ctors(void);
PINTLE_EXPORT_("_initialize") void _initialize(void);
__attribute__((weak)) void _initialize(void) { __wasm_call_ctors(); }
#endif

enum { PAGE = 65536, MAX_PAGES = 65535, FIRST = 24 * 1024, ALIGNMENT = 16 };
#define LARGEST (SIZE_MAX - 2 * PAGE)

// The request is at the start of home, the call's memory behind it and then in more, which grows. Memory is
// taken from the end of what there is, so that a C library can do the same beside this.
typedef struct {
    uint8_t *from, *to;
} range;

static _Alignas(ALIGNMENT) uint8_t first[FIRST];
static range home = {first, first + FIRST}, more;
static uint8_t *floor_ = first; // of the call's memory
static uint8_t *next = first, *limit = first + FIRST;

static size_t size_of(range r) { return (size_t)(r.to - r.from); }

// Makes a range longer by some bytes or, if something else is behind it, finds a new place for all of it.
static bool extend(range *r, size_t missing, size_t whole) {
    size_t had = __builtin_wasm_memory_size(0);
    bool here = r->to != NULL && (uintptr_t)r->to == had * PAGE;
    size_t n = here ? missing : whole > size_of(*r) ? whole : size_of(*r);
    size_t pages = n / PAGE + (n % PAGE != 0);
    if (pages > MAX_PAGES - had || __builtin_wasm_memory_grow(0, pages) == SIZE_MAX) return false;
    if (!here) r->from = (uint8_t *)(had * PAGE);
    r->to = (uint8_t *)((had + pages) * PAGE);
    return true;
}

static size_t rounded(size_t size) { return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

PINTLE_EXPORT_("pintle_alloc") uint8_t *pintle_alloc(size_t size);
uint8_t *pintle_alloc(size_t size) {
    if (size > LARGEST) return NULL;
    size = rounded(size);
    if (size > size_of(home) && !extend(&home, size - size_of(home), size)) return NULL;
    floor_ = home.from + size;
    pintle_begin_();
    return home.from;
}

void pintle_begin_(void) {
    next = floor_;
    limit = home.to;
}

void *pintle_take_(size_t size) {
    if (size > LARGEST) no_memory();
    size = rounded(size);
    size_t left = (size_t)(limit - next);
    if (size > left) {
        bool inside = limit == more.to;
        uint8_t *from = more.from;
        if (inside && !extend(&more, size - left, size)) no_memory();
        if (!inside && size > size_of(more) && !extend(&more, size - size_of(more), size)) no_memory();
        if (!inside || more.from != from) next = more.from;
        limit = more.to;
    }
    void *at = next;
    next += size;
    return at;
}

// Lengthens the memory that was taken last, if it can be done in place.
static bool lengthen(void *at, size_t from, size_t to) {
    size_t had = rounded(from);
    if ((uint8_t *)at + had != next || to > LARGEST) return false;
    size_t size = rounded(to);
    if (size - had > (size_t)(limit - next)) return false;
    next += size - had;
    return true;
}

#else

#include <stdio.h>
#include <stdlib.h>

// On the developer's machine there is no host. A test may define these functions itself.
#define STUB __attribute__((weak))
void pintle_host_log(uint32_t level, const char *text, size_t len);
void pintle_host_panic(const char *reason, size_t len);
int32_t pintle_host_config(const char *key, size_t len, char *buf, size_t cap);
int32_t pintle_host_kv_get(const char *key, size_t len, char *buf, size_t cap);
int32_t pintle_host_kv_set(const char *key, size_t len, const char *value, size_t n);
int32_t pintle_host_kv_delete(const char *key, size_t len);

STUB void pintle_host_log(uint32_t level, const char *text, size_t len) {
    fprintf(stderr, "log %u: %.*s\n", (unsigned)level, (int)len, text);
}
STUB void pintle_host_panic(const char *reason, size_t len) {
    fprintf(stderr, "panic: %.*s\n", (int)len, reason);
}
STUB int32_t pintle_host_config(const char *key, size_t len, char *buf, size_t cap) {
    (void)key, (void)len, (void)buf, (void)cap;
    return -1;
}
STUB int32_t pintle_host_kv_get(const char *key, size_t len, char *buf, size_t cap) {
    (void)key, (void)len, (void)buf, (void)cap;
    return -2;
}
STUB int32_t pintle_host_kv_set(const char *key, size_t len, const char *value, size_t n) {
    (void)key, (void)len, (void)value, (void)n;
    return -2;
}
STUB int32_t pintle_host_kv_delete(const char *key, size_t len) {
    (void)key, (void)len;
    return -2;
}

// Every piece of memory is one of its own, so that tools like the address sanitizer see who oversteps.
typedef struct piece {
    _Alignas(16) struct piece *before;
} piece;

static piece *pieces;

void pintle_begin_(void) {
    while (pieces != NULL) {
        piece *p = pieces;
        pieces = p->before;
        free(p);
    }
}

void *pintle_take_(size_t size) {
    piece *p = size < SIZE_MAX / 2 ? malloc(sizeof *p + size) : NULL;
    if (p == NULL) no_memory();
    p->before = pieces;
    pieces = p;
    return p + 1;
}

static bool lengthen(void *at, size_t from, size_t to) {
    (void)at, (void)from, (void)to;
    return false;
}

#endif

void *pintle_new(size_t size) {
    void *at = pintle_take_(size);
    pintle_clear_(at, size);
    return at;
}

void *pintle_room_(void *array, size_t count, size_t *cap, size_t need, size_t size) {
    if (need <= *cap) return array;
    size_t want = *cap < 8 ? 8 : *cap;
    if (need > SIZE_MAX / 4 / size) no_memory();
    while (want < need) want *= 2;
    if (*cap == 0 || !lengthen(array, *cap * size, want * size)) {
        void *to = pintle_take_(want * size);
        if (count > 0) pintle_copy_(to, array, count * size);
        array = to;
    }
    *cap = want;
    return array;
}

void pintle_sort_(void *array, size_t n, size_t size, bool (*less)(const void *, const void *)) {
    char *from = array, *to = pintle_take_(n * size);
    for (size_t run = 1; run < n; run *= 2) { // merges runs that are sorted to runs twice as long
        for (size_t start = 0; start < n; start += 2 * run) {
            size_t i = start, middle = n - start < run ? n : start + run, j = middle;
            size_t end = n - middle < run ? n : middle + run;
            for (size_t k = start; k < end; k++) {
                bool left = i < middle && (j == end || !less(from + j * size, from + i * size));
                pintle_copy_(to + k * size, from + (left ? i++ : j++) * size, size);
            }
        }
        char *swap = from;
        from = to;
        to = swap;
    }
    if (from != array) pintle_copy_(array, from, n * size);
}

// ---- Texts ----

pintle_text pintle_text_of(const char *s) {
    pintle_text t = {s, 0};
    if (s != NULL)
        while (s[t.len] != 0) t.len++;
    return t;
}

bool pintle_same(pintle_text a, pintle_text b) {
    if (a.len != b.len || pintle_has(a) != pintle_has(b)) return false;
    for (size_t i = 0; i < a.len; i++)
        if (a.at[i] != b.at[i]) return false;
    return true;
}

bool pintle_is(pintle_text t, const char *s) { return pintle_same(t, pintle_text_of(s)); }

bool pintle_starts(pintle_text t, const char *prefix) {
    pintle_text p = pintle_text_of(prefix);
    return pintle_has(t) && t.len >= p.len && pintle_same((pintle_text){t.at, p.len}, p);
}

bool pintle_ends(pintle_text t, const char *suffix) {
    pintle_text s = pintle_text_of(suffix);
    return pintle_has(t) && t.len >= s.len && pintle_same((pintle_text){t.at + (t.len - s.len), s.len}, s);
}

// ---- Failing ----

_Noreturn void pintle_panic_at(const char *file, int line, const char *format, ...) {
    static char reason[1024]; // not allocated: memory may be what is missing
    pintle_builder b = {reason, 0, sizeof reason - 128, true};
    va_list args;
    va_start(args, format);
    pintle_vformat(&b, format, args);
    va_end(args);
    b.cap = sizeof reason;
    if (file != NULL) pintle_format(&b, " (%s:%d)", file, line);
    pintle_host_panic(b.at, b.len);
    __builtin_trap();
}

// ---- The host ----

void pintle_log(pintle_level level, const char *format, ...) {
    pintle_builder b = {0};
    va_list args;
    va_start(args, format);
    pintle_vformat(&b, format, args);
    va_end(args);
    pintle_text t = pintle_built(&b);
    pintle_host_log((uint32_t)level, t.at, t.len);
}

// Asks for a value, and again with a larger buffer if the first was too small.
typedef int32_t (*asks)(const char *key, size_t len, char *buf, size_t cap);

static pintle_text value_of(asks ask, pintle_text key) {
    size_t cap = 256;
    for (;;) {
        char *buf = pintle_take_(cap);
        int32_t n = ask(key.at, key.len, buf, cap);
        if (n < 0) return (pintle_text){0};
        if ((size_t)n <= cap) return (pintle_text){buf, (size_t)n};
        cap = (size_t)n;
    }
}

pintle_text pintle_config(const char *key) { return value_of(pintle_host_config, pintle_text_of(key)); }
pintle_text pintle_kv_get(pintle_text key) { return value_of(pintle_host_kv_get, key); }

pintle_kv_result pintle_kv_set(pintle_text key, pintle_text value) {
    int32_t r = pintle_host_kv_set(key.at, key.len, value.at, value.len);
    return r == 0 ? PINTLE_KV_OK : r == -2 ? PINTLE_KV_DENIED : PINTLE_KV_NO_ROOM;
}

pintle_kv_result pintle_kv_delete(pintle_text key) {
    return pintle_host_kv_delete(key.at, key.len) == -2 ? PINTLE_KV_DENIED : PINTLE_KV_OK;
}
