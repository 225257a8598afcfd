// A guest that puts the prompt and the developer messages into requests of one API. As it stands that is a made-up
// one, acme-chat, with the prompt in a string and everything else a turn:
//
//   {"model":"acme-1","prompt":"Be kind.","turns":[{"from":"user","text":"hi"}]}
//
// Developer messages are turns in front of the others, from "notice", with [agent/ID] before the text.
import { insert, isList, isText, registerPayloadAdapter, remove, set, type EditAnswer, type EditRequest } from "pintle";

registerPayloadAdapter({
  id: "{{name}}",
  apis: ["acme-chat"],
  // What it sees of a payload. Where only the kind of a value matters the clip is 0.
  view: [
    { path: ["prompt"], clip: 0 },
    { path: ["turns"], clip: 0 },
    // Its own turns of an earlier request. The host finds them: what users said stays with it.
    { path: ["turns", true], where: [{ member: "from", equals: "notice" }, { member: "text", prefix: "[agent/" }] },
  ],
  // Where edits may go: at these places and below them.
  write: [["prompt"], ["turns", true]],
  edit,
});

/** Answers edits of the payload, which itself stays in the host. */
function edit({ view, systemPrompt, messages }: EditRequest): EditAnswer {
  const prompt = view.find(({ at, value }) => at[0] === "prompt" && isText(value));
  const turns = view.find(({ at, value }) => at[0] === "turns" && isList(value));
  const old = view.filter(({ at }) => at.length === 2);
  return {
    // Carried out only if the prompt there is the one that the host had built.
    prompt: prompt && { at: prompt.at, edits: [set(prompt.at, systemPrompt)] },
    messages: turns && [
      ...old.map(({ at }) => remove(at)),
      ...messages.map(({ id, content }) => insert([...turns.at, 0], { from: "notice", text: `[agent/${id}] ${content}` })),
    ],
  };
}
