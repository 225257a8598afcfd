import { registerDeveloperMessageContribution } from "pi-developer-messages";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

const DIRECTIVE = /^\[(review|plan|explain)\]\s/;

const MODES: Record<string, string> = {
	review: "The user wants a review. Report findings with file and line; change nothing.",
	plan: "The user wants a plan. Answer with numbered steps; change nothing.",
	explain: "The user wants an explanation. Follow one example through the code.",
};

function modeOf(prompt: string | undefined): string | undefined {
	const match = prompt?.match(DIRECTIVE);
	return match?.[1];
}

export default function directives(_pi: ExtensionAPI): void {
	registerDeveloperMessageContribution({
		id: "acme/directives",
		priority: 100,
		content: ({ prompt }) => {
			const mode = modeOf(prompt);
			return mode ? MODES[mode] : undefined;
		},
	});
}
