// Checks that the extension fits the ExtensionAPI of installed versions of Pi.
// Usage: node scripts/check-pi-types.mjs NODE_MODULES…   each with @earendil-works/pi-coding-agent in it
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const directory = mkdtempSync(join(tmpdir(), "pintle-pi-types-"));
const check = `import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import pintle from ${JSON.stringify(join(root, "src/index.ts"))};
export const load: (pi: ExtensionAPI) => void = pintle;
// @ts-expect-error: the check can fail
export const wrong: (pi: Omit<ExtensionAPI, "appendEntry">) => void = pintle;
`;
writeFileSync(join(directory, "check.mts"), check);
let failed = process.argv.length < 3;
for (const modules of process.argv.slice(2)) {
	const entry = join(resolve(modules), "@earendil-works/pi-coding-agent/dist/index.d.ts");
	writeFileSync(join(directory, "tsconfig.json"), JSON.stringify({
		extends: join(root, "tsconfig.json"),
		compilerOptions: {
			noEmit: true, rootDir: "/", rewriteRelativeImportExtensions: false, allowImportingTsExtensions: true,
			checkJs: false, allowJs: false, skipLibCheck: true, lib: ["es2023", "dom"],
			typeRoots: [join(root, "node_modules/@types")],
			paths: { "@earendil-works/pi-coding-agent": [entry] },
		},
		include: [], files: [join(directory, "check.mts")],
	}));
	const tsc = join(root, "node_modules/typescript/bin/tsc");
	const { status } = spawnSync(process.execPath, [tsc, "-p", directory], { stdio: "inherit" });
	console.log(`${modules}: ${status === 0 ? "fits" : "does not fit"}`);
	failed ||= status !== 0;
}
rmSync(directory, { recursive: true });
process.exit(failed ? 1 : 0);
