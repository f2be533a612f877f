/**
 * Tools whose calls become tasks: tools that are slow, fail, send input requests or require a task.
 *
 * @module
 */

import type { McpServer, RequestContext } from "@parley/mcp/server";
import type { ServerTasks } from "@parley/mcp/tasks";
import { confirmation, form, roots } from "./input_tools.ts";

type Args = Readonly<Record<string, string | number>>;

/** Registers the tools. `start` turns a call into a task. */
export function addTaskTools(server: McpServer, { start }: ServerTasks): void {
  const tools: Record<string, (args: Args, context: RequestContext) => unknown> = {
    greet: ({ name }) => `Hello, ${name}!`,
    slow_compute: async ({ seconds, label }, context) => {
      const { signal } = await start(context);
      const end = AbortSignal.any([signal, AbortSignal.timeout(Number(seconds) * 1000)]);
      await new Promise((resolve) => end.addEventListener("abort", resolve));
      return `${label} took ${seconds} s`;
    },
    failing_job: async (_args, context) => {
      await start(context, { required: true });
      throw new Error("This job always fails");
    },
    protocol_error_job: async (_args, context) => {
      // `ask` rejects if the client does not support roots.
      await (await start(context)).ask("roots", roots);
    },
    confirm_delete: async ({ filename }, context) => {
      const { ask } = await start(context);
      const { action } = await ask("confirm", confirmation(`Delete ${filename}?`, "confirm"));
      return action === "accept" ? `Deleted ${filename}` : "Not deleted";
    },
    multi_input: async (_args, context) => {
      const { askAll } = await start(context);
      return Object.keys(
        await askAll({
          name: form("Name?", "name"),
          confirm: confirmation("Continue?", "confirm"),
        }),
      );
    },
    test_tool_with_task: async (_args, context) => {
      const { content } = await context.ask("user_name", form("What is your name?", "name"));
      await start(context);
      return `Hello, ${content?.name}!`;
    },
  };
  for (const [name, handler] of Object.entries(tools)) {
    server.registerTool({ name, description: "Can become a task" }, handler);
  }
}
