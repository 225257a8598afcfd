// Editing a JSON document as text: what no edit names stays byte for byte.
#include "pintle_internal.h"

// The order in which edits of one list take effect.
enum { SET, PREPEND, REMOVE, APPEND };

// A change of a list's elements, or a plain replacement of what is between from and to.
struct pintle_cut {
    int what;
    pintle_json list;
    const char *from, *to; // from is NULL for what has no place among the elements
    pintle_text with;
};

typedef struct pintle_cut cut;

pintle_splice pintle_splice_of(pintle_text document) { return (pintle_splice){.document = document}; }

static void note(cut **cuts, size_t *count, size_t *cap, cut c) {
    *cuts = pintle_room_(*cuts, *count, cap, *count + 1, sizeof c);
    (*cuts)[(*count)++] = c;
}

static void add(pintle_splice *s, cut c) { note(&s->cuts_, &s->count_, &s->cap_, c); }

void pintle_splice_set(pintle_splice *s, pintle_json value, pintle_text with) {
    pintle_assert(value.at != NULL);
    add(s, (cut){SET, {0}, value.at, value.end, with});
}

void pintle_splice_remove(pintle_splice *s, pintle_json list, pintle_json element) {
    pintle_assert(element.at != NULL);
    add(s, (cut){REMOVE, list, element.at, element.end, {0}});
}

void pintle_splice_prepend(pintle_splice *s, pintle_json list, pintle_text element) {
    pintle_assert(pintle_json_kind(list) == PINTLE_LIST);
    add(s, (cut){PREPEND, list, NULL, NULL, element});
}

void pintle_splice_append(pintle_splice *s, pintle_json list, pintle_text element) {
    pintle_assert(pintle_json_kind(list) == PINTLE_LIST);
    add(s, (cut){APPEND, list, NULL, NULL, element});
}

void pintle_splice_put(pintle_splice *s, pintle_json object, const char *name, pintle_text value) {
    pintle_json member = pintle_json_member(object, name, NULL);
    if (member.at != NULL) {
        pintle_splice_set(s, member, value);
        return;
    }
    pintle_assert(pintle_json_kind(object) == PINTLE_MAP);
    pintle_builder b = {0};
    pintle_add_json(&b, pintle_text_of(name));
    pintle_add(&b, ":");
    pintle_add_text(&b, value);
    add(s, (cut){APPEND, object, NULL, NULL, pintle_built(&b)});
}

// Lists in the order of the document, each with its edits in the order of their effect.
static bool by_list(const void *one, const void *other) {
    const cut *a = one, *b = other;
    if (a->list.at != b->list.at) return a->list.at < b->list.at;
    return a->what != b->what ? a->what < b->what : a->from < b->from;
}

static bool by_place(const void *one, const void *other) {
    const cut *a = one, *b = other;
    return a->from != b->from ? a->from < b->from : a->to < b->to;
}

// A list of plain replacements in the making.
typedef struct {
    cut *cuts;
    size_t count, cap;
} plan;

// Replaces a range by new elements, with a comma in front or behind. A comma alone stays as it is.
static void replace(plan *p, const char *from, const char *to, pintle_text elements, bool front, bool behind) {
    pintle_builder b = {0};
    if (front) pintle_add(&b, ",");
    pintle_add_text(&b, elements);
    if (behind) pintle_add(&b, ",");
    cut c = {SET, {0}, from, to, pintle_built(&b)};
    if (!pintle_same(c.with, (pintle_text){from, (size_t)(to - from)})) note(&p->cuts, &p->count, &p->cap, c);
}

// Adds the new elements among n edits of the kind to those that wait for their place.
static size_t collect(const cut *edits, size_t n, int what, pintle_builder *waiting) {
    size_t i = 0;
    for (; i < n && edits[i].what == what; i++) {
        if (waiting->len > 0) pintle_add(waiting, ",");
        pintle_add_text(waiting, edits[i].with);
    }
    return i;
}

// An element has the white space around it, up to the commas and brackets. One that is removed goes with it, a
// new one has none, and between those that there are then stands a comma.
static void plan_list(plan *p, const cut *edits, size_t n) {
    pintle_json list = edits[0].list;
    pintle_builder waiting = {0};
    size_t i = collect(edits, n, PREPEND, &waiting);
    const char *begin = list.at + 1; // of the element with its white space
    const char *kept = begin;        // behind the last one that stays, or the bracket
    bool any = false;                // stays
    for (pintle_json_items it = pintle_json_items_of(list); pintle_json_next(&it);) {
        const char *end = pintle_space_(it.value.end, list.end);
        if (i < n && edits[i].what == REMOVE && edits[i].from == it.value.at) {
            i++;
        } else {
            replace(p, kept, begin, pintle_built(&waiting), any, waiting.len > 0);
            kept = end;
            any = true;
            waiting = (pintle_builder){0};
        }
        begin = end + 1;
    }
    i += collect(edits + i, n - i, APPEND, &waiting);
    if (i < n) pintle_panic_at(NULL, 0, "an edit removes what is not in the list, or removes it twice");
    replace(p, kept, list.end - 1, pintle_built(&waiting), any && waiting.len > 0, false);
}

pintle_text pintle_spliced(pintle_splice *s) {
    plan p = {0};
    pintle_sort_(s->cuts_, s->count_, sizeof *s->cuts_, by_list);
    for (size_t i = 0, n; i < s->count_; i += n) {
        n = 1;
        if (s->cuts_[i].what == SET) {
            note(&p.cuts, &p.count, &p.cap, s->cuts_[i]);
            continue;
        }
        while (i + n < s->count_ && s->cuts_[i + n].list.at == s->cuts_[i].list.at) n++;
        plan_list(&p, s->cuts_ + i, n);
    }
    if (p.count == 0) return (pintle_text){0};
    pintle_sort_(p.cuts, p.count, sizeof *p.cuts, by_place);
    const char *at = s->document.at;
    size_t size = s->document.len;
    for (size_t i = 0; i < p.count; i++) size += p.cuts[i].with.len;
    pintle_builder b = {pintle_take_(size), 0, size, false};
    for (size_t i = 0; i < p.count; i++) {
        if (p.cuts[i].from < at) pintle_panic_at(NULL, 0, "edits of a JSON document overlap");
        pintle_add_bytes_(&b, at, (size_t)(p.cuts[i].from - at));
        pintle_add_text(&b, p.cuts[i].with);
        at = p.cuts[i].to;
    }
    size_t rest = (size_t)(s->document.at + s->document.len - at);
    const char *first = p.cuts[0].from, *changed = b.at + (first - s->document.at);
    if (pintle_same_json_(first, at, changed, b.at + b.len)) return (pintle_text){0};
    pintle_add_bytes_(&b, at, rest);
    return pintle_built(&b);
}
