// Tests of reading CBOR.
#include <math.h>
#include <string.h>

#include "native.h"

static pintle_value value(const char *bytes, size_t len) { return (pintle_value){(const uint8_t *)bytes, (const uint8_t *)bytes + len}; }
static bool valid(const char *bytes, size_t len) { return pintle_check_((const uint8_t *)bytes, len); }

#define VALUE(literal) value(literal, sizeof literal - 1)
#define VALID(literal) valid(literal, sizeof literal - 1)

static double number(pintle_value v) {
    double d = 4711;
    return pintle_as_number(v, &d) ? d : -4711;
}

static int64_t integer(pintle_value v) {
    int64_t n = 4711;
    return pintle_as_integer(v, &n) ? n : -4711;
}

static void test_numbers(void) {
    CHECK(number(VALUE("\x17")) == 23 && integer(VALUE("\x17")) == 23);
    CHECK(number(VALUE("\x18\x05")) == 5 && number(VALUE("\x19\x01\x00")) == 256);
    CHECK(integer(VALUE("\x1a\x00\x00\x00\x07")) == 7 && integer(VALUE("\x1b\0\0\0\0\0\0\0\x08")) == 8);
    CHECK(integer(VALUE("\x1b\x7f\xff\xff\xff\xff\xff\xff\xff")) == INT64_MAX);
    CHECK(integer(VALUE("\x1b\x80\0\0\0\0\0\0\0")) == -4711 && number(VALUE("\x1b\x80\0\0\0\0\0\0\0")) == 9223372036854775808.0);
    CHECK(integer(VALUE("\x20")) == -1 && number(VALUE("\x38\x63")) == -100);
    CHECK(integer(VALUE("\x3b\x7f\xff\xff\xff\xff\xff\xff\xff")) == INT64_MIN && integer(VALUE("\x3b\x80\0\0\0\0\0\0\0")) == -4711);
    CHECK(number(VALUE("\xf9\x3c\x00")) == 1 && number(VALUE("\xf9\xc5\x00")) == -5 && number(VALUE("\xf9\x00\x01")) == ldexp(1, -24));
    CHECK(number(VALUE("\xf9\x7b\xff")) == 65504 && isinf(number(VALUE("\xf9\xfc\x00"))) && isnan(number(VALUE("\xf9\x7e\x00"))));
    CHECK(number(VALUE("\xfa\x3f\xc0\x00\x00")) == 1.5 && number(VALUE("\xfb\x3f\xf8\0\0\0\0\0\0")) == 1.5);
    CHECK(integer(VALUE("\xf9\x3e\x00")) == -4711 && integer(VALUE("\xfa\x40\x40\x00\x00")) == 3);
    CHECK(integer(VALUE("\xfb\x43\xe0\0\0\0\0\0\0")) == -4711 && integer(VALUE("\xfb\xc3\xe0\0\0\0\0\0\0")) == INT64_MIN);
    CHECK(integer(VALUE("\xf9\x7e\x00")) == -4711 && number(VALUE("\xf6")) == -4711 && number(VALUE("\x61\x31")) == -4711);
}

static void test_messages(void) {
    CHECK(VALID("\xa0") && VALID("\x80") && VALID("\xf6") && VALID("\x5b\0\0\0\0\0\0\0\x01x") && VALID("\xa1\x00\x01"));
    CHECK(!VALID("") && !VALID("\xa0\x00") && !VALID("\x18") && !VALID("\x62" "a") && !VALID("\x82\x00") && !VALID("\xa1\x61" "a"));
    CHECK(!VALID("\x5f\x41" "a\xff") && !VALID("\x9f\xff") && !VALID("\xbf\xff") && !VALID("\xc0") && !VALID("\xc0\x60") && !VALID("\xf7") && !VALID("\xf8\x20"));
    CHECK(!VALID("\x1c") && !VALID("\xff") && !VALID("\xf3") && !VALID("\x7b\xff\xff\xff\xff\xff\xff\xff\xff"));
    CHECK(!VALID("\xa1\x20\x00") && !VALID("\xa1\x41" "a\x00") && !VALID("\xa1\x80\x00"));
    CHECK(!VALID("\x61\xff") && !VALID("\x63\xed\xa0\x80") && !VALID("\x62\xc0\x80") && !VALID("\x64\xf4\x90\x80\x80") && VALID("\x64\xf0\x9f\x9a\xa2"));
    CHECK(!VALID("\x9a\x00\x02\x00\x01") && !VALID("\xbb\x80\0\0\0\0\0\0\0"));
    // The same key twice, however it is written, in maps that are sorted and in others.
    CHECK(!VALID("\xa2\x61" "a\x00\x61" "a\x00") && !VALID("\xa2\x61" "a\x00\x78\x01" "a\x00") && !VALID("\xa2\x01\x00\x18\x01\x00"));
    CHECK(!VALID("\xa3\x61" "b\x00\x61" "a\x00\x61" "b\x00") && VALID("\xa3\x61" "b\x00\x61" "a\x00\x61" "c\x00"));
    CHECK(VALID("\xa3\x61" "b\xa1\x61" "b\x00\x61" "a\x00\x01\x00") && !VALID("\x81\xa1\x61" "b\xa2\x61" "c\x00\x61" "c\x00"));
    CHECK(VALID("\xa2\x00\x00\x60\x00") && VALID("\xa2\x60\x00\x00\x00") && VALID("\xa2\x62" "ab\x00\x62" "aa\x00"));
    char nested[40];
    memset(nested, '\x81', sizeof nested);
    nested[32] = 0;
    CHECK(valid(nested, 33));
    nested[32] = '\x81', nested[33] = 0;
    CHECK(!valid(nested, 34));
}

static void test_lookups(void) {
    pintle_value map = VALUE("\xa4\x61" "a\x82\x01\x61" "x\x05\x06\x61" "b\xf5\x61" "c\xf6");
    CHECK(pintle_kind_of(map) == PINTLE_MAP && pintle_count(map) == 4);
    CHECK(pintle_kind_of(pintle_get(map, "a")) == PINTLE_LIST && pintle_kind_of(pintle_get(map, "c")) == PINTLE_NULL);
    CHECK(pintle_kind_of(pintle_get(map, "d")) == PINTLE_ABSENT && pintle_kind_of(pintle_get(pintle_get(map, "d"), "e")) == PINTLE_ABSENT);
    CHECK(pintle_kind_of(pintle_get(pintle_get(map, "a"), "a")) == PINTLE_ABSENT);
    bool b = false;
    CHECK(pintle_as_bool(pintle_get(map, "b"), &b) && b && !pintle_as_bool(pintle_get(map, "c"), &b));
    size_t n = 0;
    for (pintle_items it = pintle_items_of(map); pintle_next(&it); n++) {
        CHECK(it.index == n);
        CHECK(pintle_has(it.key) == (n != 1));
    }
    CHECK(n == 4);
    n = 0;
    for (pintle_items it = pintle_items_of(pintle_get(map, "a")); pintle_next(&it); n++)
        CHECK(n == 0 ? integer(it.value) == 1 : pintle_is(pintle_as_text(it.value), "x"));
    CHECK(n == 2);
    n = 0; // a value that nobody checked ends where it is cut off
    for (pintle_items it = pintle_items_of(VALUE("\x83\x01\x62" "a")); pintle_next(&it);) n++;
    CHECK(n == 1);
    CHECK(!pintle_has(pintle_as_text(VALUE("\x41" "a"))) && pintle_is(pintle_as_bytes(VALUE("\x41" "a")), "a"));
    CHECK(!pintle_has(pintle_as_text(VALUE("\x62" "a"))) && !pintle_has(pintle_as_text((pintle_value){0})));
    CHECK(pintle_has(pintle_as_text(VALUE("\x60"))));

    // Heads of every length, in both directions.
    const uint64_t args[] = {0, 23, 24, 255, 256, 65535, 65536, UINT32_MAX, (uint64_t)UINT32_MAX + 1, UINT64_MAX};
    const size_t lengths[] = {1, 1, 2, 2, 3, 3, 5, 5, 9, 9};
    for (size_t i = 0; i < sizeof args / sizeof *args; i++) {
        pintle_builder out = {0};
        pintle_head_ h;
        pintle_add_head_(&out, PINTLE_MAJOR_UINT, args[i]);
        CHECK(out.len == lengths[i] && pintle_read_head_(value(out.at, out.len), &h) && h.arg == args[i]);
    }
}

static void test_views(void) {
    pintle_seen s = pintle_see(VALUE("\x62" "hi"));
    CHECK(s.kind == PINTLE_STRING && !s.clipped && s.bytes == 2 && pintle_is(s.text, "hi"));
    s = pintle_see(VALUE("\xa3\x64" "head\x61" "a\x64" "tail\x61" "z\x65" "bytes\x18\x50"));
    CHECK(s.kind == PINTLE_STRING && s.clipped && s.bytes == 80 && pintle_is(s.text, "a") && pintle_is(s.tail, "z"));
    s = pintle_see(VALUE("\xa1\x64" "list\x03"));
    CHECK(s.kind == PINTLE_LIST && s.length == 3);
    s = pintle_see(VALUE("\xa1\x66" "object\xa2\x61" "a\xf5\x61" "b\xa1\x66" "object\xa0"));
    CHECK(s.kind == PINTLE_MAP && pintle_see_member(s, "a").boolean && pintle_see_member(s, "b").kind == PINTLE_MAP);
    CHECK(pintle_see_member(s, "c").kind == PINTLE_ABSENT && pintle_see_member(pintle_see((pintle_value){0}), "c").kind == PINTLE_ABSENT);
    CHECK(pintle_see(VALUE("\xf9\x3e\x00")).number == 1.5 && pintle_see(VALUE("\xf6")).kind == PINTLE_NULL);
    CHECK(pintle_see(VALUE("\x41" "a")).kind == PINTLE_ABSENT && pintle_see(VALUE("\xa0")).kind == PINTLE_ABSENT);

    pintle_address at = pintle_element(pintle_member((pintle_address){0}, "input"), 300);
    CHECK(at.count == 2 && pintle_at(at, 0, "input") && !pintle_at(at, 1, "input") && !pintle_at(at, 2, "input"));
    pintle_edits e = {.has_prompt = true, .prompt_at = pintle_member((pintle_address){0}, "p")};
    pintle_set(&e.prompt, e.prompt_at, PINTLE_TEXT("1"));
    pintle_remove(&e.messages, at);
    pintle_insert(&e.messages, at, PINTLE_TEXT("[]"));
    SAME(pintle_say_edits(&e).value_,
         "\xa2\x66" "prompt\xa2\x62" "at\x81\x61" "p\x65" "edits\x81\xa3\x62" "at\x81\x61" "p\x62" "op\x63" "set\x65" "value\x41" "1"
         "\x68" "messages\xa1\x65" "edits\x82\xa2\x62" "at\x82\x65" "input\x19\x01\x2c\x62" "op\x66" "remove"
         "\xa3\x62" "at\x82\x65" "input\x19\x01\x2c\x62" "op\x66" "insert\x65" "value\x42[]");
    e.has_prompt = false;
    CHECK(pintle_say_edits(&e).value_.at[0] == '\xa1');
    e.has_prompt = true;
    e.messages = (pintle_edit_list){0};
    CHECK(pintle_say_edits(&e).value_.at[0] == '\xa1');
    CHECK(pintle_say_edits(&(pintle_edits){0}).kind_ == PINTLE_SAYS_NOTHING);
    CHECK(pintle_is(pintle_use_v1("why").code_, "use-v1"));
}

void test_values(void) {
    test_numbers();
    test_messages();
    test_lookups();
    test_views();
}
