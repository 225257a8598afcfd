// The Codex adapter of the reference, as a package of its own might write it: developer items in front of
// `input`, those of an earlier request taken out.

const generations = ["pi_developer_prompt_message", "pi_system_prompt_developer_message"];

const isRecord = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

const isManaged = (item) =>
  isRecord(item) && item.role === "developer" && typeof item.content === "string" &&
  generations.some((tag) => item.content.startsWith(`<${tag} id="`) && item.content.endsWith(`</${tag}>`));

const entities = { "&": "&amp;", '"': "&quot;", "<": "&lt;", ">": "&gt;" };

function segment({ id, content }) {
  const escaped = id.replace(/[&"<>]/g, (char) => entities[char]);
  return `<${generations[0]} id="${escaped}">\n${content}\n</${generations[0]}>`;
}

export function codexAdapter(provider) {
  return {
    provider,
    readSystemPrompt: (payload) =>
      isRecord(payload) && typeof payload.instructions === "string" ? payload.instructions : undefined,
    replaceSystemPrompt: (payload, instructions) => (isRecord(payload) ? { ...payload, instructions } : payload),
    replaceDeveloperMessages(payload, messages) {
      if (!isRecord(payload) || !Array.isArray(payload.input)) return payload;
      const items = messages.map((message) => ({ role: "developer", content: segment(message) }));
      return { ...payload, input: [...items, ...payload.input.filter((item) => !isManaged(item))] };
    },
  };
}
