// The render context that a contribution's function gets.
import { log } from "./host.js";

// What a field is when the host says nothing. Code that was written for the reference extension counts on
// the lists and objects.
const absent = { provider: undefined, activeTools: [], sessionId: "", prompt: undefined, systemPromptOptions: {} };

let needs = {};
const shapes = new Map();

// setNeeds takes the fields that each contribution lists in pintle.toml.
export function setNeeds(list) {
  needs = list;
}

// shapeOf is made once for a contribution, when the guest starts: most calls begin with the state after that.
export function shapeOf(id) {
  let shape = shapes.get(id);
  if (!shape) {
    const listed = Object.hasOwn(needs, id) ? needs[id] : [];
    const prototype = {};
    for (const field of Object.keys(absent)) if (!listed.includes(field)) withhold(prototype, id, field);
    shape = { listed, prototype };
    shapes.set(id, shape);
  }
  return shape;
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
  const { listed, prototype } = shapeOf(id);
  const context = Object.create(prototype);
  for (let i = 0; i < listed.length; i++) {
    const field = listed[i];
    const value = request[field] ?? absent[field];
    if (value !== undefined) context[field] = value;
  }
  return context;
}
