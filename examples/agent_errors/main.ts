/**
 * Shows how failures are reported: the output contains tool errors, exceeded limits and aborts, and
 * the run rejects if the model fails.
 *
 *     deno run examples/agent_errors/main.ts
 *
 * @module
 */

import { AgentError, ToolError, ToolLoopAgent } from "@parley/runtime";
import { type ScriptedCall, scriptedModel, type ScriptedTurn } from "@parley/runtime/testing";
import { z } from "zod";

function createAgent(script: readonly ScriptedTurn[]) {
  return new ToolLoopAgent({
    name: "clerk",
    model: scriptedModel(script),
    budget: { maxToolCalls: 3 },
    toolTimeoutMs: 50,
    onError: (error) => console.log(`onError: ${error}`),
    tools: [
      {
        name: "read",
        description: "Reads a file",
        inputSchema: z.object({ path: z.string() }),
        execute({ path }) {
          // The model receives each exception's message. `onError` receives every exception that is
          // not a ToolError.
          if (path === "/") throw new ToolError("The path must name a file");
          throw new Error(`Disk failure at ${path}`);
        },
      },
      {
        name: "wait",
        description: "Waits until the call times out or the run is aborted",
        inputSchema: z.object({}),
        execute: (_input, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener("abort", () => reject(signal.reason));
          }),
      },
    ],
  });
}

function read(path: unknown): ScriptedCall {
  return { toolName: "read", input: { path } };
}

async function failInTools(): Promise<void> {
  await using agent = createAgent([
    { calls: [read(1), read("/"), read("/a"), { toolName: "wait" }] },
  ]);
  const { iterations, stopReason } = await agent.run("Read the files");
  for (const { output } of iterations.flatMap(({ toolResults }) => toolResults)) {
    if ("value" in output) console.log(`The model reads: ${output.value}`);
  }
  console.log(`Stop reason: ${stopReason}`);
}

async function abort(): Promise<void> {
  await using agent = createAgent([{ calls: [{ toolName: "wait" }] }]);
  const controller = new AbortController();
  for await (const event of agent.stream("Wait", { signal: controller.signal })) {
    if (event.type === "tool_started") controller.abort();
    if (event.type === "run_finished") console.log(`Stop reason: ${event.stopReason}`);
  }
}

async function failInModel(): Promise<void> {
  await using agent = createAgent([{ calls: [read("/")] }, {
    error: new Error("Invalid API key"),
  }]);
  try {
    await agent.run("Read the files");
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    console.log(`${error.code}: ${error.message}`);
    console.log(`Iterations before the failure: ${error.partialOutput?.iterations.length}`);
  }
}

await failInTools();
await abort();
await failInModel();
