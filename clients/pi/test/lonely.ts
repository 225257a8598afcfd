// A process that uses the extension and never shuts it down. It is told how to go on: "return" to do
// nothing more, "wait" to be killed.
import { FakePi, patient } from "./host.ts";

const [pids = "", pintle = "", then] = process.argv.slice(2);
const pi = new FakePi();
pi.load({
	command: ["/bin/sh", "-c", 'echo $$ > "$0"; exec "$@"', pids, pintle, "serve", "--stdio"],
	agentDir: "/nowhere", ...patient,
});
await pi.emit("session_start", { reason: "startup" });
console.log(await pi.turn("q"));
if (then === "wait") setInterval(() => {}, 1000);
