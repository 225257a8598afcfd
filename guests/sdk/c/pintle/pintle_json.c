// Finding values in a JSON document (RFC 8259, strictly), without decoding it.
#include "pintle_internal.h"

enum { MAX_DEPTH = 10000 };

const char *pintle_space_(const char *p, const char *end) {
    while (p < end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r')) p++;
    return p;
}

static int hex4(const char *p) {
    int n = 0;
    for (int i = 0; i < 4; i++) {
        char c = p[i];
        if (c >= '0' && c <= '9')
            n = n << 4 | (c - '0');
        else if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))
            n = n << 4 | ((c | 0x20) - 'a' + 10);
        else
            return -1;
    }
    return n;
}

// The end of the string that starts at p; NULL if it is not valid.
static const char *string(const char *p, const char *end) {
    for (p++;; p++) {
        p = pintle_plain_(p, end);
        if (p == end || (uint8_t)*p < ' ') return NULL;
        if (*p == '"') return p + 1;
        if (++p == end) return NULL;
        switch (*p) {
        case '"': case '\\': case '/': case 'b': case 'f': case 'n': case 'r': case 't': break;
        case 'u':
            if (end - p < 5 || hex4(p + 1) < 0) return NULL;
            p += 4;
            break;
        default: return NULL;
        }
    }
}

static const char *digits(const char *p, const char *end) {
    while (p < end && *p >= '0' && *p <= '9') p++;
    return p;
}

static const char *number(const char *p, const char *end) {
    if (p < end && *p == '-') p++;
    const char *from = p;
    p = digits(p, end);
    if (p == from || (*from == '0' && p != from + 1)) return NULL;
    if (p < end && *p == '.') {
        from = ++p;
        if ((p = digits(p, end)) == from) return NULL;
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        p++;
        if (p < end && (*p == '+' || *p == '-')) p++;
        from = p;
        if ((p = digits(p, end)) == from) return NULL;
    }
    return p;
}

static const char *word(const char *p, const char *end, const char *word) {
    for (; *word != 0; p++, word++)
        if (p == end || *p != *word) return NULL;
    return p;
}

static const char *scalar(const char *p, const char *end) {
    switch (*p) {
    case '"': return string(p, end);
    case 't': return word(p, end, "true");
    case 'f': return word(p, end, "false");
    case 'n': return word(p, end, "null");
    }
    return number(p, end);
}

// The member's value behind its name at p; NULL if there is no name, or no colon.
static const char *named(const char *p, const char *end) {
    if (p == end || *p != '"' || (p = string(p, end)) == NULL) return NULL;
    p = pintle_space_(p, end);
    return p == end || *p != ':' ? NULL : pintle_space_(p + 1, end);
}

// The end of the value at p; NULL if it is not valid. What is open is kept in one bit each, so that deep
// nesting costs no stack.
static const char *value(const char *p, const char *end) {
    static uint8_t objects[MAX_DEPTH / 8 + 1];
    for (size_t depth = 0;;) {
        if (p == end) return NULL;
        bool closed = false;
        if (*p == '{' || *p == '[') {
            if (depth == MAX_DEPTH) return NULL;
            uint8_t bit = (uint8_t)(1 << depth % 8);
            objects[depth / 8] = (uint8_t)(*p == '{' ? objects[depth / 8] | bit : objects[depth / 8] & ~bit);
            depth++;
            char closing = *p == '{' ? '}' : ']';
            p = pintle_space_(p + 1, end);
            closed = p < end && *p == closing;
            if (!closed) {
                if (closing == '}' && (p = named(p, end)) == NULL) return NULL;
                continue;
            }
        } else if ((p = scalar(p, end)) == NULL) {
            return NULL;
        }
        for (;;) { // behind a value, or at a bracket that closes one
            if (closed) {
                depth--;
                p++;
            }
            if (depth == 0) return p;
            bool object = (objects[(depth - 1) / 8] >> (depth - 1) % 8 & 1) != 0;
            p = pintle_space_(p, end);
            if (p == end) return NULL;
            if (*p == ',') {
                p = pintle_space_(p + 1, end);
                if (object && (p = named(p, end)) == NULL) return NULL;
                break;
            }
            if (*p != (object ? '}' : ']')) return NULL;
            closed = true;
        }
    }
}

pintle_json pintle_json_open(pintle_text document) {
    if (!pintle_has(document)) return (pintle_json){0};
    const char *end = document.at + document.len, *from = pintle_space_(document.at, end);
    const char *to = from == end ? NULL : value(from, end);
    return to == NULL || pintle_space_(to, end) != end ? (pintle_json){0} : (pintle_json){from, to};
}

pintle_kind pintle_json_kind(pintle_json v) {
    if (v.at == NULL) return PINTLE_ABSENT;
    switch (*v.at) {
    case '{': return PINTLE_MAP;
    case '[': return PINTLE_LIST;
    case '"': return PINTLE_STRING;
    case 't':
    case 'f': return PINTLE_BOOL;
    case 'n': return PINTLE_NULL;
    }
    return PINTLE_NUMBER;
}

pintle_json_items pintle_json_items_of(pintle_json v) {
    pintle_json_items it = {0};
    pintle_kind kind = pintle_json_kind(v);
    if (kind != PINTLE_MAP && kind != PINTLE_LIST) return it;
    it.map_ = kind == PINTLE_MAP;
    it.rest_ = v.at + 1;
    it.end_ = v.end - 1;
    return it;
}

bool pintle_json_next(pintle_json_items *it) {
    const char *p = pintle_space_(it->rest_, it->end_);
    if (p == it->end_) return false;
    if (*p == ',') p = pintle_space_(p + 1, it->end_);
    it->name = (pintle_json){0};
    if (it->map_) {
        it->name = (pintle_json){p, string(p, it->end_)};
        p = named(p, it->end_);
    }
    it->value = (pintle_json){p, value(p, it->end_)};
    it->rest_ = it->value.end;
    return true;
}

// ---- Strings ----

enum { BAD = -1 }; // half a surrogate pair, or a byte that is not UTF-8

// Decodes the character at *p inside a valid string, and moves *p behind it.
static int32_t character(const char **p, const char *end) {
    const uint8_t *s = (const uint8_t *)*p;
    if (s[0] == '\\') {
        *p += 2;
        switch (s[1]) {
        case 'b': return '\b';
        case 'f': return '\f';
        case 'n': return '\n';
        case 'r': return '\r';
        case 't': return '\t';
        case 'u': break;
        default: return s[1];
        }
        int32_t c = hex4(*p);
        *p += 4;
        if (c < 0xd800 || c > 0xdfff) return c;
        if (c > 0xdbff || end - *p < 6 || (*p)[0] != '\\' || (*p)[1] != 'u') return BAD;
        int32_t low = hex4(*p + 2);
        if (low < 0xdc00 || low > 0xdfff) return BAD;
        *p += 6;
        return 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    }
    size_t len = pintle_utf8_(*p, (size_t)(end - *p));
    *p += len == 0 ? 1 : len;
    switch (len) {
    case 0: return BAD;
    case 1: return s[0];
    case 2: return (s[0] & 31) << 6 | (s[1] & 63);
    case 3: return (s[0] & 15) << 12 | (s[1] & 63) << 6 | (s[2] & 63);
    }
    return (s[0] & 7) << 18 | (s[1] & 63) << 12 | (s[2] & 63) << 6 | (s[3] & 63);
}

// Writes a character and returns its length.
static size_t encode(int32_t c, char out[4]) {
    if (c == BAD) c = 0xfffd;
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t len = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = len - 1; i > 0; i--, c >>= 6) out[i] = (char)(0x80 | (c & 63));
    out[0] = (char)(c | (len == 2 ? 0xc0 : len == 3 ? 0xe0 : 0xf0));
    return len;
}

bool pintle_json_is(pintle_json v, const char *text) {
    if (pintle_json_kind(v) != PINTLE_STRING) return false;
    const char *p = v.at + 1, *end = v.end - 1;
    while (p < end) {
        int32_t c = character(&p, end);
        char want[4];
        if (c == BAD) return false;
        for (size_t i = 0, len = encode(c, want); i < len; i++, text++)
            if (*text != want[i] || *text == 0) return false;
    }
    return *text == 0;
}

pintle_text pintle_json_text(pintle_json v) {
    if (pintle_json_kind(v) != PINTLE_STRING) return (pintle_text){0};
    const char *p = v.at + 1, *end = v.end - 1, *from = p;
    pintle_builder b = {0};
    while (p < end) {
        const char *at = p;
        int32_t c = character(&p, end);
        if (c != BAD && *at != '\\') continue; // stands for itself
        char decoded[4];
        pintle_add_bytes_(&b, from, (size_t)(at - from));
        pintle_add_bytes_(&b, decoded, encode(c, decoded));
        from = p;
    }
    if (from == v.at + 1) return (pintle_text){from, (size_t)(end - from)};
    pintle_add_bytes_(&b, from, (size_t)(end - from));
    return pintle_built(&b);
}

pintle_text pintle_json_raw(pintle_json v) { return (pintle_text){v.at, (size_t)(v.end - v.at)}; }

pintle_json pintle_json_member(pintle_json object, const char *name, bool *twice) {
    pintle_json found = {0};
    if (pintle_json_kind(object) != PINTLE_MAP) return found;
    for (pintle_json_items it = pintle_json_items_of(object); pintle_json_next(&it);) {
        if (!pintle_json_is(it.name, name)) continue;
        if (found.at != NULL && twice != NULL) *twice = true;
        found = it.value;
    }
    return found;
}

static bool same_string(pintle_json a, pintle_json b) {
    if (pintle_same(pintle_json_raw(a), pintle_json_raw(b))) return true;
    const char *p = a.at + 1, *q = b.at + 1, *p_end = a.end - 1, *q_end = b.end - 1;
    while (p < p_end && q < q_end) {
        int32_t c = character(&p, p_end);
        if (c == BAD || c != character(&q, q_end)) return false;
    }
    return p == p_end && q == q_end;
}

bool pintle_same_json_(const char *a, const char *a_end, const char *b, const char *b_end) {
    for (;;) {
        a = pintle_space_(a, a_end);
        b = pintle_space_(b, b_end);
        if (a == a_end || b == b_end) return a == a_end && b == b_end;
        switch (*a) {
        case '{': case '}': case '[': case ']': case ',': case ':':
            if (*a++ != *b++) return false;
            continue;
        }
        pintle_json x = {a, scalar(a, a_end)}, y = {b, scalar(b, b_end)};
        if (x.end == NULL || y.end == NULL || *a != *b) return false;
        bool same = *a == '"' ? same_string(x, y) : pintle_same(pintle_json_raw(x), pintle_json_raw(y));
        if (!same) return false;
        a = x.end;
        b = y.end;
    }
}
