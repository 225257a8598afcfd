// The part of the SDK that is in every bundle, in front of the author's code. The host calls what is in
// __pintle. The builder says whether the guest has adapters of version 1 and 2 (withV1, withV2): half of the code is
// for these, and reading it is what the start of a guest takes most of its time for.
import "./console.js";
import { config, kv, log, more, reseed, setAsked } from "./host.js";
import { setNeeds, shapeOf } from "./context.js";
import {
  contributionIDs, empty, registerDeveloperMessageContribution, registerPayloadAdapter, registerSystemPromptPayloadAdapter,
  registered as described,
} from "./registry.js";
import { call, giveUp, settled, whole } from "./call.js";
import { append, insert, isList, isObject, isText, remove, set, useV1 } from "./edit.js";

// Code that was written as an extension of Pi registers in the function that it exports by default.
const pi = new Proxy(Object.freeze({}), {
  get(_, name) {
    throw new Error(`pi.${String(name)}: a guest cannot reach the host; it registers contributions and adapters, and nothing else`);
  },
});

// asks takes what pintle.toml asks for, as JSON, before the author's code runs.
function asks(text) {
  const { needs, config, kv } = JSON.parse(text);
  setNeeds(needs);
  setAsked({ config, kv });
}

function start(guest) {
  if (typeof guest.default === "function" && empty()) {
    const result = guest.default(pi);
    if (typeof result?.then === "function") result.then(undefined, giveUp);
  }
  contributionIDs().forEach(shapeOf);
}

function registered() {
  whole();
  return described();
}

const api = { registerDeveloperMessageContribution, config, kv, log };
if (withV1) api.registerSystemPromptPayloadAdapter = registerSystemPromptPayloadAdapter;
if (withV2) Object.assign(api, { registerPayloadAdapter, set, insert, remove, append, useV1, isText, isList, isObject });

globalThis.__pintle = { asks, call, settled, more, reseed, registered, start, api };
