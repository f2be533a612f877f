/**
 * The program that the tests start as an editor does: an agent with a scripted model, over standard
 * input and output.
 *
 * @module
 */

import { jsonSchema, type ModelRequest, ToolLoopAgent } from "@parley/runtime";
import { acpTools, serveAcpStdio } from "@parley/runtime/acp";
import { memoryStorage } from "@parley/runtime/session";
import { scriptedModel } from "@parley/runtime/testing";

/** Responds to the last message: a tool call that it names, or text. */
async function respond({ messages, signal }: ModelRequest): Promise<object> {
  const last = messages.at(-1);
  if (last?.role === "tool") return { text: `Result: ${JSON.stringify(last.content[0]?.output)}` };
  const text = last?.role === "user" && last.content[0]?.type === "text"
    ? last.content[0].text
    : "";
  const [word, path] = text.split(" ");
  switch (word) {
    case "read":
      return { text: "Let me look.", calls: [{ toolName: "read_text_file", input: { path } }] };
    case "write":
      return { calls: [{ toolName: "write_text_file", input: { path, content: "new" } }] };
    case "run":
      return { calls: [{ toolName: "run_command", input: { command: "npm", args: ["test"] } }] };
    case "plan":
      return { calls: [{ toolName: "plan" }] };
    case "fail":
      throw new Error("a secret");
    case "wait":
      return await new Promise((_, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason));
      });
    default:
      console.log("this line is not a message"); // must not reach standard output
      return {
        content: [{ type: "reasoning", text: "Hm." }, { type: "text", text: `You: ${text}` }],
      };
  }
}

await serveAcpStdio({
  name: "clerk",
  version: "1.0.0",
  storage: memoryStorage(),
  modes: [{ id: "ask", name: "Ask" }, { id: "auto", name: "Auto", description: "Never asks" }],
  make: (session) =>
    new ToolLoopAgent({
      name: "clerk",
      model: scriptedModel(Array.from({ length: 9 }, () => respond)),
      modelRetries: 0,
      tools: [
        ...acpTools(session, { askPermission: false }),
        {
          name: "plan",
          inputSchema: jsonSchema({ type: "object" }),
          annotations: { readOnly: true },
          execute: (_input, { report }) =>
            report({ type: "plan", entries: [{ content: "Read", status: "in_progress" }] }),
        },
      ],
      approvalHandler: ({ tool }) =>
        session.modeId === "auto" || tool.annotations?.readOnly === true || { decision: "defer" },
    }),
  onError: (error) => console.error(error instanceof Error ? error.message : error),
});
