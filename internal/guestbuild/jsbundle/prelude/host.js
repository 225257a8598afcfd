// What a guest has of its host: configuration, entries of the session, a log, random numbers. The host is
// never called: what a guest may read came with the start or with the request, what it says goes with the
// answer.

const given = JSON.parse(globalThis.__pintleHost ?? "{}");
delete globalThis.__pintleHost;

const values = new Map(Object.entries(given.config ?? {}));

// What pintle.toml asks for. Not to have asked is an oversight, and looks like not to have been given.
let asked = { config: [], kv: false };

export function setAsked(capabilities) {
  asked = capabilities;
}

const warned = new Set();

function warnOnce(text) {
  if (warned.has(text)) return;
  warned.add(text);
  log("warn", text);
}

export function config(key) {
  key = String(key);
  if (!asked.config.includes(key)) warnOnce(`config reads ${JSON.stringify(key)}, which pintle.toml does not list as a key of the capability config`);
  return values.get(key);
}

let records = []; // as JSON
const levels = { __proto__: null, debug: "0", info: "1", warn: "2", error: "3" };

export function log(level, text) {
  records.push("[" + (levels[level] ?? levels.info) + "," + JSON.stringify(typeof text === "string" ? text : String(text)) + "]");
}

let unread; // the entries as the host gave them, until somebody asks
let entries; // undefined: unread, or the guest has no kv, or nobody asks for an answer
let changed; // entries by key, null for those that were deleted; undefined: none
let used; // bytes of all entries; undefined: not counted yet

const maxKeyBytes = 256;
const maxValueBytes = 16 << 10;
const maxEntries = 256;
const maxAllBytes = 64 << 10;

export const kv = Object.freeze({
  get(key) {
    key = name(key);
    return entries?.get(key);
  },
  set(key, value) {
    key = name(key);
    if (typeof value !== "string") throw new TypeError(`kv.set(${JSON.stringify(key)}): the value is ${kind(value)}, not a text`);
    value = value.toWellFormed();
    if (!entries || !put(key, value)) return false;
    change(key, value);
    return true;
  },
  delete(key) {
    key = name(key);
    if (!entries?.has(key)) return false;
    used = bytes() - size(key, entries.get(key));
    entries.delete(key);
    change(key, null);
    return true;
  },
});

function change(key, value) {
  changed ??= Object.create(null);
  changed[key] = value;
}

// name is the key of an entry, of which somebody asks now.
function name(key) {
  if (!asked.kv) warnOnce("kv is used, and pintle.toml does not ask for the capability kv");
  if (unread !== undefined) entries = new Map(Object.entries(JSON.parse(unread)));
  unread = undefined;
  return String(key).toWellFormed();
}

function put(key, value) {
  const before = entries.get(key);
  if (before === undefined && entries.size >= maxEntries) return false;
  if (key.length > maxKeyBytes || value.length > maxValueBytes) return false;
  if (utf8(key) > maxKeyBytes || utf8(value) > maxValueBytes) return false;
  const after = bytes() + size(key, value) - (before === undefined ? 0 : size(key, before));
  if (after > maxAllBytes) return false;
  used = after;
  entries.set(key, value);
  return true;
}

const size = (key, value) => utf8(key) + utf8(value);

function bytes() {
  if (used === undefined) {
    used = 0;
    for (const [key, value] of entries) used += size(key, value);
  }
  return used;
}

// utf8 counts the bytes of a text without halves of surrogate pairs. A loop over its characters would take much
// longer than functions of the engine.
const utf8 = (text) => (/[^\0-\x7f]/.test(text) ? unescape(encodeURIComponent(text)).length : text.length);

// kind names the kind of a value for people.
export function kind(value) {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  return `a ${typeof value}`;
}

// begin prepares a call. kvText is a JSON object, or undefined if the guest has no kv.
export function begin(kvText) {
  if (records.length > 0) records = [];
  changed = entries = used = undefined;
  unread = kvText;
}

// said tells whether there is something for more.
export const said = () => records.length > 0 || changed !== undefined;

// more hands over what was logged and written since it was asked last.
export function more() {
  let out = `{"logs":[${records.join()}]`;
  if (changed) out += `,"kv":${JSON.stringify(changed)}`;
  records = [];
  changed = undefined;
  return out + "}";
}

// Math.random is replaced before the guest can take hold of it, by xoshiro128**.
const state = new Uint32Array(4);

export function reseed(seed) {
  for (let i = 0; i < 4; i++) {
    state[i] = parseInt(seed.slice(8 * i, 8 * i + 8), 16) ^ parseInt(seed.slice(8 * i + 32, 8 * i + 40), 16);
  }
  if (state.every((word) => word === 0)) state[0] = 1;
}

const rotated = (word, by) => (word << by) | (word >>> (32 - by));

function word() {
  const out = Math.imul(rotated(Math.imul(state[1], 5), 7), 9) >>> 0;
  const shifted = state[1] << 9;
  state[2] ^= state[0];
  state[3] ^= state[1];
  state[1] ^= state[2];
  state[0] ^= state[3];
  state[2] ^= shifted;
  state[3] = rotated(state[3], 11);
  return out;
}

if (given.granted?.includes("random")) {
  for (let i = 0; i < 4; i++) state[i] = Math.random() * 2 ** 32;
  state[0] |= 1;
  Math.random = () => ((word() >>> 5) * 2 ** 26 + (word() >>> 6)) / 2 ** 53;
}
