// What other packages put into the process-wide slots: they make the slot themselves if they come first.

function slot(key) {
  const symbol = Symbol.for(key);
  const found = globalThis[symbol];
  if (found) return found;
  const made = Object.assign(new Map(), { protocol: key, version: 1 });
  globalThis[symbol] = made;
  return made;
}

export const envelopeService = () => globalThis[Symbol.for("pi-developer-messages/envelope-service/v1")];
export const contributions = () => slot("pi-developer-messages/developer-messages/v1");
export const adapters = () => slot("pi-developer-messages/provider-payload-adapters/v1");
