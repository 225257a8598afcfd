// What the guest's code registers.
import { log } from "./host.js";

// The registries are the maps in the slots that packages of the reference extension find each other by, so
// code that writes into a slot itself registers too. Every access looks the slot up again.
const contributions = slot("pi-developer-messages/developer-messages/v1");
const adapters = slot("pi-developer-messages/provider-payload-adapters/v1");

function slot(key) {
  const symbol = Symbol.for(key);
  let last;
  return () => {
    const found = globalThis[symbol];
    if (found !== undefined && found === last) return last;
    last = recognised(found, key) ? found : Object.assign(new Map(), { protocol: key, version: 1 });
    return (globalThis[symbol] = last);
  };
}

function recognised(found, key) {
  const methods = ["get", "set", "delete", "values", "clear"];
  return found?.protocol === key && found.version === 1 && methods.every((name) => typeof found[name] === "function");
}

// editors are the adapters of version 2, which the reference does not have.
const editors = new Map();

// Ids that were registered again. The later registration counts; a builder warns.
const replaced = new Set();

// What is registered after the first call is in no manifest.
let asked = false;

function put(registry, key, entry) {
  if (asked) log("warn", `${JSON.stringify(key)} is registered too late: what a guest offers is what it registers while it is loaded`);
  const before = registry().get(key);
  if (before && before !== entry) replaced.add(key);
  registry().set(key, entry);
  return () => {
    if (registry().get(key) === entry) registry().delete(key);
  };
}

const blank = (text) => String(text ?? "").trim() === "";

// What is wrong with a registration is said when it is made: then the author's line is on the stack.

export function registerDeveloperMessageContribution(contribution) {
  if (blank(contribution?.id)) throw new Error("A developer message contribution needs an id");
  describeContribution(contribution);
  return put(contributions, contribution.id, contribution);
}

export function registerSystemPromptPayloadAdapter(adapter) {
  if (blank(adapter?.provider)) throw new Error("A system prompt payload adapter needs a provider");
  describeAdapter(adapter);
  return put(adapters, adapterID(adapter), adapter);
}

export function registerPayloadAdapter(adapter) {
  if (blank(adapter?.id)) throw new Error("A payload adapter needs an id");
  describeEditor(adapter);
  return put(() => editors, adapter.id, adapter);
}

// adapterID names an adapter of the reference's shape, which has no id of its own.
function adapterID(adapter) {
  if (!blank(adapter.id)) return adapter.id;
  return [adapter.provider, adapter.api, adapter.model].filter((part) => typeof part === "string" || Array.isArray(part)).map(String).join(":");
}

const list = (value) => (typeof value === "string" ? [value] : value);

// In a map that was written to directly, keys mean nothing.
function find(registry, id, idOf) {
  asked = true;
  let found = registry.get(id);
  if (found && idOf(found) === id) return found;
  found = undefined;
  for (const entry of registry.values()) if (idOf(entry) === id) found = entry;
  return found;
}

const ownID = (entry) => entry?.id;

export const contribution = (id) => find(contributions(), id, ownID);
export const adapter = (id) => find(adapters(), id, adapterID);

export function editor(id) {
  asked = true;
  return editors.get(id);
}

const all = () => [...contributions().values(), ...adapters().values(), ...editors.values()];

export const empty = () => all().length === 0;

export const contributionIDs = () => [...contributions().values()].map(ownID);

export const ids = () => contributionIDs().concat(withV1 ? [...adapters().values()].map(adapterID) : [], [...editors.keys()]);

const replaceDeveloper = "provider_payload_adapters_v1_replace_developer_messages";

// registered describes everything for the manifest.
export function registered() {
  return JSON.stringify({
    contributions: describeAll(contributions(), describeContribution),
    adapters: [...(withV1 ? describeAll(adapters(), describeAdapter) : []), ...(withV2 ? describeAll(editors, describeEditor) : [])],
    replaced: [...replaced],
    keys: all().map((entry) => Object.keys(entry)),
  });
}

const describeAll = (registry, describe) => [...registry.values()].map(describe);

let wrong = []; // with the registration that is looked at

// sound answers a description if nothing is wrong with it, else says all that is.
function sound(at, description) {
  if (wrong.length > 0) throw new Error(`${at}: ${wrong.join("; ")}`);
  return description;
}

function describeContribution(c) {
  wrong = [];
  const { content } = c;
  if (typeof content !== "string" && typeof content !== "function") wrong.push("content is neither a text nor a function");
  const priority = c.priority ?? undefined;
  if (priority !== undefined && !Number.isFinite(priority)) wrong.push("priority is not a finite number");
  return sound(`contribution ${JSON.stringify(c.id)}`, {
    id: text("id", c.id),
    priority,
    providers: texts("providers", c.providers),
    activeTools: texts("activeTools", c.activeTools),
    readsContext: typeof content === "function" && content.length > 0,
  });
}

function describeAdapter(a) {
  wrong = [];
  const id = adapterID(a);
  for (const name of ["readSystemPrompt", "replaceSystemPrompt"]) functionOf(a, name);
  if (a.replaceDeveloperMessages !== undefined) functionOf(a, "replaceDeveloperMessages");
  const named = typeof a.model !== "function";
  if (!named) wrong.push("model is a function; a manifest needs names: give the model's id, or list them under models in pintle.toml");
  return sound(`adapter ${JSON.stringify(id)}`, {
    interface: "provider-payload-adapters/v1",
    id,
    providers: [text("provider", a.provider)],
    apis: texts("api", list(a.api)),
    models: named ? texts("model", list(a.model)) : undefined,
    operations: a.replaceDeveloperMessages ? [replaceDeveloper] : undefined,
  });
}

function describeEditor(a) {
  wrong = [];
  functionOf(a, "edit");
  for (const name of ["view", "write"]) if (!Array.isArray(a[name])) wrong.push(`${name} is not a list`);
  return sound(`adapter ${JSON.stringify(a.id)}`, {
    interface: "provider-payload-adapters/v2",
    id: text("id", a.id),
    providers: texts("providers", a.providers),
    apis: texts("apis", a.apis),
    models: texts("models", a.models),
    view: a.view,
    write: a.write,
  });
}

function functionOf(object, name) {
  if (typeof object[name] !== "function") wrong.push(`${name} is not a function`);
}

function text(name, value) {
  if (typeof value !== "string") wrong.push(`${name} is not a text`);
  return value;
}

function texts(name, value) {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value) || !value.every((v) => typeof v === "string")) wrong.push(`${name} is not a list of texts`);
  return value;
}
