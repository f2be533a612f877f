import { type LanguageModel, ToolLoopAgent } from "@parley/runtime";
import { type AcpMode, type AcpSession, acpTools } from "@parley/runtime/acp";

/** Modes that the user can select in the editor. */
export const MODES: readonly AcpMode[] = [
  { id: "ask", name: "Ask", description: "Asks before each change" },
  { id: "auto", name: "Auto", description: "Changes files and runs commands without asking" },
];

/** Creates the agent of a session. Add the tools for your task to `tools`. */
export function createAgent(session: AcpSession, model: LanguageModel): ToolLoopAgent {
  return new ToolLoopAgent({
    name: "coder",
    model,
    systemPrompt: `You work on the project in ${session.cwd}. Use absolute paths.`,
    tools: [...acpTools(session, { askPermission: session.modeId !== "auto" })],
  });
}
