// The part of the SDK that is in every bundle, in front of the author's code. The host calls what is in
// __pintle.
import "./console.js";
import { config, kv, log, more, reseed, setAsked } from "./host.js";
import { setNeeds, shapeOf } from "./context.js";
import * as registry from "./registry.js";
import { call, settled } from "./call.js";
import { append, insert, isList, isObject, isText, remove, set, useV1 } from "./edit.js";

// Code that was written as an extension of Pi registers in the function that it exports by default.
const pi = new Proxy(Object.freeze({}), {
  get(_, name) {
    throw new Error(`pi.${String(name)}: a guest cannot reach the host; it registers contributions and adapters, and nothing else`);
  },
});

let broken; // what an extension's function was rejected with

// asks takes what pintle.toml asks for, as JSON, before the author's code runs.
function asks(text) {
  const { needs, config, kv } = JSON.parse(text);
  setNeeds(needs);
  setAsked({ config, kv });
}

function start(guest) {
  if (typeof guest.default === "function" && registry.empty()) {
    const result = guest.default(pi);
    if (typeof result?.then === "function") result.then(undefined, (reason) => (broken = { reason }));
  }
  registry.contributionIDs().forEach(shapeOf);
}

function whole(serve) {
  return (...args) => {
    if (broken) throw broken.reason;
    return serve(...args);
  };
}

const { registerDeveloperMessageContribution, registerSystemPromptPayloadAdapter, registerPayloadAdapter } = registry;

globalThis.__pintle = {
  asks,
  call: whole(call),
  settled,
  more,
  reseed,
  registered: whole(registry.registered),
  start,
  api: {
    registerDeveloperMessageContribution, registerSystemPromptPayloadAdapter, registerPayloadAdapter,
    config, kv, log, set, insert, remove, append, useV1, isText, isList, isObject,
  },
};
