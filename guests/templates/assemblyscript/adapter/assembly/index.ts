// {{name}} is a guest that puts the prompt and the developer messages into requests of one API. As it stands
// that is a made-up one, acme-chat, with the prompt in a string and everything else a turn:
//
//	{"model":"acme-1","prompt":"Be kind.","turns":[{"from":"user","text":"hi"}]}
//
// Developer messages are turns in front of the others, from "notice", with [agent/ID] before the text.

import { adapter, Answer, Edit, Kind, Message, quote, Request } from "pintle/edit";

// Gives the module what the host calls for adapters of version 2.
export * from "pintle/exports/edit";

/**
 * Answers edits of the payload, which itself stays in the host: it sees what the selectors of pintle.toml
 * find.
 */
function adapt(r: Request): Answer {
  const answer = new Answer();
  for (let i = 0; i < r.view.length; i++) {
    const at = r.view[i].at, kind = r.view[i].value.kind;
    if (at.name(0) == "prompt" && kind == Kind.String) {
      // Carried out only if the prompt there is the one that the host had built.
      answer.promptAt = at;
      answer.prompt.push(Edit.set(at, quote(r.systemPrompt)));
    } else if (at.length == 2) { // a message of an earlier request
      answer.messages.push(Edit.remove(at));
    } else if (at.name(0) == "turns" && kind == Kind.List) {
      for (let m = 0; m < r.messages.length; m++) {
        answer.messages.push(Edit.insert(at.element(0), turn(r.messages[m])));
      }
    }
  }
  return answer;
}

function turn(m: Message): string {
  return '{"from":"notice","text":' + quote("[agent/" + m.id + "] " + m.content) + "}";
}

// The id is that of pintle.toml.
adapter("{{name}}", adapt);
