import { config, fail, kv, Level, log, now, random } from "pintle";
import * as developer from "pintle/developer";
import * as edit from "pintle/edit";
import { Context, contribution } from "pintle/message";
import * as payload from "pintle/payload";
import { changeMessages, changePayload, readWord } from "./changes";
import { fault } from "./fault";
import { showEntry, showValue } from "./show";

export * from "pintle/exports/developer";
export * from "pintle/exports/edit";
export * from "pintle/exports/message";
export * from "pintle/exports/payload";

let calls = 0;

contribution("context", (c: Context): string | null => {
  const tools = c.activeTools;
  return [
    "provider " + show(c.provider),
    "tools " + (tools !== null ? "[" + tools.join("|") + "]" : "absent"),
    "bash " + c.toolActive("bash").toString(),
    "session " + show(c.sessionId),
    "prompt " + show(c.prompt),
    "options " + showValue(c.systemPromptOptions),
  ].join("\n");
});

contribution("config", (c: Context): string | null => {
  log(Level.Warn, "reads \ud83d\udea2 \ud800");
  return show(config("short")) + " " + show(config("long")) + " " + show(config("undeclared"));
});

/** Runs the steps of its prompt: get K, set K V, remove K. */
contribution("kv", (c: Context): string | null => {
  const said: string[] = [], steps = c.prompt!.split("\n");
  for (let i = 0; i < steps.length; i++) {
    const words = steps[i].split(" ");
    if (words[0] == "get") said.push(show(kv.getText(words[1])));
    else if (words[0] == "set") said.push(kv.setText(words[1], words[2]).toString());
    else if (words[0] == "fill") said.push(kv.set(words[1], new Uint8Array(i32.parse(words[2]))).toString());
    else if (words[0] == "size") said.push(kv.get(words[1])!.length.toString());
    else said.push(kv.remove(words[1]).toString());
  }
  return said.join(" ");
});

contribution("fail", (c: Context): string | null => {
  if (c.prompt === null) fail("no prompt");
  else fail("low water \udc00", "tide");
  return "is not said";
});

contribution("throw", fault);

contribution("surrogates", (c: Context): string | null => "a\ud800b \ud83d\udea2 \udea2\ud83d");

contribution("counter", (c: Context): string | null => (++calls).toString());

contribution("world", (c: Context): string | null => now().toString() + " " + random(8).join(" "));

edit.adapter("view", (r: edit.Request): edit.Answer => {
  if (r.systemPrompt == "v1") return edit.useV1("needs all of it");
  if (r.systemPrompt == "nothing") return new edit.Answer();
  const said: string[] = [r.provider + " " + r.api];
  for (let i = 0; i < r.messages.length; i++) said.push(r.messages[i].id + ": " + r.messages[i].content);
  for (let i = 0; i < r.view.length; i++) said.push(showEntry(r.view[i]));
  const answer = new edit.Answer(), at = edit.Address.top("all");
  answer.promptAt = at.member("prompt");
  answer.prompt.push(edit.Edit.set(at.member("prompt"), edit.quote(said.join("\n"))));
  answer.messages.push(edit.Edit.insert(at.member("list").element(300), "1.0"));
  answer.messages.push(edit.Edit.remove(at.element(70000)));
  answer.messages.push(edit.Edit.append(at, edit.quote("\u0000\u001f\"\\\b\f\n\r\t/\u007f\u2028 é \ud83d\udea2 \ud800 \udfff")));
  return answer;
});

payload.adapter("changes", readWord, changePayload);
developer.developerMessages("changes", changeMessages);

function show(text: string | null): string { return text !== null ? "<" + text + ">" : "absent"; }
