// The host's calls: one request in, one answer out. It is what each call costs, so what most calls do not need is
// not done: no closures, no objects, no loops over iterators.
import { begin, kind, log, said } from "./host.js";
import { contextOf } from "./context.js";
import { adapter, contribution, editor, ids } from "./registry.js";
import { changes, parsed } from "./payload.js";
import { BadAnswer, UseV1, answered } from "./edit.js";

// The forms of an answer. The host repairs halves of surrogate pairs.
const nothing = "0";
const text = (t) => "1" + t;
const failure = (code, message) => `2${JSON.stringify({ code, message })}`;
const edits = (answer) => "3" + answer;
const payloadEdits = (list) => `4${JSON.stringify(list)}`;
const waiting = ".";

const finish = (answer) => (said() ? "+" + answer : answer);

let broken; // set if an extension's function was rejected: then not all that it registers is there

export function giveUp(reason) {
  broken = { reason };
}

export function whole() {
  if (broken) throw broken.reason;
}

let pending; // the promise that an author's function answered, as far as it has settled

// An operation finds what the author registered, asks its function, and encodes what that answered, be it at once
// or when a promise is settled.
export function call(op, request, payload, kv) {
  whole();
  begin(kv);
  pending = undefined;
  const operation = operations[op];
  if (!operation) return failure("unknown-operation", `this guest does not know the operation ${op}`);
  const r = JSON.parse(request);
  const entry = operation.find(r.id);
  if (!entry) return unknown(operation.what, r.id);
  const value = operation.ask(entry, r, payload);
  if (typeof value?.then !== "function") return finish(operation.encode(value, r));
  const mine = { operation, r };
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
  return finish(pending?.done ? pending.operation.encode(pending.value, pending.r) : waiting);
}

function unknown(what, id) {
  const known = ids();
  return failure("unknown-id", `no ${what} ${id}; registered are: ${known.length > 0 ? known.join(", ") : "none"}`);
}

function textOrNothing(value, what, id) {
  if (typeof value === "string") return text(value);
  if (value === undefined || value === null) return nothing;
  return failure("not-a-text", `${what} ${JSON.stringify(id)} answered ${kind(value)} instead of a text or undefined`);
}

// checked answers an error of the guest's own where there is no answer to encode.
const checked = (encode) => (value, r) => {
  try {
    return encode(value, r);
  } catch (error) {
    if (error instanceof BadAnswer) return failure("bad-answer", error.message);
    throw error;
  }
};

const operations = {
  __proto__: null,
  developer_messages_v1_render: { what: "contribution", find: contribution, ask: render, encode: rendered },
};

function render(entry, r) {
  return typeof entry.content === "function" ? entry.content(contextOf(r.id, r)) : entry.content;
}

function rendered(value, r) {
  return textOrNothing(value, "content of contribution", r.id);
}

if (withV1) {
  // withPayload asks an adapter. A payload that cannot be read is left alone: it is not the guest's fault.
  const withPayload = (ask) => (found, r, payload) => {
    if (found.enabled && found.enabled(r.provider, r.api || undefined, undefined) === false) return undefined;
    try {
      r.before = parsed(payload);
    } catch (error) {
      log("warn", `adapter ${JSON.stringify(r.id)}: the payload is left alone: ${error}`);
      return undefined;
    }
    r.payload = payload;
    return ask(found, r);
  };
  const operation = (name, ask, encode) => {
    operations[`provider_payload_adapters_v1_${name}`] = { what: "adapter", find: adapter, ask: withPayload(ask), encode: checked(encode) };
  };
  const replaced = (name) => (after, r) => {
    const list = after === undefined ? [] : changes(r.before, after, r.payload, `${name} of adapter ${JSON.stringify(r.id)}`);
    return list.length > 0 ? payloadEdits(list) : nothing;
  };
  operation(
    "read_system_prompt",
    (found, r) => found.readSystemPrompt(r.before),
    (value, r) => textOrNothing(value, "readSystemPrompt of adapter", r.id),
  );
  operation(
    "replace_system_prompt",
    (found, r) => found.replaceSystemPrompt(r.before, r.systemPrompt),
    replaced("replaceSystemPrompt"),
  );
  operation(
    "replace_developer_messages",
    (found, r) => found.replaceDeveloperMessages?.(r.before, r.messages),
    replaced("replaceDeveloperMessages"),
  );
}

if (withV2) {
  operations.provider_payload_adapters_v2_edit = {
    what: "adapter",
    find: editor,
    ask(found, r) {
      try {
        return found.edit(r);
      } catch (error) {
        if (error instanceof UseV1) return error;
        throw error;
      }
    },
    encode: checked((value, r) => {
      if (value instanceof UseV1) return failure("use-v1", value.message);
      const out = answered(value, `adapter ${JSON.stringify(r.id)}`);
      return out ? edits(out) : nothing;
    }),
  };
}
