import assert from "node:assert/strict";
import { registerSystemPromptPayloadAdapter } from "../src/adapters.ts";
import {
	type DeveloperMessageContribution, getDeveloperMessageContributionRegistry, messageOf,
	registerDeveloperMessageContribution, type RenderContext,
} from "../src/contributions.ts";
import type { Options } from "../src/options.ts";
import type { PiModel } from "../src/pi.ts";
import { renderDeveloperMessages } from "../src/render.ts";
import type { PromptEnvelopeRequest } from "../src/requests.ts";
import { type EnvelopeOverrides, getPromptEnvelopeService } from "../src/service.ts";
import { ADAPTERS_KEY, CONTRIBUTIONS_KEY, registry, SERVICE_KEY, writeSlot } from "../src/slots.ts";
import { environment } from "./environment.ts";
import { FakePi, freshProcess, patient } from "./host.ts";
import { RealSidecar } from "./real.ts";
import { adapter, type Case, contribution, type Data } from "./vectors.ts";

type Step = Data & { do: string };

/** What the conformance kit calls an error. */
export function failure(error: unknown, kind = "callback-failed"): Data {
	const text = messageOf(error);
	const data = (error as { data?: { kind?: string } } | undefined)?.data;
	if (data?.kind === "content-not-text" || error instanceof TypeError) return { errorKind: "content-not-text" };
	if (/needs an id$/.test(text)) return { error: text, errorKind: "id-required" };
	if (/needs a provider$/.test(text)) return { error: text, errorKind: "provider-required" };
	return { error: text, errorKind: kind };
}

export function renderContext(given: Data = {}): RenderContext {
	const { provider, ...rest } = given;
	return {
		activeTools: [], sessionId: "s1", systemPromptOptions: { cwd: "/work/app" }, ...rest,
		provider: (provider ?? undefined) as string | undefined,
	};
}

/** Runs the steps of a case through the extension in an emulated Pi, with a real sidecar. */
export class Runner {
	readonly #case: Case;
	readonly #pi = new FakePi();
	readonly #sidecar = new RealSidecar();
	readonly #options: Options;
	readonly #disposers = new Map<string, () => void>();
	#loaded = false;
	#preset: unknown;

	constructor(c: Case) {
		this.#case = c;
		const codex = JSON.stringify(c.input).includes('"codex"');
		this.#options = {
			...patient,
			command: this.#sidecar.command,
			agentDir: "/home/u/.pi/agent",
			environment: environment(c.input.setup),
			config: {
				policy: "fail",
				lookup: c.input.ver === "39" ? "0.3.9" : "0.3.7",
				adapters: codex && (c.mode === "reference" ? { compat: "reference" } : {}),
			},
		};
		freshProcess();
		if (!c.input.loadLater) this.#load();
	}

	async run(): Promise<unknown[]> {
		const results: unknown[] = [];
		for (const step of this.#case.input.steps ?? []) {
			this.#pi.session = (step["session"] as string | undefined) ?? this.#pi.session;
			this.#pi.appended = [];
			results.push((await this.#step(step)) ?? null);
		}
		return results;
	}

	async close(): Promise<void> {
		await this.#pi.close();
		this.#sidecar.remove();
	}

	#load(): void {
		this.#loaded = true;
		this.#pi.load(this.#options);
	}

	async #step(step: Step): Promise<Data | null> {
		switch (step.do) {
			case "load":
				this.#load();
				return null;
			case "resume":
				await this.#pi.close();
				freshProcess();
				this.#load();
				return null;
			case "register":
				return this.#register(step);
			case "adapter":
				return this.#adapter(step);
			case "unregister":
				this.#disposers.get((step["handle"] ?? step["id"]) as string)?.();
				return null;
			case "render":
				try {
					return { messages: renderDeveloperMessages(renderContext(step["context"] as Data)) };
				} catch (error) {
					return failure(error);
				}
			case "session_start":
				await this.#pi.emit("session_start", { reason: step["reason"] ?? "startup" });
				return null;
			case "turn":
				return this.#loaded ? this.#turn(step) : null;
			case "capture":
				return this.#capture(step);
			case "current":
				return this.#current(step);
			case "clear":
				getPromptEnvelopeService()?.clear(this.#pi.session);
				return null;
			case "service":
				return { available: getPromptEnvelopeService() !== undefined };
			case "context": {
				const answer = await this.#pi.emit("context", { messages: step["messages"] });
				return answer === undefined ? { unchanged: true } : (answer as Data);
			}
			case "request":
				return this.#request(step);
			case "compact":
			case "tree": {
				const preparation = structuredClone(step["preparation"]);
				const hook = await this.#pi.emit(`session_before_${step.do}`, { preparation });
				return { preparation, ...(step.do === "compact" && { hookResult: hook ?? null }) };
			}
			case "shutdown":
				await this.#pi.emit("session_shutdown", { reason: step["reason"] });
				return { serviceAvailable: getPromptEnvelopeService() !== undefined };
			case "append":
				this.#pi.tree().add(step["entry"] as object);
				return null;
			case "branch":
				this.#pi.tree().leaf = step["to"] as string | null;
				return null;
			case "entries":
				return { branch: this.#pi.tree().branch() };
			case "settings":
				await this.#settings((step["values"] as Data)["auditEntries"]);
				return null;
			case "fail_append":
				this.#pi.failAppend = step["on"] === true;
				return null;
			case "fail_ui":
				this.#pi.failUI = step["on"] === true;
				return null;
			case "no_ui":
				this.#pi.hasUI = false;
				return null;
			case "clock": {
				// The sidecar was told the date when it was started; a new one is told the new date.
				const { do: _, session: __, ...changes } = step;
				Object.assign(this.#options.environment ?? {}, environment({ ...this.#case.input.setup, ...changes }));
				await this.#sidecar.kill();
				return null;
			}
			case "preset":
				return this.#presetSlot(step);
			case "adopted":
				return this.#adopted();
			case "set_raw":
				getDeveloperMessageContributionRegistry().set(step["key"] as string, contribution(step["contribution"] as Data));
				return null;
			case "fake_service": {
				const shape = Object.keys(step["shape"] as object).map((name) => [name, () => undefined]);
				writeSlot(SERVICE_KEY, Object.fromEntries(shape));
				return null;
			}
			default:
				throw new Error(`unknown step ${step.do}`);
		}
	}

	#register(step: Step): Data {
		const made = contribution(step["contribution"] as Data);
		try {
			this.#disposers.set((step["handle"] ?? made.id) as string, registerDeveloperMessageContribution(made));
			return { ok: true };
		} catch (error) {
			return failure(error);
		}
	}

	#adapter(step: Step): Data {
		// The Codex adapter is the sidecar's own. It is found by the api, which these cases do not name.
		if (step["adapter"] === "codex") return { ok: true };
		const made = adapter(step["adapter"] as Data);
		const handle = (step["handle"] ?? made.provider) as string;
		try {
			if (this.#case.input.ver === "39" && made.provider.trim() !== "") {
				// Packages of the newer line write under keys of their own.
				const adapters = registry<unknown>(ADAPTERS_KEY);
				const key = `${made.provider}:*:${handle}`;
				adapters.set(key, made);
				this.#disposers.set(handle, () => adapters.delete(key));
			} else {
				this.#disposers.set(handle, registerSystemPromptPayloadAdapter(made));
			}
			return { ok: true };
		} catch (error) {
			return failure(error);
		}
	}

	#model(step: Step): PiModel | undefined {
		const provider = step["provider"] as string | undefined;
		if (!provider) return undefined;
		const api = (step["api"] ?? (provider === "openai-codex" ? "openai-codex-responses" : undefined)) as string;
		return { provider, api, id: (step["model"] ?? undefined) as string };
	}

	async #turn(step: Step): Promise<Data> {
		if (step["tools"]) this.#pi.tools = step["tools"] as string[];
		this.#pi.model = this.#model(step);
		this.#pi.cwd = (step["cwd"] as string | undefined) ?? "/work/app";
		this.#pi.notifications = [];
		const base = "systemPrompt" in step ? (step["systemPrompt"] as string) : "PI BASE";
		const prompt = await this.#pi.turn(step["prompt"] as string, base, step["options"] as object);
		return {
			systemPrompt: prompt ?? null, audit: this.#pi.appended, notifications: this.#pi.notifications,
			...(prompt === undefined && { result: "none" }),
		};
	}

	#capture(step: Step): Data {
		const request = {
			sessionId: this.#pi.session, activeTools: [], cwd: "/work/app", systemPromptOptions: { cwd: "/work/app" },
			...(step["request"] as object),
		} as PromptEnvelopeRequest;
		try {
			const envelope = getPromptEnvelopeService()?.capture(request) ?? null;
			return { envelope, audit: this.#pi.appended };
		} catch (error) {
			return { ...failure(error), audit: this.#pi.appended };
		}
	}

	#current(step: Step): Data {
		const given = (step["overrides"] ?? {}) as Data;
		// In the kit null stands for a key that is present with undefined.
		const overrides = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, value ?? undefined]));
		try {
			const envelope = getPromptEnvelopeService()?.current(this.#pi.session, overrides as EnvelopeOverrides);
			return envelope ? { envelope, audit: this.#pi.appended } : { envelope: null };
		} catch (error) {
			return failure(error);
		}
	}

	async #request(step: Step): Promise<Data> {
		this.#pi.model = this.#model(step);
		const before = JSON.stringify(step["payload"]);
		try {
			const payload = await this.#pi.request(step["payload"]);
			assert.equal(JSON.stringify(step["payload"]), before, "the payload was modified");
			return payload === undefined ? { unchanged: true } : { payload };
		} catch (error) {
			return failure(error, "adapter-failed");
		}
	}

	async #settings(value: unknown): Promise<void> {
		const valid = Array.isArray(value) && value.every((item) => typeof item === "string");
		await this.#pi.sidecar?.call("audit/settings", {
			auditEntries: valid ? value : ["developer", "context-user"],
		});
	}

	#presetSlot(step: Step): null {
		const { protocol, version, contributions = [], lacks = [], plainObject } = step as {
			protocol?: string; version?: unknown; contributions?: Data[]; lacks?: string[]; plainObject?: boolean;
		};
		const fields = { ...(protocol !== undefined && { protocol }), ...(version !== undefined && { version }) };
		const map = new Map<string, DeveloperMessageContribution>();
		for (const data of contributions) map.set(data["id"] as string, contribution(data));
		this.#preset = plainObject ? { ...fields } : Object.assign(map, fields);
		for (const method of lacks) Object.assign(this.#preset as object, { [method]: undefined });
		writeSlot(CONTRIBUTIONS_KEY, this.#preset);
		return null;
	}

	#adopted(): Data {
		const found = getDeveloperMessageContributionRegistry();
		return {
			adopted: found === this.#preset, protocol: found.protocol, version: found.version,
			ids: [...found.values()].map(({ id }) => id),
		};
	}
}

