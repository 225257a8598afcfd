// Putting texts together.
#include "pintle_internal.h"

void pintle_add_bytes_(pintle_builder *b, const void *at, size_t n) {
    if (n > b->cap - b->len) {
        if (b->fixed)
            n = b->cap - b->len;
        else
            b->at = pintle_room_(b->at, b->len, &b->cap, n <= SIZE_MAX - b->len ? b->len + n : SIZE_MAX, 1);
    }
    if (n == 0) return;
    pintle_copy_(b->at + b->len, at, n);
    b->len += n;
}

void pintle_add_text(pintle_builder *b, pintle_text t) { pintle_add_bytes_(b, t.at, t.len); }

void pintle_add(pintle_builder *b, const char *s) { pintle_add_text(b, pintle_text_of(s)); }

pintle_text pintle_built(const pintle_builder *b) { return (pintle_text){b->at == NULL ? "" : b->at, b->len}; }

static void add_number(pintle_builder *b, uint64_t n, unsigned base, bool negative) {
    char digits[21], *at = digits + sizeof digits;
    do *--at = "0123456789abcdef"[n % base];
    while ((n /= base) != 0);
    if (negative) *--at = '-';
    pintle_add_bytes_(b, at, (size_t)(digits + sizeof digits - at));
}

// Reads one argument of the sizes int, long, long long and size_t.
static uint64_t number(va_list *args, char size, bool is_signed) {
    switch (size) {
    case 'l': return is_signed ? (uint64_t)va_arg(*args, long) : va_arg(*args, unsigned long);
    case 'L': return is_signed ? (uint64_t)va_arg(*args, long long) : va_arg(*args, unsigned long long);
    case 'z': return is_signed ? (uint64_t)va_arg(*args, ptrdiff_t) : va_arg(*args, size_t);
    }
    return is_signed ? (uint64_t)(int64_t)va_arg(*args, int) : va_arg(*args, unsigned);
}

// Handles what follows a % and returns what follows that. What it does not know it copies.
static const char *directive(pintle_builder *b, const char *f, va_list *args) {
    const char *from = f - 1;
    int precision = -1;
    if (f[0] == '.' && f[1] == '*' && f[2] == 's') {
        precision = va_arg(*args, int);
        f += 2;
    }
    char size = 0;
    for (; *f == 'l' || *f == 'z'; f++) size = *f == 'z' ? 'z' : size == 'l' ? 'L' : 'l';
    switch (*f) {
    case 's': {
        const char *s = va_arg(*args, const char *);
        if (precision < 0)
            pintle_add(b, s == NULL ? "(null)" : s);
        else if (s != NULL)
            pintle_add_bytes_(b, s, (size_t)precision);
        return f + 1;
    }
    case 'c': {
        char c = (char)va_arg(*args, int);
        pintle_add_bytes_(b, &c, 1);
        return f + 1;
    }
    case 'd':
    case 'i': {
        uint64_t n = number(args, size, true);
        bool negative = n >> 63 != 0;
        add_number(b, negative ? 0 - n : n, 10, negative);
        return f + 1;
    }
    case 'u': add_number(b, number(args, size, false), 10, false); return f + 1;
    case 'x': add_number(b, number(args, size, false), 16, false); return f + 1;
    case '%': pintle_add_bytes_(b, "%", 1); return f + 1;
    }
    pintle_add_bytes_(b, from, (size_t)(f - from));
    return f;
}

void pintle_vformat(pintle_builder *b, const char *format, va_list args) {
    va_list copy; // whose address can be passed on, whatever a va_list is
    va_copy(copy, args);
    while (*format != 0) {
        size_t n = 0;
        while (format[n] != 0 && format[n] != '%') n++;
        pintle_add_bytes_(b, format, n);
        format += n;
        if (*format == '%') format = directive(b, format + 1, &copy);
    }
    va_end(copy);
}

void pintle_format(pintle_builder *b, const char *format, ...) {
    va_list args;
    va_start(args, format);
    pintle_vformat(b, format, args);
    va_end(args);
}

size_t pintle_utf8_(const char *at, size_t n) {
    const uint8_t *p = (const uint8_t *)at;
    if (p[0] < 0x80) return 1;
    size_t len = p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf5 ? 4 : 0;
    if (len == 0 || len > n) return 0;
    // The second byte has fewer values after some: no overlong forms, no surrogates, nothing beyond U+10FFFF.
    uint8_t low = p[0] == 0xe0 ? 0xa0 : p[0] == 0xf0 ? 0x90 : 0x80;
    uint8_t high = p[0] == 0xed ? 0x9f : p[0] == 0xf4 ? 0x8f : 0xbf;
    if (p[1] < low || p[1] > high) return 0;
    for (size_t i = 2; i < len; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    return len;
}

// Eight bytes at once, and each of their bytes a number.
static uint64_t eight(const char *p) {
    uint64_t w;
    pintle_copy_(&w, p, sizeof w);
    return w;
}

#define EACH(byte) ((uint64_t)(byte) * 0x0101010101010101)

// Whether one of eight bytes is below a number up to 128. It may also say so of the byte behind such a one.
static bool below(uint64_t w, uint8_t n) { return ((w - EACH(n)) & ~w & EACH(0x80)) != 0; }

const char *pintle_plain_(const char *p, const char *end) {
    for (; end - p >= 8; p += 8) {
        uint64_t w = eight(p);
        if (below(w, ' ') || below(w ^ EACH('"'), 1) || below(w ^ EACH('\\'), 1)) break;
    }
    while (p < end && (uint8_t)*p >= ' ' && *p != '"' && *p != '\\') p++;
    return p;
}

bool pintle_is_utf8_(const char *at, size_t n) {
    for (size_t i = 0; i < n;) {
        if (n - i >= 8 && (eight(at + i) & EACH(0x80)) == 0) {
            i += 8;
            continue;
        }
        size_t len = (uint8_t)at[i] < 0x80 ? 1 : pintle_utf8_(at + i, n - i);
        if (len == 0) return false;
        i += len;
    }
    return true;
}

static const char replacement[] = "\xef\xbf\xbd"; // U+FFFD

void pintle_add_utf8_(pintle_builder *b, pintle_text t) {
    size_t from = 0;
    for (size_t i = 0; i < t.len;) {
        size_t len = pintle_utf8_(t.at + i, t.len - i);
        if (len == 0) {
            pintle_add_bytes_(b, t.at + from, i - from);
            pintle_add_bytes_(b, replacement, 3);
            from = i + 1;
        }
        i += len == 0 ? 1 : len;
    }
    pintle_add_bytes_(b, t.at + from, t.len - from);
}

void pintle_add_json(pintle_builder *b, pintle_text t) {
    if (!pintle_is_utf8_(t.at, t.len)) {
        pintle_builder repaired = {0};
        pintle_add_utf8_(&repaired, t);
        t = pintle_built(&repaired);
    }
    pintle_add_bytes_(b, "\"", 1);
    const char *p = t.at, *end = t.at + t.len;
    for (;;) {
        const char *from = p;
        p = pintle_plain_(p, end);
        pintle_add_bytes_(b, from, (size_t)(p - from));
        if (p == end) break;
        uint8_t c = (uint8_t)*p++;
        char escape[] = {'\\', 'u', '0', '0', "0123456789abcdef"[c >> 4], "0123456789abcdef"[c & 15]};
        const char *found = NULL;
        for (const char *s = "\"\"\\\\\bb\tt\nn\ff\rr"; *s != 0; s += 2)
            if ((uint8_t)*s == c) found = s;
        if (found != NULL) escape[1] = found[1];
        pintle_add_bytes_(b, escape, found != NULL ? 2 : sizeof escape);
    }
    pintle_add_bytes_(b, "\"", 1);
}
