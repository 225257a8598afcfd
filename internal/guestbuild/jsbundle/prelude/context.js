// The render context that a contribution's function gets.
import { log } from "./host.js";

// What a field is when the host says nothing. Code that was written for the reference extension counts on
// the lists and objects.
const absent = { provider: undefined, activeTools: [], sessionId: "", prompt: undefined, systemPromptOptions: {} };
const fields = Object.keys(absent);

let needs = {};
const prototypes = new Map();

// setNeeds takes the fields that each contribution lists in pintle.toml.
export function setNeeds(list) {
  needs = list;
}

// prototypeOf has a getter for each field that the contribution does not get.
function prototypeOf(id) {
  let prototype = prototypes.get(id);
  if (!prototype) {
    prototype = {};
    const listed = Object.hasOwn(needs, id) ? needs[id] : [];
    for (const field of fields.filter((f) => !listed.includes(f))) withhold(prototype, id, field);
    prototypes.set(id, prototype);
  }
  return prototype;
}

function withhold(prototype, id, field) {
  let warned = false;
  const get = () => {
    if (!warned) log("warn", `contribution ${JSON.stringify(id)} reads ${field}, which pintle.toml does not list under its needs`);
    warned = true;
    return absent[field];
  };
  Object.defineProperty(prototype, field, { get });
}

export function contextOf(id, request) {
  const context = Object.create(prototypeOf(id));
  const listed = Object.hasOwn(needs, id) ? needs[id] : [];
  for (const field of fields) {
    if (field in request) define(context, field, request[field]);
    else if (listed.includes(field) && absent[field] !== undefined) context[field] = absent[field];
  }
  return context;
}

const define = (context, field, value) =>
  Object.defineProperty(context, field, { value, writable: true, enumerable: true, configurable: true });
