// A sidecar that does little, and fails on demand. The argument is JSON: how it shall behave.
// A turn with the prompt "fail" kills it in any case.
//   fault: where it fails ("initialize", or a method's name), how: "exit" | "hang" | "garbage" |
//     "no end" (of a header) | "too long" (a message) | "refuse" (the call)
//   once: a file; the fault happens only while it does not exist, and makes it
//   gate: a file; initialize is not answered while it does not exist
//   told: a file; it is made when turn/start has been answered
//   problems, lookup: those that initialize answers
import { existsSync, writeFileSync } from "node:fs";

/** @type {{ fault?: string, how?: string, once?: string, gate?: string, told?: string, problems?: object[], lookup?: string }} */
const behaviour = JSON.parse(process.argv[2] ?? "{}");

/** @param {object} message */
function send(message) {
	const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
	process.stdout.write(`Content-Length: ${body.length}\r\n\r\n`);
	process.stdout.write(body);
}

let nextId = 1;
/** @type {Map<number, (results: any[]) => void>} */
const rendering = new Map();

/**
 * @param {number} call
 * @param {any[]} contributions
 */
async function render(call, contributions) {
	const messages = contributions.filter((c) => c.content !== undefined).map(({ id, content }) => ({ id, content }));
	const callbacks = contributions.filter((c) => c.content === undefined);
	if (callbacks.length === 0) return messages;
	const id = nextId++;
	const results = await new Promise((resolve) => {
		rendering.set(id, resolve);
		send({ id, method: "render", params: { call, handles: callbacks.map((c) => c.handle), stopOnError: true } });
	});
	for (const [i, { text, error }] of results.entries()) {
		if (error) throw { code: -32010, message: error.message, data: { contribution: callbacks[i].id } };
		if (text) messages.push({ id: callbacks[i].id, content: text });
	}
	return messages;
}

const guests = [{
	name: "tides@1.0.0", source: "/g/tides.wasm", id: "tides", version: "1.0.0", digest: "", contributions: [], adapters: [],
	withheld: ["harbour"],
}];

/** @type {any} */
let restored;
let cancelled = 0;
/** Requests wait for it or are refused. */
let initialized = false;
/** @type {Promise<unknown>} */
let initializing = Promise.resolve();

async function gate() {
	while (behaviour.gate && !existsSync(behaviour.gate)) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** @param {any} request */
async function handle({ id, method, params }) {
	if (!initialized && id !== undefined && method !== "initialize" && method !== "shutdown") {
		throw { code: -32002, message: "send initialize first" };
	}
	switch (method) {
		case "initialize":
			initializing = gate();
			await initializing;
			initialized = true;
			return { protocol: 1, server: { name: "fake", version: "0", engine: "none" }, guests, lookup: behaviour.lookup ?? "0.3.7", problems: behaviour.problems ?? [] };
		case "shutdown":
			await initializing;
			return {};
		case "session/start":
			restored = params.restore;
			return {};
		case "turn/start": {
			const messages = await render(id, params.contributions);
			const { provider, piSystemPrompt: base } = params.request;
			const prompt = `composed ${base}`;
			return {
				systemPrompt: prompt, fallback: false, audit: [{ customType: "pi-developer-messages/group", data: { entries: [] } }],
				notifications: [], state: { base, prompt, provider, messages, contextText: "files" },
			};
		}
		case "envelope/capture": {
			const messages = await render(id, params.contributions);
			const { provider, piSystemPrompt: base = null } = params.request;
			const envelope = { systemPrompt: "captured", developerMessages: messages, contextualUserMessages: [] };
			return { envelope, state: { base, prompt: "captured", provider, messages, contextText: null }, audit: [] };
		}
		case "envelope/current":
			return {
				envelope: {
					systemPrompt: JSON.stringify({ restored, overrides: params.overrides, cancelled }),
					developerMessages: await render(id, params.contributions), contextualUserMessages: [],
				},
			};
		case "payload/adapt":
			return { answered: true, edits: [{ op: "set", path: ["instructions"], value: "adapted" }] };
		case "$/cancelRequest":
			cancelled++;
			return {};
		case "crash":
			setTimeout(() => process.exit(3), 10);
			return {};
		default:
			return {};
	}
}

/** @param {any} message */
async function receive(message) {
	if (message.method === undefined) {
		rendering.get(message.id)?.(message.result?.results ?? [{ error: message.error }]);
		return;
	}
	if (message.method === "exit") process.exit(0);
	const asked = message.params?.request?.prompt === "fail";
	if (asked || (message.method === behaviour.fault && !(behaviour.once && existsSync(behaviour.once)))) {
		if (behaviour.once) writeFileSync(behaviour.once, "");
		if (asked || behaviour.how === "exit") process.exit(3);
		if (behaviour.how === "refuse") send({ id: message.id, error: { code: -32004, message: "too much waits" } });
		if (behaviour.how === "garbage") process.stdout.write("this is no frame\n\n");
		if (behaviour.how === "no end") process.stdout.write("x".repeat(5000));
		if (behaviour.how === "too long") process.stdout.write(`Content-Length: ${64 * 1024 * 1024 + 1}\r\n\r\n`);
		return;
	}
	try {
		send({ id: message.id, result: await handle(message) });
		if (behaviour.told && message.method === "turn/start") writeFileSync(behaviour.told, "");
	} catch (error) {
		send({ id: message.id, error });
	}
}

let buffer = Buffer.alloc(0);
process.stdin.on("data", (chunk) => {
	buffer = Buffer.concat([buffer, chunk]);
	for (;;) {
		const end = buffer.indexOf("\r\n\r\n");
		if (end < 0) return;
		const length = Number(/content-length: (\d+)/i.exec(buffer.toString("latin1", 0, end))?.[1]);
		if (buffer.length < end + 4 + length) return;
		void receive(JSON.parse(buffer.toString("utf8", end + 4, end + 4 + length)));
		buffer = buffer.subarray(end + 4 + length);
	}
});
process.stdin.on("end", () => process.exit(0));
