// Adapters of both versions: their requests, views and edits.
#include "pintle_internal.h"

static pintle_address address_of(pintle_value v) {
    pintle_items it = pintle_items_of(v);
    size_t count = pintle_count(v);
    pintle_step *steps = pintle_new(count * sizeof *steps);
    while (pintle_next(&it)) {
        int64_t index;
        pintle_step *s = &steps[it.index];
        s->name = pintle_as_text(it.value);
        if (!pintle_has(s->name) && pintle_as_integer(it.value, &index) && index >= 0 && index <= UINT32_MAX)
            s->index = (uint32_t)index;
    }
    return (pintle_address){steps, count};
}

static pintle_request decode(pintle_value v) {
    pintle_request r = {
        .id = pintle_as_text(pintle_get(v, "id")),
        .provider = pintle_as_text(pintle_get(v, "provider")),
        .api = pintle_as_text(pintle_get(v, "api")),
        .payload = pintle_as_bytes(pintle_get(v, "payload")),
        .system_prompt = pintle_as_text(pintle_get(v, "systemPrompt")),
    };
    pintle_value list = pintle_get_list_(v, "messages");
    pintle_message *messages = pintle_new(pintle_count(list) * sizeof *messages);
    for (pintle_items it = pintle_items_of(list); pintle_next(&it); r.message_count++) {
        messages[it.index].id = pintle_as_text(pintle_get(it.value, "id"));
        messages[it.index].content = pintle_as_text(pintle_get(it.value, "content"));
    }
    r.messages = messages;
    list = pintle_get_list_(v, "view");
    pintle_entry *view = pintle_new(pintle_count(list) * sizeof *view);
    for (pintle_items it = pintle_items_of(list); pintle_next(&it); r.view_count++) {
        view[it.index].at = address_of(pintle_get_list_(it.value, "at"));
        view[it.index].value = pintle_get(it.value, "value");
    }
    r.view = view;
    return r;
}

uint64_t pintle_read_v1_(const pintle_adapter_v1 *table, size_t n, const uint8_t *request, size_t len) {
    pintle_value v;
    pintle_answer answer;
    pintle_table_ all = {table, n, sizeof *table, "adapter"};
    const pintle_adapter_v1 *a = pintle_find_(all, request, len, &v, &answer);
    if (a != NULL) {
        pintle_request r = decode(v);
        answer = a->read_system_prompt(&r);
    }
    return pintle_reply_(answer, PINTLE_MAJOR_TEXT);
}

uint64_t pintle_replace_v1_(const pintle_adapter_v1 *table, size_t n, const uint8_t *request, size_t len) {
    pintle_value v;
    pintle_answer answer;
    pintle_table_ all = {table, n, sizeof *table, "adapter"};
    const pintle_adapter_v1 *a = pintle_find_(all, request, len, &v, &answer);
    if (a != NULL) {
        pintle_request r = decode(v);
        answer = a->replace_system_prompt(&r);
    }
    return pintle_reply_(answer, PINTLE_MAJOR_BYTES);
}

uint64_t pintle_place_v1_(const pintle_developer_v1 *table, size_t n, const uint8_t *request, size_t len) {
    pintle_value v;
    pintle_answer answer;
    pintle_table_ all = {table, n, sizeof *table, "developer messages of adapter"};
    const pintle_developer_v1 *d = pintle_find_(all, request, len, &v, &answer);
    if (d != NULL) {
        pintle_request r = decode(v);
        answer = d->replace_developer_messages(&r);
    }
    return pintle_reply_(answer, PINTLE_MAJOR_BYTES);
}

uint64_t pintle_edit_v2_(const pintle_adapter_v2 *table, size_t n, const uint8_t *request, size_t len) {
    pintle_value v;
    pintle_answer answer;
    pintle_table_ all = {table, n, sizeof *table, "adapter"};
    const pintle_adapter_v2 *a = pintle_find_(all, request, len, &v, &answer);
    if (a != NULL) {
        pintle_request r = decode(v);
        answer = a->edit(&r);
    }
    return pintle_reply_(answer, PINTLE_MAJOR_MAP);
}

// ---- Views ----

static pintle_address step(pintle_address of, pintle_step last) {
    pintle_step *steps = pintle_new((of.count + 1) * sizeof *steps);
    if (of.count > 0) pintle_copy_(steps, of.steps, of.count * sizeof *steps);
    steps[of.count] = last;
    return (pintle_address){steps, of.count + 1};
}

pintle_address pintle_member(pintle_address of, const char *name) {
    return step(of, (pintle_step){pintle_text_of(name), 0});
}

pintle_address pintle_element(pintle_address of, size_t index) {
    pintle_assert(index <= UINT32_MAX);
    return step(of, (pintle_step){{0}, (uint32_t)index});
}

bool pintle_at(pintle_address a, size_t step, const char *name) {
    return step < a.count && pintle_is(a.steps[step].name, name);
}

pintle_seen pintle_see(pintle_value v) {
    pintle_seen s = {.kind = pintle_kind_of(v)};
    int64_t n;
    switch (s.kind) {
    case PINTLE_STRING:
        s.text = pintle_as_text(v);
        s.bytes = s.text.len;
        return s;
    case PINTLE_BOOL: pintle_as_bool(v, &s.boolean); return s;
    case PINTLE_NUMBER: pintle_as_number(v, &s.number); return s;
    case PINTLE_NULL: return s;
    case PINTLE_MAP: break;
    default: s.kind = PINTLE_ABSENT; return s;
    }
    pintle_text head = pintle_as_text(pintle_get(v, "head"));
    s.members = pintle_get(v, "object");
    if (pintle_as_integer(pintle_get(v, "list"), &n) && n >= 0) {
        s.kind = PINTLE_LIST;
        s.length = (size_t)n;
    } else if (pintle_has(head)) {
        s.kind = PINTLE_STRING;
        s.clipped = true;
        s.text = head;
        s.tail = pintle_as_text(pintle_get(v, "tail"));
        if (pintle_as_integer(pintle_get(v, "bytes"), &n) && n >= 0) s.bytes = (size_t)n;
    } else if (pintle_kind_of(s.members) != PINTLE_MAP) {
        s.kind = PINTLE_ABSENT;
    }
    return s;
}

pintle_seen pintle_see_member(pintle_seen object, const char *name) {
    return pintle_see(pintle_get(object.members, name));
}

// ---- Edits ----

static void add_address(pintle_builder *b, pintle_address a) {
    pintle_add_head_(b, PINTLE_MAJOR_LIST, a.count);
    for (size_t i = 0; i < a.count; i++) {
        if (pintle_has(a.steps[i].name))
            pintle_add_item_(b, PINTLE_MAJOR_TEXT, a.steps[i].name);
        else
            pintle_add_head_(b, PINTLE_MAJOR_UINT, a.steps[i].index);
    }
}

static void edit(pintle_edit_list *e, const char *op, pintle_address at, pintle_text value, bool has_value) {
    if (has_value && !pintle_has(value)) pintle_panic_at(NULL, 0, "an edit needs a value, and it is absent");
    pintle_builder *b = &e->cbor_;
    pintle_add_head_(b, PINTLE_MAJOR_MAP, has_value ? 3 : 2);
    pintle_add_item_(b, PINTLE_MAJOR_TEXT, PINTLE_TEXT("at"));
    add_address(b, at);
    pintle_add_item_(b, PINTLE_MAJOR_TEXT, PINTLE_TEXT("op"));
    pintle_add_item_(b, PINTLE_MAJOR_TEXT, pintle_text_of(op));
    if (has_value) {
        pintle_add_item_(b, PINTLE_MAJOR_TEXT, PINTLE_TEXT("value"));
        pintle_add_item_(b, PINTLE_MAJOR_BYTES, value);
    }
    e->count_++;
}

void pintle_set(pintle_edit_list *e, pintle_address at, pintle_text value) {
    edit(e, "set", at, value, true);
}

void pintle_insert(pintle_edit_list *e, pintle_address at, pintle_text value) {
    edit(e, "insert", at, value, true);
}

void pintle_append(pintle_edit_list *e, pintle_address at, pintle_text value) {
    edit(e, "append", at, value, true);
}

void pintle_remove(pintle_edit_list *e, pintle_address at) { edit(e, "remove", at, (pintle_text){0}, false); }

static void add_edits(pintle_builder *b, const pintle_edit_list *e) {
    pintle_add_item_(b, PINTLE_MAJOR_TEXT, PINTLE_TEXT("edits"));
    pintle_add_head_(b, PINTLE_MAJOR_LIST, e->count_);
    pintle_add_text(b, pintle_built(&e->cbor_));
}

pintle_answer pintle_say_edits(const pintle_edits *e) {
    bool has_messages = e->messages.count_ > 0;
    if (!e->has_prompt && !has_messages) return pintle_nothing();
    pintle_builder b = {0};
    pintle_add_head_(&b, PINTLE_MAJOR_MAP, e->has_prompt && has_messages ? 2 : 1);
    if (e->has_prompt) {
        pintle_add_item_(&b, PINTLE_MAJOR_TEXT, PINTLE_TEXT("prompt"));
        pintle_add_head_(&b, PINTLE_MAJOR_MAP, 2);
        pintle_add_item_(&b, PINTLE_MAJOR_TEXT, PINTLE_TEXT("at"));
        add_address(&b, e->prompt_at);
        add_edits(&b, &e->prompt);
    }
    if (has_messages) {
        pintle_add_item_(&b, PINTLE_MAJOR_TEXT, PINTLE_TEXT("messages"));
        pintle_add_head_(&b, PINTLE_MAJOR_MAP, 1);
        add_edits(&b, &e->messages);
    }
    return (pintle_answer){PINTLE_SAYS_EDITS, pintle_built(&b), {0}};
}

pintle_answer pintle_use_v1(const char *reason) { return pintle_fail("use-v1", "%s", reason); }
