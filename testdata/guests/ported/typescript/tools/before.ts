import { registerDeveloperMessageContribution, type DeveloperMessageRenderContext } from "pi-developer-messages";

class ToolGuide {
	readonly #notes = new Map<string, string>();

	add(tool: string, note: string): this {
		this.#notes.set(tool, note);
		return this;
	}

	render({ activeTools }: DeveloperMessageRenderContext): string {
		const lines = activeTools
			.filter((tool) => this.#notes.has(tool))
			.map((tool) => `- ${tool}: ${this.#notes.get(tool)}`);
		if (lines.length === 0) return "";
		return ["Care with tools:", ...lines].join("\n");
	}
}

const guide = new ToolGuide()
	.add("bash", "never rewrite history without asking")
	.add("edit", "read a file again before you edit it");

registerDeveloperMessageContribution({
	id: "acme/tool-guide",
	providers: ["openai-codex", "anthropic"],
	activeTools: ["read"],
	content: (context) => guide.render(context),
});
