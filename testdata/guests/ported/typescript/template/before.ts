import { registerDeveloperMessageContribution } from "pi-developer-messages";

const HEADING = "Working agreement for this session";

const rules = [
	"Keep commits small and say in their message why, not what.",
	"Ask before you add a dependency.",
];

/** Numbered, so that people can refer to a rule. */
const numbered = rules.map((rule, index) => `${index + 1}. ${rule}`).join("\n");

export const unregister = registerDeveloperMessageContribution({
	id: "acme/agreement",
	priority: 40,
	content: ({ sessionId, provider, systemPromptOptions }) => {
		const where = systemPromptOptions.cwd ? ` in ${systemPromptOptions.cwd}` : "";
		return `<agreement session="${sessionId}" model="${provider ?? "unknown"}">
${HEADING}${where}:
${numbered}
</agreement>`;
	},
});
