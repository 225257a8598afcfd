// console.* writes to the guest's log. It knows the placeholders that consoles have. Groups are not indented,
// tables not drawn, and what counts or measures time does nothing: packages call it, and nobody looks.
import { log } from "./host.js";

function shown(value) {
  switch (typeof value) {
    case "string":
      return value;
    case "function":
      return `[function ${value.name || "without a name"}]`;
    case "object":
      if (value === null) break;
      return value instanceof Error ? withStack(value) : json(value);
    case "bigint":
      return `${value}n`;
  }
  return String(value);
}

// The engine keeps few frames of a stack unless it is told to keep as many as it can.
Error.stackTraceLimit = 64;

// withStack shows an error and what caused it. The host turns the places in a stack into the author's.
function withStack(error) {
  let out = "";
  for (let i = 0; i < 5 && error instanceof Error; i++) {
    const stack = typeof error.stack === "string" ? error.stack.trimEnd() : "";
    out += `${i > 0 ? "\ncaused by: " : ""}${error}${stack && "\n" + stack}`;
    error = error.cause;
  }
  return out;
}

function json(value) {
  const inside = (_, v) => {
    if (v instanceof Map || v instanceof Set) return [...v];
    if (v instanceof Error) return String(v);
    return typeof v === "bigint" || typeof v === "function" || typeof v === "symbol" ? shown(v) : v;
  };
  try {
    return JSON.stringify(value, inside) ?? String(value);
  } catch {
    return Object.prototype.toString.call(value); // it contains itself, or a toJSON of it throws
  }
}

function line(args) {
  let rest = args;
  let out = "";
  if (typeof args[0] === "string" && args.length > 1) {
    rest = args.slice(1);
    out = args[0].replace(/%[sdifjoOc%]/g, (placeholder) => {
      if (placeholder === "%%") return "%";
      if (rest.length === 0) return placeholder;
      const value = rest.shift();
      switch (placeholder) {
        case "%d":
          return typeof value === "bigint" ? shown(value) : String(Number(value));
        case "%i":
          return String(parseInt(value));
        case "%f":
          return String(parseFloat(value));
        case "%c":
          return "";
      }
      return shown(value);
    });
    if (rest.length > 0) out += " ";
  }
  return out + rest.map(shown).join(" ");
}

const to = (level) => (...args) => log(level, line(args));

const nothing = () => {};

globalThis.console = {
  debug: to("debug"),
  trace: to("debug"),
  log: to("info"),
  info: to("info"),
  warn: to("warn"),
  error: to("error"),
  dir: (value) => log("info", shown(value)),
  table: (value) => log("info", shown(value)),
  group: to("info"),
  groupCollapsed: to("info"),
  groupEnd: nothing,
  count: nothing,
  countReset: nothing,
  time: nothing,
  timeLog: nothing,
  timeEnd: nothing,
  clear: nothing,
  assert(condition, ...args) {
    if (!condition) log("error", args.length > 0 ? `assertion failed: ${line(args)}` : "assertion failed");
  },
};
