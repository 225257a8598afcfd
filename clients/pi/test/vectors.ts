import { readFileSync } from "node:fs";
import type { SystemPromptPayloadAdapter } from "../src/adapters.ts";
import {
	type DeveloperMessageContribution, registerDeveloperMessageContribution, type RenderContext,
} from "../src/contributions.ts";

/** A JSON object of a vector file. */
export type Data = Record<string, unknown>;

export interface Case {
	name: string;
	input: Data & { steps?: (Data & { do: string })[]; setup?: Data; loadLater?: boolean; ver?: string };
	expect: Data & { steps?: unknown[] };
	mode?: "reference";
}

/** The cases of one file of the conformance kit. */
export function cases(file: string): Case[] {
	const url = new URL(`../../../../testdata/vectors/developer-messages/${file}.json`, import.meta.url);
	return JSON.parse(readFileSync(url, "utf8")) as Case[];
}

/** A contribution given as data. */
export function contribution(data: Data): DeveloperMessageContribution {
	const { content, ...rest } = data;
	const made = typeof content === "object" && content !== null ? callback(content as Data) : content;
	return { ...rest, content: made } as DeveloperMessageContribution;
}

function callback(data: Data): (context: RenderContext) => unknown {
	switch (data["fn"]) {
		case "template":
			return (context) => template(data["text"] as string, context);
		case "nothing":
			return () => undefined;
		case "null":
			return () => null;
		case "number":
			return () => data["value"];
		case "throw":
			return () => {
				throw new Error(data["message"] as string);
			};
		case "throw-string":
			return () => {
				throw data["message"];
			};
		case "if-prompt":
			return ({ prompt }) => (prompt === data["equals"] ? data["then"] : data["else"]);
		case "if-tool":
			return ({ activeTools }) => (activeTools.includes(data["tool"] as string) ? data["then"] : data["else"]);
		case "register-more":
			return () => {
				registerDeveloperMessageContribution(contribution({ id: data["id"], content: data["content"] }));
				return data["then"];
			};
		case "keys":
			return (context) => Object.entries(context).filter(([, value]) => value !== undefined)
				.map(([key]) => key).sort().join(",");
		default:
			throw new Error(`unknown callback ${String(data["fn"])}`);
	}
}

function template(text: string, context: RenderContext): string {
	const skills = (context.systemPromptOptions["skills"] ?? []) as { name: string }[];
	const values: Record<string, string | undefined> = {
		prompt: context.prompt, provider: context.provider, sessionId: context.sessionId,
		tools: context.activeTools.join(","), cwd: context.systemPromptOptions.cwd,
		skills: skills.map(({ name }) => name).join(","),
	};
	return text.replace(/\{(\w+)\}/g, (whole, key: string) => (key in values ? values[key] ?? "" : whole));
}

/** An adapter given as data. */
export function adapter(data: Data): SystemPromptPayloadAdapter {
	const { provider, api, model, enabled, read, write, developer } = data as {
		provider: string; api?: string; model?: string; enabled?: boolean; read: Data; write: Data; developer?: Data;
	};
	const set = (how: Data, payload: unknown, value: unknown): unknown => {
		if ("throw" in how) throw new Error(how["throw"] as string);
		if (how["identity"]) return payload;
		return { ...(payload as object), [how["field"] as string]: value };
	};
	return {
		provider, api, model,
		enabled: enabled === undefined ? undefined : () => enabled,
		readSystemPrompt: (payload) => {
			if ("throw" in read) throw new Error(read["throw"] as string);
			const found = "const" in read ? read["const"] : (payload as Data | null)?.[read["field"] as string];
			return typeof found === "string" ? found : undefined;
		},
		replaceSystemPrompt: (payload, text) => set(write, payload, text),
		...(developer && { replaceDeveloperMessages: (payload: unknown, messages: unknown) => set(developer, payload, messages) }),
	};
}
