// What `import … from "pintle"` stands for. What an author does not import must leave no name behind in the
// bundle: it would rename functions of the author's own, and traces with them.
const pintle_api = (name) => globalThis.__pintle.api[name];

export const registerDeveloperMessageContribution = /* @__PURE__ */ pintle_api("registerDeveloperMessageContribution");
export const registerSystemPromptPayloadAdapter = /* @__PURE__ */ pintle_api("registerSystemPromptPayloadAdapter");
export const registerPayloadAdapter = /* @__PURE__ */ pintle_api("registerPayloadAdapter");
export const config = /* @__PURE__ */ pintle_api("config");
export const kv = /* @__PURE__ */ pintle_api("kv");
export const log = /* @__PURE__ */ pintle_api("log");
export const set = /* @__PURE__ */ pintle_api("set");
export const insert = /* @__PURE__ */ pintle_api("insert");
export const remove = /* @__PURE__ */ pintle_api("remove");
export const append = /* @__PURE__ */ pintle_api("append");
export const useV1 = /* @__PURE__ */ pintle_api("useV1");
export const isText = /* @__PURE__ */ pintle_api("isText");
export const isList = /* @__PURE__ */ pintle_api("isList");
export const isObject = /* @__PURE__ */ pintle_api("isObject");
