/**
 * Tools whose calls become tasks: they take long, ask, fail, or cannot do without.
 *
 * @module
 */

import { McpError, type McpServer, type RequestContext } from "@parley/mcp/server";
import type { ServerTasks } from "@parley/mcp/tasks";
import { form } from "./question_tools.ts";

type Tool = (
  args: Readonly<Record<string, string | number>>,
  context: RequestContext,
) => unknown;

/** Adds the tools; `start` makes a task of a call. */
export function addTaskTools(server: McpServer, { start }: ServerTasks): void {
  const tools: Readonly<Record<string, Tool>> = {
    greet: ({ name }) => `Hello, ${name}!`,
    slow_compute: async ({ seconds, label }, context) => {
      const { signal } = await start(context);
      await delay(Number(seconds) * 1000, signal);
      return `${label} took ${seconds} s`;
    },
    failing_job: async (_args, context) => {
      await start(context, { required: true });
      throw new Error("This job always fails");
    },
    protocol_error_job: async (_args, context) => {
      await start(context);
      throw McpError.protocolError("This job always breaks", { rpcCode: -32603 });
    },
    confirm_delete: async ({ filename }, context) => {
      const { ask } = await start(context);
      const { action } = await ask("confirm", form(`Delete ${filename}?`, "confirm"));
      return action === "accept" ? `Deleted ${filename}` : "Left alone";
    },
    multi_input: async (_args, context) => {
      const { askAll } = await start(context);
      const answers = await askAll({ name: form("Your name?", "name"), ok: form("Go on?", "ok") });
      return `Answered: ${Object.keys(answers).join(", ")}`;
    },
    test_tool_with_task: async (_args, context) => {
      const { content } = await context.ask("user_name", form("What is your name?", "name"));
      await start(context);
      return `Hello, ${content?.name}!`;
    },
  };
  for (const [name, handler] of Object.entries(tools)) {
    server.registerTool({ name, description: "May become a task" }, handler);
  }
}

function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
