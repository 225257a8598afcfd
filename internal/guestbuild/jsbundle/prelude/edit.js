// Edits of a payload that stays in the host: adapters of version 2.
import { kind } from "./host.js";

const edit = (op, at, value) => Object.freeze({ op, at, value });

export const set = (at, value) => edit("set", at, value);
export const insert = (at, value) => edit("insert", at, value);
export const remove = (at) => edit("remove", at);
export const append = (at, text) => edit("append", at, text);

// UseV1 is what an adapter answers, or throws, to have the host ask its version 1.
export class UseV1 extends Error {}

export const useV1 = (reason) => new UseV1(String(reason));

export const isText = (value) => typeof value === "string" || Object.hasOwn(Object(value), "head");
export const isList = (value) => typeof value !== "string" && Object.hasOwn(Object(value), "list");
export const isObject = (value) => typeof value !== "string" && Object.hasOwn(Object(value), "object");

// A BadAnswer is an answer of the author's that is none. His code has returned, so no stack leads to it.
export class BadAnswer extends Error {}

// What JSON.stringify says of values that JSON does not have. What else is thrown there is thrown by the author's
// code, in a getter or a toJSON.
const notJSON = /^TypeError: .*(circular|BigInt)/;

// written is a value as JSON.
export function written(value, where, replacer) {
  let text;
  try {
    text = JSON.stringify(value, replacer);
  } catch (error) {
    if (!notJSON.test(error)) throw error;
    throw new BadAnswer(`${where} is not JSON: ${error.message}`);
  }
  if (text === undefined) throw new BadAnswer(`${where} is ${kind(value)}, which JSON does not have`);
  return text;
}

// answered writes an author's answer as the transport wants it, "" if it changes nothing. The text is put together
// here, which takes less than making objects and writing those.
export function answered(answer, who) {
  if (answer === undefined || answer === null) return "";
  if (typeof answer !== "object") throw new BadAnswer(`${who}: edit answered a ${typeof answer} instead of { prompt, messages } or undefined`);
  for (const key of Object.keys(answer)) {
    if (key !== "prompt" && key !== "messages") throw new BadAnswer(`${who}: edit answered ${key}; an answer has prompt and messages`);
  }
  const { prompt, messages } = answer;
  const parts = [];
  if (prompt) parts.push(`"prompt":{"at":${address(prompt.at, `${who}: prompt`)},"edits":${list(prompt.edits, `${who}: prompt.edits`)}}`);
  if (messages?.length !== 0 && messages) parts.push(`"messages":{"edits":${list(messages, `${who}: messages`)}}`);
  return parts.length > 0 ? `{${parts.join()}}` : "";
}

function list(edits, where) {
  if (edits === undefined) return "[]";
  if (!Array.isArray(edits)) throw new BadAnswer(`${where} is not a list of edits`);
  return `[${edits.map((e, i) => encoded(e, `${where}[${i}]`)).join()}]`;
}

const ops = ["set", "insert", "remove", "append"];

function encoded(e, where) {
  const op = e?.op;
  if (!ops.includes(op)) throw new BadAnswer(`${where} is not an edit; make one with set, insert, remove or append`);
  const there = `{"op":"${op}","at":${address(e.at, where)}`;
  if (op === "remove") return there + "}";
  const { value } = e;
  const json = written(value, `${where}.value`);
  if (op === "append" && typeof value !== "string") throw new BadAnswer(`${where}: what is appended is not a text`);
  return `${there},"value":${JSON.stringify(json)}}`;
}

function address(at, where) {
  if (!Array.isArray(at)) throw new BadAnswer(`${where}.at is not an address; an address is a list of names and indices`);
  for (const step of at) {
    if (typeof step !== "string" && !(Number.isInteger(step) && step >= 0)) {
      throw new BadAnswer(`${where}.at: ${String(step)} is neither a name nor an index`);
    }
  }
  return JSON.stringify(at);
}
