// {{name}} is a guest with one developer message.

import { config, Level, log } from "pintle";
import { Context, contribution } from "pintle/message";

// Gives the module what the host calls for contributions.
export * from "pintle/exports/message";

/**
 * Returns what the model is told in this turn, null for nothing. Of the context it has what pintle.toml needs.
 * A failure costs the turn this text and nothing else.
 */
function render(c: Context): string | null {
  const prompt = c.prompt;
  if (prompt === null || prompt.length == 0) {
    log(Level.Debug, "no prompt, nothing to say");
    return null;
  }
  const configured = config("tone");
  const tone = configured !== null ? configured : "friendly";
  let text = "Answer in a " + tone + " tone.";
  if (c.toolActive("bash")) text += " Say what a command does before you run it.";
  return text;
}

// The id is that of pintle.toml.
contribution("{{name}}", render);
