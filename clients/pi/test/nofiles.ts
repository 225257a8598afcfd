// A process that may have no more files: it starts sidecars with a few left, more than a thread needs and fewer
// than that and a program. What the user is told is its output.
import { closeSync, openSync } from "node:fs";
import { FakePi, freshProcess, patient } from "./host.ts";

const program = process.argv[2] ?? "";
for (let left = 16; left >= 4; left--) {
	freshProcess();
	const pi = new FakePi();
	pi.load({ command: [program, "serve", "--stdio"], agentDir: "/nowhere", ...patient });
	const files: number[] = [];
	try {
		for (;;) files.push(openSync("/dev/null", "r"));
	} catch {
		// that was all
	}
	for (const file of files.splice(0, left)) closeSync(file);
	await pi.turn("q");
	for (const file of files) closeSync(file);
	for (const { message } of pi.notifications) console.log(message);
	await pi.close();
}
process.exit();
