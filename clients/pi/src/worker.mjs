// The sidecar's side of the connection, in a thread of its own: it spawns the sidecar, splits and joins
// frames and knows nothing of what is in them. Being a thread, it goes on while Pi's thread waits in
// Atomics.wait, which is what makes a synchronous call possible.
import { spawn } from "node:child_process";
import { workerData } from "node:worker_threads";

/**
 * What the thread is started with. `counter` is one shared 32-bit integer that goes up with every
 * message to Pi's thread.
 * @typedef {{ port: import("node:worker_threads").MessagePort, counter: SharedArrayBuffer,
 *   command: string[] }} Start
 */
/**
 * What Pi's thread sends: the body of a message, or an order.
 * @typedef {Uint8Array | { order: "end" | "kill" }} Outgoing
 */
/**
 * What it gets: the body of a message, or the last word.
 * @typedef {Uint8Array | { ended: string, stderr: string }} Incoming
 */

const maxBody = 64 * 1024 * 1024;
const maxHeader = 4096;
const keptStderr = 4096;

const { port, counter, command } = /** @type {Start} */ (workerData);
const signal = new Int32Array(counter);
const [program = "", ...args] = command;

/** @param {Incoming} message */
function tell(message) {
	const moved = message instanceof Uint8Array ? [/** @type {ArrayBuffer} */ (message.buffer)] : [];
	port.postMessage(message, moved);
	Atomics.add(signal, 0, 1);
	Atomics.notify(signal, 0);
}

let stderr = "";
let over = false;

/** @param {string} why */
function finish(why) {
	if (over) return;
	over = true;
	tell({ ended: why, stderr });
	port.close();
}

const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"], windowsHide: true });
child.on("error", (/** @type {NodeJS.ErrnoException} */ error) => finish(error.code === "ENOENT"
	? `could not be started: there is no program ${program}; PINTLE_COMMAND can say where it is`
	: `could not be started: ${error.message}`));
// What it wrote last may be read after it exited; a pipe that something else keeps open is not waited for.
child.on("exit", () => setTimeout(() => finish("ended"), 500).unref());
child.on("close", (code, name) => finish(name ? `ended by ${name}` : `ended with status ${code}`));

/** @param {string} why */
function breakOff(why) {
	child.kill("SIGKILL");
	finish(why);
}

/** Bytes of an unfinished header. */
let head = Buffer.alloc(0);
/** @type {Uint8Array | undefined} */
let body;
let filled = 0;

/**
 * The length that a header gives, -1 if it gives none.
 * @param {string} text
 */
function contentLength(text) {
	let length = -1;
	for (const line of text.split(/\r?\n/)) {
		const match = /^([!-9;-~]+):[ \t]*(.*?)[ \t]*$/.exec(line);
		if (!match) return -1;
		if (match[1]?.toLowerCase() === "content-length") {
			length = /^\d{1,9}$/.test(match[2] ?? "") ? Number(match[2]) : -1;
		}
	}
	return length;
}

/** @param {Buffer} chunk */
function read(chunk) {
	while (chunk.length > 0 && !over) {
		if (body) {
			const part = chunk.subarray(0, body.length - filled);
			body.set(part, filled);
			filled += part.length;
			chunk = chunk.subarray(part.length);
		} else {
			head = Buffer.concat([head, chunk]);
			const end = /\r?\n\r?\n/.exec(head.toString("latin1", 0, maxHeader));
			if (!end) {
				if (head.length >= maxHeader) breakOff("wrote something that is not a message");
				return;
			}
			const length = contentLength(head.toString("latin1", 0, end.index));
			if (length < 0 || length > maxBody) return breakOff("wrote something that is not a message");
			chunk = head.subarray(end.index + end[0].length);
			head = Buffer.alloc(0);
			body = new Uint8Array(length);
			filled = 0;
		}
		if (body && filled === body.length) {
			const whole = body;
			body = undefined;
			tell(whole);
		}
	}
}

// What could not be started has no streams if files had run out.
const started = child.pid !== undefined;
if (started) {
	child.stdin.on("error", () => {}); // the exit that follows says more than a broken pipe
	child.stderr.on("data", (chunk) => {
		stderr = (stderr + chunk).slice(-keptStderr);
	});
	child.stdout.on("data", read);
}

port.on("message", (/** @type {Outgoing} */ message) => {
	if (!started) return;
	if (message instanceof Uint8Array) {
		// One write, so that the sidecar wakes once for a message.
		child.stdin.cork();
		child.stdin.write(`Content-Length: ${message.length}\r\n\r\n`);
		child.stdin.write(message);
		child.stdin.uncork();
	} else if (message.order === "end") {
		child.stdin.end();
	} else {
		breakOff("was killed");
	}
});
// Pi's thread closes its port only when it wants nothing of the sidecar any more.
port.on("close", () => child.kill("SIGKILL"));
