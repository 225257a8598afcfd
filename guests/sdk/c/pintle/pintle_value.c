// Requests and answers: CBOR, as ABI.md section 6 restricts it.
#include "pintle_internal.h"

enum { MAX_NESTING = 32, MAX_ELEMENTS = 131072, MAJOR_TAG = 6, MAJOR_SIMPLE = 7 };

bool pintle_read_head_(pintle_value v, pintle_head_ *h) {
    if (v.at == NULL || v.at >= v.end) return false;
    h->major = v.at[0] >> 5;
    h->info = v.at[0] & 31;
    h->arg = h->info;
    h->body = v.at + 1;
    if (h->info < 24) return true;
    if (h->info > 27) return false; // 31 is an indefinite length
    size_t n = (size_t)1 << (h->info - 24);
    if ((size_t)(v.end - h->body) < n) return false;
    h->arg = 0;
    for (; n > 0; n--) h->arg = h->arg << 8 | *h->body++;
    return true;
}

// Keys are compared by what they say. In this order the deterministic encoding has them.
static int compare(const pintle_head_ *a, const pintle_head_ *b) {
    if (a->major != b->major) return a->major < b->major ? -1 : 1;
    if (a->arg != b->arg) return a->arg < b->arg ? -1 : 1;
    for (size_t i = 0; a->major == PINTLE_MAJOR_TEXT && i < a->arg; i++)
        if (a->body[i] != b->body[i]) return a->body[i] < b->body[i] ? -1 : 1;
    return 0;
}

static bool before(const void *a, const void *b) { return compare(a, b) < 0; }

// Whether a map that is well-formed otherwise has a key twice.
static bool twice(pintle_value map) {
    size_t n = pintle_count(map), i = 0;
    pintle_head_ *keys = pintle_take_(n * sizeof *keys);
    for (pintle_items it = pintle_items_of(map); i < n; i++) {
        pintle_read_head_((pintle_value){it.rest_, it.end_}, &keys[i]);
        pintle_next(&it);
    }
    pintle_sort_(keys, n, sizeof *keys, before);
    for (i = 1; i < n; i++)
        if (compare(&keys[i - 1], &keys[i]) == 0) return true;
    return false;
}

// A list or map that is open.
typedef struct {
    uint64_t left; // items
    const uint8_t *at;
    pintle_head_ last;
    bool map, any, unsorted;
} container;

bool pintle_check_(const uint8_t *at, size_t len) {
    pintle_value v = {at, at + len};
    container open[MAX_NESTING + 1], *c = open; // the outermost one holds the message itself
    *c = (container){.left = 1};
    for (;;) {
        while (c->left == 0) {
            if (c == open) return v.at == v.end;
            if (c->unsorted && twice((pintle_value){c->at, v.at})) return false;
            c--;
        }
        bool is_key = c->map && c->left % 2 == 0;
        c->left--;
        pintle_head_ k;
        const uint8_t *from = v.at;
        if (!pintle_read_head_(v, &k)) return false;
        if (is_key && k.major != PINTLE_MAJOR_TEXT && k.major != PINTLE_MAJOR_UINT) return false;
        v.at = k.body;
        switch (k.major) {
        case PINTLE_MAJOR_BYTES:
        case PINTLE_MAJOR_TEXT:
            if (k.arg > (uint64_t)(v.end - v.at)) return false;
            if (k.major == PINTLE_MAJOR_TEXT && !pintle_is_utf8_((const char *)v.at, (size_t)k.arg))
                return false;
            v.at += k.arg;
            break;
        case PINTLE_MAJOR_LIST:
        case PINTLE_MAJOR_MAP:
            if (k.arg > MAX_ELEMENTS || c == open + MAX_NESTING) return false;
            *++c = (container){.left = k.arg, .at = from, .map = k.major == PINTLE_MAJOR_MAP};
            if (c->map) c->left *= 2;
            break;
        case MAJOR_TAG: return false;
        case MAJOR_SIMPLE:
            if (k.info < 20 || k.info == 23 || k.info == 24) return false;
        }
        if (is_key) {
            c->unsorted = c->unsorted || (c->any && compare(&c->last, &k) >= 0);
            c->last = k;
            c->any = true;
        }
    }
}

// The end of the item at the start of a range that was checked; NULL if there is none.
static const uint8_t *behind(pintle_value v) {
    for (uint64_t items = 1; items > 0; items--) {
        pintle_head_ h;
        if (!pintle_read_head_(v, &h)) return NULL;
        v.at = h.body;
        switch (h.major) {
        case PINTLE_MAJOR_BYTES:
        case PINTLE_MAJOR_TEXT:
            if (h.arg > (uint64_t)(v.end - v.at)) return NULL;
            v.at += h.arg;
            break;
        case PINTLE_MAJOR_LIST:
        case PINTLE_MAJOR_MAP:
            if (h.arg > MAX_ELEMENTS) return NULL;
            items += h.major == PINTLE_MAJOR_MAP ? 2 * h.arg : h.arg;
        }
    }
    return v.at;
}

pintle_kind pintle_kind_of(pintle_value v) {
    pintle_head_ h;
    if (!pintle_read_head_(v, &h)) return PINTLE_ABSENT;
    switch (h.major) {
    case PINTLE_MAJOR_UINT:
    case PINTLE_MAJOR_NEGATIVE: return PINTLE_NUMBER;
    case PINTLE_MAJOR_BYTES: return PINTLE_BYTES;
    case PINTLE_MAJOR_TEXT: return PINTLE_STRING;
    case PINTLE_MAJOR_LIST: return PINTLE_LIST;
    case PINTLE_MAJOR_MAP: return PINTLE_MAP;
    case MAJOR_SIMPLE:
        if (h.info >= 25) return PINTLE_NUMBER;
        if (h.info == 20 || h.info == 21) return PINTLE_BOOL;
        if (h.info == 22) return PINTLE_NULL;
    }
    return PINTLE_ABSENT;
}

static pintle_text content(pintle_value v, unsigned major) {
    pintle_head_ h;
    if (!pintle_read_head_(v, &h) || h.major != major || h.arg > (uint64_t)(v.end - h.body))
        return (pintle_text){0};
    return (pintle_text){(const char *)h.body, (size_t)h.arg};
}

pintle_text pintle_as_text(pintle_value v) { return content(v, PINTLE_MAJOR_TEXT); }
pintle_text pintle_as_bytes(pintle_value v) { return content(v, PINTLE_MAJOR_BYTES); }

bool pintle_as_bool(pintle_value v, bool *out) {
    if (pintle_kind_of(v) != PINTLE_BOOL) return false;
    *out = (v.at[0] & 31) == 21;
    return true;
}

static double float16(uint64_t bits) {
    unsigned exponent = (unsigned)bits >> 10 & 31;
    double fraction = (double)(bits & 1023), value;
    if (exponent == 31)
        value = fraction == 0 ? __builtin_inf() : __builtin_nan("");
    else if (exponent == 0)
        value = fraction / 16777216; // 2^24
    else
        value = (1024 + fraction) * (double)(1u << exponent) / 33554432; // 2^25
    return bits >> 15 != 0 ? -value : value;
}

static double float32(uint64_t bits) {
    uint32_t narrow = (uint32_t)bits;
    float f;
    pintle_copy_(&f, &narrow, sizeof f);
    return (double)f;
}

bool pintle_as_number(pintle_value v, double *out) {
    pintle_head_ h;
    if (pintle_kind_of(v) != PINTLE_NUMBER || !pintle_read_head_(v, &h)) return false;
    if (h.major == PINTLE_MAJOR_UINT)
        *out = (double)h.arg;
    else if (h.major == PINTLE_MAJOR_NEGATIVE)
        *out = -1 - (double)h.arg;
    else if (h.info == 25)
        *out = float16(h.arg);
    else if (h.info == 26)
        *out = float32(h.arg);
    else
        pintle_copy_(out, &h.arg, sizeof *out);
    return true;
}

bool pintle_as_integer(pintle_value v, int64_t *out) {
    pintle_head_ h;
    double d;
    if (!pintle_read_head_(v, &h) || !pintle_as_number(v, &d)) return false;
    if (h.major == MAJOR_SIMPLE) {
        if (!(d >= -9223372036854775808.0 && d < 9223372036854775808.0)) return false;
        *out = (int64_t)d;
        return (double)*out == d;
    }
    if (h.arg > INT64_MAX) return false;
    *out = h.major == PINTLE_MAJOR_UINT ? (int64_t)h.arg : -1 - (int64_t)h.arg;
    return true;
}

pintle_items pintle_items_of(pintle_value v) {
    pintle_items it = {0};
    pintle_head_ h;
    if (!pintle_read_head_(v, &h) || (h.major != PINTLE_MAJOR_LIST && h.major != PINTLE_MAJOR_MAP)) return it;
    it.rest_ = h.body;
    it.end_ = v.end;
    it.left_ = h.arg <= MAX_ELEMENTS ? (size_t)h.arg : 0;
    it.map_ = h.major == PINTLE_MAJOR_MAP;
    it.index = SIZE_MAX; // one before the first
    return it;
}

bool pintle_next(pintle_items *it) {
    if (it->left_ == 0) return false;
    const uint8_t *at = it->rest_, *end;
    it->key = (pintle_text){0};
    if (it->map_) {
        if ((end = behind((pintle_value){at, it->end_})) == NULL) return false;
        it->key = pintle_as_text((pintle_value){at, end});
        at = end;
    }
    if ((end = behind((pintle_value){at, it->end_})) == NULL) return false;
    it->value = (pintle_value){at, end};
    it->rest_ = end;
    it->left_--;
    it->index++;
    return true;
}

size_t pintle_count(pintle_value v) { return pintle_items_of(v).left_; }

pintle_value pintle_get(pintle_value map, const char *key) {
    if (pintle_kind_of(map) == PINTLE_MAP)
        for (pintle_items it = pintle_items_of(map); pintle_next(&it);)
            if (pintle_is(it.key, key)) return it.value;
    return (pintle_value){0};
}

pintle_value pintle_get_list_(pintle_value map, const char *key) {
    pintle_value v = pintle_get(map, key);
    return pintle_kind_of(v) == PINTLE_LIST ? v : (pintle_value){0};
}

void pintle_add_head_(pintle_builder *b, unsigned major, uint64_t arg) {
    uint8_t head[9];
    unsigned bytes = arg < 24 ? 0 : arg <= 0xff ? 1 : arg <= 0xffff ? 2 : arg <= 0xffffffff ? 4 : 8;
    unsigned info = bytes == 0 ? (unsigned)arg : bytes == 1 ? 24 : bytes == 2 ? 25 : bytes == 4 ? 26 : 27;
    head[0] = (uint8_t)(major << 5 | info);
    for (unsigned i = bytes; i > 0; i--, arg >>= 8) head[i] = (uint8_t)arg;
    pintle_add_bytes_(b, head, bytes + 1);
}

void pintle_add_item_(pintle_builder *b, unsigned major, pintle_text content) {
    pintle_add_head_(b, major, content.len);
    pintle_add_text(b, content);
}
