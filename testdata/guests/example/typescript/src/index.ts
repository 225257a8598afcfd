// The example guest in TypeScript: two contributions, and the Codex adapter in both versions of its interface. The
// same guest stands beside it in other languages, with the same cases.json.
import { config, log, registerDeveloperMessageContribution, type DeveloperMessageRenderContext } from "pintle";
import "./codex.ts";

registerDeveloperMessageContribution({ id: "template", content: template });
registerDeveloperMessageContribution({ id: "greeting", content: greeting });

/** Fills in the text that the host has configured. What is not known of a turn is empty. */
function template(context: DeveloperMessageRenderContext): string | undefined {
  const { cwd, skills = [] } = context.systemPromptOptions;
  const values: Record<string, string | undefined> = {
    prompt: context.prompt,
    provider: context.provider,
    sessionId: context.sessionId,
    tools: context.activeTools.join(","),
    cwd,
    skills: skills.map((skill) => skill.name ?? "").join(","),
  };
  return config("template")?.replace(/\{(prompt|provider|sessionId|tools|cwd|skills)\}/g, (_, name: string) => values[name] ?? "");
}

/** Has something to say only if a prompt starts the turn. */
function greeting({ prompt }: DeveloperMessageRenderContext): string | undefined {
  if (prompt === undefined) return undefined;
  log("debug", "greeting");
  return "Greet the user before you answer.";
}
