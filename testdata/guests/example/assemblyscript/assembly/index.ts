// The example guest in AssemblyScript: two contributions, and the Codex adapter in both versions of its
// interface. The same guest stands beside it in other languages, with the same cases.json.

import { config, Level, log } from "pintle";
import * as developer from "pintle/developer";
import * as edit from "pintle/edit";
import { Context, contribution } from "pintle/message";
import * as payload from "pintle/payload";
import { codexEdits, codexRead, codexReplaceDeveloper, codexReplaceSystem } from "./codex";
import { fill } from "./fill";

export * from "pintle/exports/developer";
export * from "pintle/exports/edit";
export * from "pintle/exports/message";
export * from "pintle/exports/payload";

contribution("template", template);
contribution("greeting", greeting);
edit.adapter("codex", codexEdits);
payload.adapter("codex-v1", codexRead, codexReplaceSystem);
developer.developerMessages("codex-v1", codexReplaceDeveloper);

/** Fills in the text that the host has configured. What is not known of a turn is empty. */
function template(c: Context): string | null {
  const text = config("template");
  if (text === null) return null;
  const values = new Map<string, string>();
  values.set("prompt", known(c.prompt));
  values.set("provider", known(c.provider));
  values.set("sessionId", known(c.sessionId));
  const tools = c.activeTools;
  values.set("tools", tools !== null ? tools.join(",") : "");
  values.set("cwd", known(c.systemPromptOptions.get("cwd").text()));
  const skills = c.systemPromptOptions.get("skills").list();
  values.set("skills", skills.map<string>(s => known(s.get("name").text())).join(","));
  return fill(text, values);
}

function known(text: string | null): string { return text !== null ? text : ""; }

/** Has something to say only if a prompt starts the turn. */
function greeting(c: Context): string | null {
  if (c.prompt === null) return null;
  log(Level.Debug, "greeting");
  return "Greet the user before you answer.";
}
