// A process that uses the extension. It is told how to go on: "return" to do nothing more, "wait" to be killed,
// "quit" to stop the sidecar, shut down, and end at once. Then only "quit" shuts the extension down.
import { readFileSync } from "node:fs";
import { FakePi, patient } from "./host.ts";

const [pids = "", pintle = "", then] = process.argv.slice(2);
const pi = new FakePi();
pi.load({
	command: ["/bin/sh", "-c", 'echo $$ > "$0"; exec "$@"', pids, pintle, "serve", "--stdio"],
	agentDir: "/nowhere", ...patient, closeLimit: 200,
});
await pi.emit("session_start", { reason: "startup" });
console.log(await pi.turn("q"));
if (then === "wait") setInterval(() => {}, 1000);
if (then === "quit") {
	process.kill(Number(readFileSync(pids, "utf8")), "SIGSTOP");
	await new Promise((resolve) => setTimeout(resolve, 200)); // until it stands
	await pi.close();
	process.exit();
}
