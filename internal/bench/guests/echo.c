// The small guest of the comparison: one contribution, "echo", that answers the prompt it is given. With
// BALLAST it has as many bytes of memory more, all of which its initialiser fills.
//
// make guests-bench
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

#define EXPORT(name) __attribute__((export_name(#name)))

enum { CAPACITY = 16 * 1024 };
static u8 request[CAPACITY], answer[CAPACITY];

#ifdef BALLAST
static volatile u8 ballast[BALLAST]; // or the compiler would leave it out

EXPORT(_initialize) void initialize(void) {
    for (u32 i = 0; i < BALLAST; i++) ballast[i] = (u8)(i * 7 + 1);
}
#endif

EXPORT(pintle_abi_1) void transport(void) {}

EXPORT(pintle_alloc) u8 *alloc(u32 size) { return size <= CAPACITY ? request : 0; }

// length reads the argument of a CBOR item and moves behind it.
static u32 length(const u8 **p) {
    u32 n = *(*p)++ & 31;
    if (n < 24) return n;
    u32 arg = 0;
    for (n = 1u << (n - 24); n > 0; n--) arg = arg << 8 | *(*p)++;
    return arg;
}

// The request is a map with the texts "id" and "prompt", in this order; nothing else is asked for.
EXPORT(developer_messages_v1_render) u64 render(const u8 *p, u32 len) {
    (void)len;
    length(&p);
    for (int skip = 0; skip < 3; skip++) { // "id", its value, "prompt"
        u32 n = length(&p);
        p += n;
    }
    u32 n = length(&p);
    u8 start[] = {0x82, 0x01, 0x7a, n >> 24, n >> 16, n >> 8, n}; // [1, text of n bytes]
    __builtin_memcpy(answer, start, sizeof start);
    __builtin_memcpy(answer + sizeof start, p, n);
    return (u64)(u32)answer << 32 | (u32)(sizeof start + n);
}
