// What the guest's code registers.

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

function put(registry, key, entry) {
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
  let found = registry.get(id);
  if (found && idOf(found) === id) return found;
  found = undefined;
  for (const entry of registry.values()) if (idOf(entry) === id) found = entry;
  return found;
}

const ownID = (entry) => entry?.id;

export const contribution = (id) => find(contributions(), id, ownID);
export const adapter = (id) => find(adapters(), id, adapterID);
export const editor = (id) => editors.get(id);

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
  });
}

const describeAll = (registry, describe) => [...registry.values()].map(describe);

function describeContribution(c) {
  const at = `contribution ${JSON.stringify(c.id)}`;
  if (typeof c.content !== "string" && typeof c.content !== "function") throw new Error(`${at}: content is neither a text nor a function`);
  const priority = c.priority ?? undefined;
  if (priority !== undefined && !Number.isFinite(priority)) throw new Error(`${at}: priority is not a finite number`);
  return {
    id: text(at, "id", c.id),
    priority,
    providers: texts(at, "providers", c.providers),
    activeTools: texts(at, "activeTools", c.activeTools),
    readsContext: c.content.length > 0 && typeof c.content === "function",
  };
}

function describeAdapter(a) {
  const id = adapterID(a);
  const at = `adapter ${JSON.stringify(id)}`;
  for (const name of ["readSystemPrompt", "replaceSystemPrompt"]) functionOf(at, a, name);
  if (a.replaceDeveloperMessages !== undefined) functionOf(at, a, "replaceDeveloperMessages");
  if (typeof a.model === "function") {
    throw new Error(`${at}: model is a function; a manifest needs names: give the model's id, or list them under models in pintle.toml`);
  }
  return {
    interface: "provider-payload-adapters/v1",
    id,
    providers: [text(at, "provider", a.provider)],
    apis: texts(at, "api", list(a.api)),
    models: texts(at, "model", list(a.model)),
    operations: a.replaceDeveloperMessages ? [replaceDeveloper] : undefined,
  };
}

function describeEditor(a) {
  const at = `adapter ${JSON.stringify(a.id)}`;
  functionOf(at, a, "edit");
  for (const name of ["view", "write"]) {
    if (!Array.isArray(a[name])) throw new Error(`${at}: ${name} is not a list`);
  }
  return {
    interface: "provider-payload-adapters/v2",
    id: text(at, "id", a.id),
    providers: texts(at, "providers", a.providers),
    apis: texts(at, "apis", a.apis),
    models: texts(at, "models", a.models),
    view: a.view,
    write: a.write,
  };
}

function functionOf(at, object, name) {
  if (typeof object[name] !== "function") throw new Error(`${at}: ${name} is not a function`);
}

function text(at, name, value) {
  if (typeof value !== "string") throw new Error(`${at}: ${name} is not a text`);
  return value;
}

function texts(at, name, value) {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value) || !value.every((v) => typeof v === "string")) throw new Error(`${at}: ${name} is not a list of texts`);
  return value;
}
