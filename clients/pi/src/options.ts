import { homedir } from "node:os";
import { join } from "node:path";
import type { Config, Environment, Problem } from "./protocol.ts";

/** How the extension runs its sidecar. Times are milliseconds. */
export interface Options {
	/** Program and arguments. Default: PINTLE_COMMAND, else `pintle`, with `serve --stdio`. */
	command?: string[];
	/** How long a hook waits for a sidecar that is still starting. Default: PINTLE_START_WAIT, else 3000. */
	startWait?: number;
	/** After this time a sidecar that is still starting is killed. Default 30000. */
	startLimit?: number;
	/** How long a call may take. Default: PINTLE_CALL_LIMIT, else 5000. */
	callLimit?: number;
	/** How long Pi waits at shutdown for the sidecar to end before it is killed. Default 1000. */
	closeLimit?: number;
	/** Pi's agent directory. Default: as Pi finds it. */
	agentDir?: string;
	/** Settings that win over `<agentDir>/pintle/sidecar.toml`, key by key. */
	config?: Config;
	/** What the sidecar shall believe about this process. Default: the name of Node's time zone. */
	environment?: Environment;
}

/** Options without gaps, and what was wrong with them; a wrong setting must not keep Pi from starting. */
export type Settled = Required<Options> & { problems: Problem[] };

/** What a timer can take, in milliseconds: 24 days. One that is given more does not wait at all. */
const longest = 2 ** 31 - 1;

export function settle(options: Options): Settled {
	const problems: Problem[] = [];
	const milliseconds = (name: string, otherwise: number): number => {
		const text = process.env[name]?.trim();
		if (!text) return otherwise;
		const value = Number(text);
		if (value > 0 && Number.isFinite(value)) return Math.min(value, longest);
		problems.push({ where: name, message: `want a number of milliseconds, got ${text}; it is ${otherwise}` });
		return otherwise;
	};
	return {
		command: options.command ?? command(process.env["PINTLE_COMMAND"]),
		startWait: options.startWait ?? milliseconds("PINTLE_START_WAIT", 3000),
		startLimit: options.startLimit ?? 30_000,
		callLimit: options.callLimit ?? milliseconds("PINTLE_CALL_LIMIT", 5000),
		closeLimit: options.closeLimit ?? 1000,
		agentDir: options.agentDir ?? agentDir(),
		config: options.config ?? {},
		environment: options.environment ?? { timezone: Intl.DateTimeFormat().resolvedOptions().timeZone },
		problems,
	};
}

/** PINTLE_COMMAND is a path, or a JSON list of a program and arguments. What is neither is no program. */
function command(given: string | undefined): string[] {
	const text = given?.trim() || "pintle";
	return [...(text.startsWith("[") ? listed(text) : undefined) ?? [text], "serve", "--stdio"];
}

function listed(text: string): string[] | undefined {
	try {
		const list = JSON.parse(text) as unknown;
		if (Array.isArray(list) && list.length > 0 && list.every((item) => typeof item === "string")) return list;
	} catch {
		// then it is none
	}
	return undefined;
}

function agentDir(): string {
	const given = process.env["PI_CODING_AGENT_DIR"];
	if (!given) return join(homedir(), ".pi", "agent");
	return given === "~" || given.startsWith("~/") ? join(homedir(), given.slice(1)) : given;
}
