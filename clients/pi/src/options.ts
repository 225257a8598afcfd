import { homedir } from "node:os";
import { join } from "node:path";
import type { Config, Environment } from "./protocol.ts";

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

export type Settled = Required<Options>;

export function settle(options: Options): Settled {
	return {
		command: options.command ?? command(process.env["PINTLE_COMMAND"]),
		startWait: options.startWait ?? milliseconds("PINTLE_START_WAIT", 3000),
		startLimit: options.startLimit ?? 30_000,
		callLimit: options.callLimit ?? milliseconds("PINTLE_CALL_LIMIT", 5000),
		closeLimit: options.closeLimit ?? 1000,
		agentDir: options.agentDir ?? agentDir(),
		config: options.config ?? {},
		environment: options.environment ?? { timezone: Intl.DateTimeFormat().resolvedOptions().timeZone },
	};
}

/** PINTLE_COMMAND is a path, or a JSON list of a program and arguments. */
function command(given: string | undefined): string[] {
	const text = given?.trim() || "pintle";
	let program = [text];
	if (text.startsWith("[")) {
		let list: unknown;
		try {
			list = JSON.parse(text);
		} catch {
			// said below
		}
		if (!Array.isArray(list) || list.length === 0 || !list.every((item) => typeof item === "string")) {
			throw new Error(`PINTLE_COMMAND: want a path, or a JSON list of texts, got ${text}`);
		}
		program = list;
	}
	return [...program, "serve", "--stdio"];
}

function milliseconds(name: string, otherwise: number): number {
	const text = process.env[name]?.trim();
	if (!text) return otherwise;
	const value = Number(text);
	if (value > 0 && Number.isFinite(value)) return value;
	throw new Error(`${name}: want a number of milliseconds, got ${text}`);
}

function agentDir(): string {
	const given = process.env["PI_CODING_AGENT_DIR"];
	if (!given) return join(homedir(), ".pi", "agent");
	return given === "~" || given.startsWith("~/") ? join(homedir(), given.slice(1)) : given;
}
