// The peer's guest, on the kernel interface of Extism: it answers what it is given. Input and output are
// in the kernel's memory, which a guest reads and writes eight bytes at a time.
//
// make guests-bench
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

#define IMPORT(name) __attribute__((import_module("extism:host/env"), import_name(#name)))

IMPORT(input_length) u64 input_length(void);
IMPORT(input_load_u8) u32 input_load_u8(u64 at);
IMPORT(input_load_u64) u64 input_load_u64(u64 at);
IMPORT(alloc) u64 kernel_alloc(u64 size);
IMPORT(store_u8) void store_u8(u64 at, u32 value);
IMPORT(store_u64) void store_u64(u64 at, u64 value);
IMPORT(output_set) void output_set(u64 at, u64 size);

enum { CAPACITY = 16 * 1024 };
static u64 text[CAPACITY / 8];

__attribute__((export_name("render"))) u32 render(void) {
    u64 n = input_length(), i = 0;
    u8 *bytes = (u8 *)text;
    if (n > CAPACITY) return 1;
    for (; i + 8 <= n; i += 8) text[i / 8] = input_load_u64(i);
    for (; i < n; i++) bytes[i] = input_load_u8(i);
    u64 to = kernel_alloc(n);
    for (i = 0; i + 8 <= n; i += 8) store_u64(to + i, text[i / 8]);
    for (; i < n; i++) store_u8(to + i, bytes[i]);
    output_set(to, n);
    return 0;
}
