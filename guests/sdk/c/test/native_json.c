// Tests of reading and editing JSON.
#include <stdlib.h>
#include <string.h>

#include "native.h"

// Opens a document in memory of exactly its size, which lives until the program ends.
static pintle_text document(const char *s, size_t len) {
    static char *all[4096];
    static size_t count;
    char *exact = malloc(len == 0 ? 1 : len);
    memcpy(exact, s, len);
    if (count < sizeof all / sizeof *all) all[count++] = exact;
    return (pintle_text){exact, len};
}

#define OPEN(literal) pintle_json_open(document(literal, sizeof literal - 1))

static void test_grammar(void) {
    const char *good[] = {"0", "-0", "-1.5e+3", "1E9", "10", "\"\"", "\"\\u00e9\\n\\/\"", "true", "false", "null", "[]", "{}", " [ ] ", "[1 , 2]",
                          "{\"a\":1 , \"b\" : [ { } ] }", "[[[[]]]]", "\"\xff\"", "\"\x7f\""};
    const char *bad[] = {"", " ", "01", "-", "1.", ".5", "1e", "+1", "\"", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\n\"", "tru", "nul",
                         "truex", "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,}", "{a:1}", "{1:1}",
                         "{\"a\" 1}", "[}", "{]", "[1}", "{\"a\":1]", "1 2", "[]]", "NaN", "'a'", "\xef\xbb\xbf[]"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (pintle_json_open(document(good[i], strlen(good[i]))).at == NULL) check(false, good[i], __LINE__);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (pintle_json_open(document(bad[i], strlen(bad[i]))).at != NULL) check(false, bad[i], __LINE__);
    CHECK(pintle_json_open((pintle_text){0}).at == NULL);
    static char deep[20003];
    for (size_t n = 10000; n <= 10001; n++) {
        memset(deep, '[', n);
        memset(deep + n, ']', n);
        CHECK((pintle_json_open(document(deep, 2 * n)).at != NULL) == (n == 10000));
    }
}

static void test_strings(void) {
    pintle_json v = OPEN("{\"a\\u0062\":\"x\\ud83d\\udea2\\\\\\\"\\/\\t\\u00e9\", \"lone\":\"\\udea2\\ud83d\\ud83d\\u0041\\udea2\", \"plain\":\"pl\xc3\xa9\", \"bad\":\"\xff\"}");
    CHECK(pintle_json_kind(v) == PINTLE_MAP);
    pintle_json ab = pintle_json_member(v, "ab", NULL);
    SAME(pintle_json_text(ab), "x\xf0\x9f\x9a\xa2\\\"/\t\xc3\xa9");
    CHECK(pintle_json_is(ab, "x\xf0\x9f\x9a\xa2\\\"/\t\xc3\xa9") && !pintle_json_is(ab, "x") && !pintle_json_is(ab, "x\xf0\x9f\x9a\xa2\\\"/\t\xc3\xa9."));
    pintle_json lone = pintle_json_member(v, "lone", NULL);
    SAME(pintle_json_text(lone), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" "A\xef\xbf\xbd");
    CHECK(!pintle_json_is(lone, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" "A\xef\xbf\xbd"));
    pintle_json plain = pintle_json_member(v, "plain", NULL);
    CHECK(pintle_json_text(plain).at == plain.at + 1); // not copied
    SAME(pintle_json_text(pintle_json_member(v, "bad", NULL)), "\xef\xbf\xbd");
    CHECK(!pintle_has(pintle_json_text(v)) && !pintle_json_is(v, "") && !pintle_has(pintle_json_text((pintle_json){0})));
    SAME(pintle_json_raw(plain), "\"pl\xc3\xa9\"");
    CHECK(pintle_json_is(OPEN("\"\""), "") && pintle_json_is(OPEN("\"\\u0000\""), "") == false);

    bool twice = false;
    v = OPEN("{\"a\":1,\"b\":2,\"\\u0061\":3}");
    SAME(pintle_json_raw(pintle_json_member(v, "b", &twice)), "2");
    CHECK(!twice);
    SAME(pintle_json_raw(pintle_json_member(v, "a", &twice)), "3");
    CHECK(twice);
    CHECK(pintle_json_member(v, "c", &twice).at == NULL && pintle_json_member(OPEN("[1]"), "c", NULL).at == NULL);
    size_t n = 0;
    const pintle_kind kinds[] = {PINTLE_NULL, PINTLE_LIST, PINTLE_MAP, PINTLE_STRING};
    for (pintle_json_items it = pintle_json_items_of(OPEN("[ null , [1, 2] ,{\"a\":[]}, \"]\" ]")); pintle_json_next(&it); n++)
        CHECK(pintle_json_kind(it.value) == kinds[n]);
    CHECK(n == 4);
    CHECK(!pintle_json_next(&(pintle_json_items){0}));
}

// Each letter of plan is an element of the list in member l: k keeps it, x removes it, s sets it.
static pintle_text edited(const char *doc, const char *plan, int front, int behind) {
    pintle_text text = document(doc, strlen(doc));
    pintle_json list = pintle_json_member(pintle_json_open(text), "l", NULL);
    pintle_splice s = pintle_splice_of(text);
    for (int i = 0; i < behind; i++) pintle_splice_append(&s, list, pintle_text_of(i == 0 ? "\"b0\"" : "\"b1\""));
    for (pintle_json_items it = pintle_json_items_of(list); pintle_json_next(&it); plan++) {
        if (*plan == 'x') pintle_splice_remove(&s, list, it.value);
        if (*plan == 's') pintle_splice_set(&s, it.value, PINTLE_TEXT("\"s\""));
    }
    for (int i = 0; i < front; i++) pintle_splice_prepend(&s, list, pintle_text_of(i == 0 ? "\"f0\"" : "\"f1\""));
    return pintle_spliced(&s);
}

static void test_splices(void) {
    SAME(edited(" {\"l\": [ 1 , 2 , 3 ] } ", "xkk", 0, 0), " {\"l\": [ 2 , 3 ] } ");
    SAME(edited("{\"l\": [ 1 , 2 ,  3 ]}", "kxk", 0, 0), "{\"l\": [ 1 ,  3 ]}");
    SAME(edited("{\"l\":[ 1 , 2\n]}", "kx", 0, 0), "{\"l\":[ 1 ]}");
    SAME(edited("{\"l\":[ 1 , 2 ]}", "xx", 0, 0), "{\"l\":[]}");
    SAME(edited("{\"l\":[ 1]}", "k", 2, 0), "{\"l\":[\"f0\",\"f1\", 1]}");
    SAME(edited("{\"l\":[ ]}", "", 1, 0), "{\"l\":[\"f0\"]}");
    SAME(edited("{\"l\":[ ]}", "", 1, 2), "{\"l\":[\"f0\",\"b0\",\"b1\"]}");
    SAME(edited("{\"l\":[1 ]}", "k", 0, 1), "{\"l\":[1 ,\"b0\"]}");
    SAME(edited("{\"l\":[1, 2]}", "xx", 1, 1), "{\"l\":[\"f0\",\"b0\"]}");
    SAME(edited("{\"l\":[1, 2, 3]}", "xsx", 1, 1), "{\"l\":[\"f0\", \"s\",\"b0\"]}");
    SAME(edited("{\"n\":-0.10,\"l\":[1.0, 1E2, \"\\ud800\", 2]}", "kkkx", 0, 0), "{\"n\":-0.10,\"l\":[1.0, 1E2, \"\\ud800\"]}");
    CHECK(!pintle_has(edited("{\"l\":[\"f0\", 1]}", "xk", 1, 0))); // the same again
    CHECK(!pintle_has(edited("{\"l\":[ \"\\u0066\\u0030\" ]}", "x", 1, 0)));
    CHECK(pintle_has(edited("{\"l\":[1.0,1]}", "xk", 0, 0)) && !pintle_has(edited("{\"l\":[\"s\"]}", "s", 0, 0)));

    pintle_text text = document("{\"a\":{} ,\"n\":1.0}", 17);
    pintle_json top = pintle_json_open(text);
    pintle_splice s = pintle_splice_of(text);
    pintle_splice_put(&s, top, "n", PINTLE_TEXT("2"));
    pintle_splice_put(&s, top, "x\"", PINTLE_TEXT("[]"));
    pintle_splice_put(&s, pintle_json_member(top, "a", NULL), "b", PINTLE_TEXT("0"));
    SAME(pintle_spliced(&s), "{\"a\":{\"b\":0} ,\"n\":2,\"x\\\"\":[]}");
    s = pintle_splice_of(text);
    CHECK(!pintle_has(pintle_spliced(&s)));
}

void test_json(void) {
    test_grammar();
    test_strings();
    test_splices();
}
