// The host's calls: one request in, one answer out.
import { begin, kind, log, said } from "./host.js";
import { contextOf } from "./context.js";
import { adapter, contribution, editor, ids } from "./registry.js";
import { changes, parsed } from "./payload.js";
import { BadAnswer, UseV1, answered } from "./edit.js";

// The forms of an answer.
const nothing = "0";
const text = (t) => `1${t.toWellFormed()}`;
const failure = (code, message) => `2${JSON.stringify({ code, message: message.toWellFormed() })}`;
const edits = (answer) => `3${JSON.stringify(answer)}`;
const payloadEdits = (list) => `4${JSON.stringify(list)}`;
const waiting = ".";

const finish = (answer) => (said() ? `+${answer}` : answer);

let pending; // the promise that an author's function answered, as far as it has settled

export function call(op, request, payload, kv) {
  begin(kv);
  pending = undefined;
  const handler = operations[op];
  if (!handler) return failure("unknown-operation", `this guest does not know the operation ${op}`);
  const r = JSON.parse(request);
  const { value, encode } = handler(r, payload);
  if (typeof value?.then !== "function") return finish(form(encode, value));
  const mine = { encode };
  pending = mine;
  Promise.resolve(value).then(
    (v) => Object.assign(mine, { done: true, value: v }),
    (reason) => Object.assign(mine, { failed: true, reason }),
  );
  return finish(waiting);
}

// settled answers for a promise, or throws what it was rejected with.
export function settled() {
  if (pending?.failed) throw pending.reason;
  return finish(pending?.done ? form(pending.encode, pending.value) : waiting);
}

function form(encode, value) {
  try {
    return encode(value);
  } catch (error) {
    if (error instanceof BadAnswer) return failure("bad-answer", error.message);
    throw error;
  }
}

const answer = (value, encode) => ({ value, encode });
const fixed = (form) => answer(undefined, () => form);

const unknown = (what, id) => {
  const known = ids();
  return fixed(failure("unknown-id", `no ${what} ${id}; registered are: ${known.length > 0 ? known.join(", ") : "none"}`));
};

const textOrNothing = (what) => (value) => {
  if (value === undefined || value === null) return nothing;
  if (typeof value === "string") return text(value);
  return failure("not-a-text", `${what} answered ${kind(value)} instead of a text or undefined`);
};

function render(r) {
  const entry = contribution(r.id);
  if (!entry) return unknown("contribution", r.id);
  const content = typeof entry.content === "function" ? entry.content(contextOf(r.id, r)) : entry.content;
  return answer(content, textOrNothing(`content of contribution ${JSON.stringify(r.id)}`));
}

// withPayload serves an operation of an adapter of version 1. A payload that cannot be read is left alone:
// it is not the guest's fault.
const withPayload = (serve) => (r, payload) => {
  const found = adapter(r.id);
  if (!found) return unknown("adapter", r.id);
  if (found.enabled && found.enabled(r.provider, r.api || undefined, undefined) === false) return fixed(nothing);
  let before;
  try {
    before = parsed(payload);
  } catch (error) {
    log("warn", `adapter ${JSON.stringify(r.id)}: the payload is left alone: ${error}`);
    return fixed(nothing);
  }
  return serve(found, before, r, payload);
};

function read(found, before, r) {
  return answer(found.readSystemPrompt(before), textOrNothing(`readSystemPrompt of adapter ${JSON.stringify(r.id)}`));
}

const replaced = (before, payload, who) => (after) => {
  const list = after === undefined ? [] : changes(before, after, payload, who);
  return list.length > 0 ? payloadEdits(list) : nothing;
};

function replaceSystem(found, before, r, payload) {
  return answer(found.replaceSystemPrompt(before, r.systemPrompt), replaced(before, payload, `replaceSystemPrompt of adapter ${JSON.stringify(r.id)}`));
}

function replaceDeveloper(found, before, r, payload) {
  if (!found.replaceDeveloperMessages) return fixed(nothing);
  return answer(
    found.replaceDeveloperMessages(before, r.messages),
    replaced(before, payload, `replaceDeveloperMessages of adapter ${JSON.stringify(r.id)}`),
  );
}

function edit(r) {
  const found = editor(r.id);
  if (!found) return unknown("adapter", r.id);
  const encode = (value) => {
    if (value instanceof UseV1) return failure("use-v1", value.message);
    const out = answered(value, `adapter ${JSON.stringify(r.id)}`);
    return out ? edits(out) : nothing;
  };
  try {
    return answer(found.edit(r), encode);
  } catch (error) {
    if (error instanceof UseV1) return answer(error, encode);
    throw error;
  }
}

const operations = {
  __proto__: null,
  developer_messages_v1_render: render,
  provider_payload_adapters_v1_read_system_prompt: withPayload(read),
  provider_payload_adapters_v1_replace_system_prompt: withPayload(replaceSystem),
  provider_payload_adapters_v1_replace_developer_messages: withPayload(replaceDeveloper),
  provider_payload_adapters_v2_edit: edit,
};
