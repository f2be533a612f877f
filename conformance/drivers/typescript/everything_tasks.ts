/**
 * Task tools that the cases need in addition to the official ones.
 *
 * @module
 */

import { McpError, type McpServer, type RequestContext } from "@parley/mcp/server";
import { type ServerTasks, serverTasks } from "@parley/mcp/tasks";

/** Duration of the short task, in milliseconds. */
const WORK_MS = 50;
/** Lifetime of the task that expires, in milliseconds. */
const SHORT_MS = 600;

/** Maximum number of running tasks, low enough for a case to exceed. */
const MAX_RUNNING = 40;

/** Creates the tasks extension with a short poll interval. */
export function createTasks(): ServerTasks {
  return serverTasks({ pollIntervalMs: 20, maxRunning: MAX_RUNNING });
}

type Work = (context: RequestContext, tasks: ServerTasks) => Promise<unknown>;

const WORKS: Readonly<Record<string, Work>> = {
  test_task: async (context, { start }) => {
    const { signal } = await start(context);
    await pause(WORK_MS, signal);
    return "done";
  },
  test_task_required: async (context, { start }) => {
    await start(context, { required: true });
    return "done";
  },
  test_task_short: async (context, { start }) => {
    await ended((await start(context, { ttlMs: SHORT_MS })).signal);
    return "stopped";
  },
  test_task_rpc_error: async (context, { start }) => {
    await start(context);
    throw McpError.protocolError("No more", { rpcCode: 4711, data: { left: 0 } });
  },
  test_task_input: async (context, { start }) => {
    const { ask } = await start(context);
    const { content } = await ask("name", question("name"));
    await context.progress(1);
    await context.log("error", "sent after the response");
    return `Hello, ${content?.name}!`;
  },
  test_task_inputs: async (context, { start }) => {
    const { askAll } = await start(context);
    const answers = await askAll({ first: question("first"), second: question("second") });
    return `${answers.first.action}, ${answers.second.action}`;
  },
  test_task_input_twice: async (context, { start }) => {
    const { ask } = await start(context);
    await ask("name", question("name"));
    return (await ask("name", question("name"))).action;
  },
  test_task_after_question: async (context, { start }) => {
    const { content } = await context.ask("name", question("name"));
    await start(context);
    return `Hello, ${content?.name}!`;
  },
  test_user: async ({ principal }) => await Promise.resolve(principal?.subject ?? "nobody"),
};

/** Adds the task tools to the server. */
export function addKitTaskTools(server: McpServer, tasks: ServerTasks): void {
  for (const [name, work] of Object.entries(WORKS)) {
    const description = name === "test_user"
      ? "Returns the user name of the caller"
      : "Starts a task";
    server.registerTool({ name, description }, (_args, context) => work(context, tasks));
  }
}

function question(name: string) {
  const requestedSchema = { type: "object", properties: { [name]: { type: "string" } } } as const;
  return { method: "elicitation/create", params: { message: "?", requestedSchema } } as const;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return ended(AbortSignal.any([signal, AbortSignal.timeout(ms)]));
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
}
