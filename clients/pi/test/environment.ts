import type { Environment } from "../src/protocol.ts";
import type { Data } from "./vectors.ts";

/** A case's setup as the sidecar is told of it: the machine is not asked. */
export function environment(setup: Data = {}): Environment {
	const { now = "2026-03-09T12:00:00Z", tz = "Europe/Lisbon", SHELL = "/usr/bin/zsh", ComSpec, platform = "linux" } = setup;
	const timezone = (tz ?? "unknown") as string;
	const timeZone = timezone === "unknown" ? "UTC" : timezone;
	return {
		timezone, platform: platform as string, shell: (SHELL ?? ComSpec ?? "") as string,
		currentDate: new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" }).format(new Date(now as string)),
	};
}
