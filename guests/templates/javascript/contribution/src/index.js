// A guest with one developer message.
import { config, log, registerDeveloperMessageContribution } from "pintle";

registerDeveloperMessageContribution({ id: "{{name}}", content: render });

/**
 * What the model is told in this turn, undefined for nothing. Of the context it has what pintle.toml needs. What it
 * throws costs the turn this text and nothing else.
 *
 * @param {import("pintle").DeveloperMessageRenderContext} context
 */
function render({ prompt, activeTools }) {
  if (!prompt) {
    log("debug", "no prompt, nothing to say");
    return undefined;
  }
  const text = `Answer in a ${config("tone") ?? "friendly"} tone.`;
  return activeTools.includes("bash") ? `${text} Say what a command does before you run it.` : text;
}
