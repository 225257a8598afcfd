// A guest written from abi/ABI.md alone: no SDK, no C library. It renders one contribution, "echo/c",
// which repeats the prompt, and answers an error of its own if the host sent none.
//
// clang --target=wasm32 -nostdlib -Os -mbulk-memory -Wl,--no-entry -Wl,-z,stack-size=16384 -o guest.wasm guest.c
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

#define EXPORT(name) __attribute__((export_name(#name)))
#define IMPORT(name) __attribute__((import_module("pintle/1"), import_name(#name)))

IMPORT(log) void host_log(u32 level, const char *text, u32 len);
IMPORT(panic) void host_panic(const char *reason, u32 len);

enum { CAPACITY = 64 * 1024 };
static u8 request[CAPACITY], answer[CAPACITY + 32];

EXPORT(pintle_abi_1) void transport(void) {}

EXPORT(pintle_alloc) u8 *alloc(u32 size) { return size <= CAPACITY ? request : 0; }

// One CBOR item: its major type, its argument, and where its contents start.
struct item {
    u32 major;
    u64 arg;
    const u8 *body;
};

static struct item head(const u8 *p) {
    struct item it = {p[0] >> 5, p[0] & 31, p + 1};
    if (it.arg >= 24) {
        u32 n = 1u << (it.arg - 24); // 1, 2, 4 or 8 bytes
        for (it.arg = 0; n > 0; n--) it.arg = it.arg << 8 | *it.body++;
    }
    return it;
}

static const u8 *after(const u8 *p) {
    struct item it = head(p);
    switch (it.major) {
    case 2: // bytes
    case 3: // text
        return it.body + it.arg;
    case 5: // map
        it.arg *= 2; // fall through
    case 4: // list
        for (p = it.body; it.arg > 0; it.arg--) p = after(p);
        return p;
    }
    return it.body;
}

static int same(const u8 *a, const char *b, u64 n) {
    for (; n > 0; n--)
        if (*a++ != (u8)*b++) return 0;
    return *b == 0;
}

// find returns the value under a key of the request, which is a map with text keys.
static const u8 *find(const u8 *map, const char *key) {
    struct item it = head(map);
    const u8 *p = it.body;
    for (; it.arg > 0; it.arg--) {
        struct item k = head(p);
        const u8 *value = after(p);
        if (k.major == 3 && same(k.body, key, k.arg)) return value;
        p = after(value);
    }
    return 0;
}

static u8 *put(u8 *out, const void *from, u64 n) {
    for (const u8 *p = from; n > 0; n--) *out++ = *p++;
    return out;
}

static u64 pack(const u8 *end) { return (u64)(u32)answer << 32 | (u32)(end - answer); }

EXPORT(developer_messages_v1_render) u64 render(const u8 *map, u32 len) {
    (void)len;
    const u8 *prompt = find(map, "prompt");
    if (!prompt) {
        // [2, {"code": "no-prompt", "message": "nothing to echo"}]
        static const char failure[] = "\x82\x02\xa2\x64" "code\x69" "no-prompt\x67" "message\x6f" "nothing to echo";
        return pack(put(answer, failure, sizeof failure - 1));
    }
    struct item text = head(prompt);
    if (text.major != 3) {
        static const char reason[] = "prompt is not a text";
        host_panic(reason, sizeof reason - 1);
        __builtin_trap();
    }
    static const char note[] = "echoing";
    host_log(0, note, sizeof note - 1);
    // [1, "C heard: …"], the length in four bytes
    static const char prefix[] = "C heard: ";
    u64 n = sizeof prefix - 1 + text.arg;
    u8 start[] = {0x82, 0x01, 0x7a, n >> 24, n >> 16, n >> 8, n};
    u8 *out = put(answer, start, sizeof start);
    out = put(out, prefix, sizeof prefix - 1);
    return pack(put(out, text.body, text.arg));
}
