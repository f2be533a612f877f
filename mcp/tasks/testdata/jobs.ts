import type { JsonObject } from "../../shared/json.ts";
import { McpServer, type ToolHandler } from "../../server.ts";
import type { ElicitRequest } from "../../protocol/input_request.ts";
import { type ServerTasks, serverTasks } from "../server.ts";
import type { ServerTasksOptions } from "../server_options.ts";
import { TASK_STORE_FUNCTIONS, type TaskStore } from "../task_store.ts";

/** Identifier of the extension. */
export const EXTENSION = "io.modelcontextprotocol/tasks";
/** Capabilities of a client that supports tasks and elicitation. */
export const CAPABILITIES: JsonObject = { elicitation: {}, extensions: { [EXTENSION]: {} } };

/** Creates the tool handler. */
export type Work = (jobs: ServerTasks) => ToolHandler;

/** Creates a server with a `job` tool. */
export function make(work: Work, options: ServerTasksOptions = {}): McpServer {
  const jobs = serverTasks({ pollIntervalMs: 1, ...options });
  const server = new McpServer({ name: "s", version: "1", extensions: [jobs] });
  server.registerTool({ name: "job", description: "" }, work(jobs));
  return server;
}

/** Creates a store that replaces some functions of another store. */
export function override(store: TaskStore, functions: Partial<TaskStore>): TaskStore {
  const inner: Record<string, unknown> = {};
  for (const name of TASK_STORE_FUNCTIONS) inner[name] = store[name].bind(store);
  // `inner` implements all of the store's functions.
  return { ...inner, ...functions } as TaskStore;
}

/** Creates an elicitation request. */
export function form(message: string): ElicitRequest {
  return { method: "elicitation/create", params: { message, requestedSchema: { type: "object" } } };
}

/** Sends a modern request. Returns the result or the error. */
export async function ask(
  server: McpServer,
  method: string,
  params: JsonObject = {},
  { capabilities = CAPABILITIES, subject }: { capabilities?: object; subject?: string } = {},
): Promise<JsonObject> {
  const response = await server.exchange({ jsonrpc: "2.0", id: 1, method, params }, {
    client: { protocolVersion: "2026-07-28", capabilities },
    signal: new AbortController().signal,
    ...(subject === undefined ? {} : { principal: { subject } }),
  });
  return "result" in response ? response.result : { ...response.error };
}

/** Calls the tool. Returns the result or the error. */
export function call(
  server: McpServer,
  by?: { capabilities?: object; subject?: string },
): Promise<JsonObject> {
  return ask(server, "tools/call", { name: "job" }, by);
}

/** Creates a promise and the function that resolves it. */
export function hold<T = void>(): { promise: Promise<T>; release: (value: T) => void } {
  let release: (value: T) => void = () => {};
  const promise = new Promise<T>((resolve) => release = resolve);
  return { promise, release };
}

/** Polls a task until it has the given status. */
export async function until(
  server: McpServer,
  taskId: unknown,
  status: string,
): Promise<JsonObject> {
  for (let n = 0; n < 100; n++) {
    const task = await ask(server, "tasks/get", { taskId });
    if (task.status === status) return task;
  }
  throw new Error(`the task is not ${status}`);
}

/** Creates a tool result that contains text. */
export function text(value: string): JsonObject {
  return { content: [{ type: "text", text: value }] };
}

/**
 * Waits until a condition is true. Waits with timers, because a condition may depend on timers or
 * I/O.
 */
export async function eventually(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let n = 0; n < 5000; n++) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve));
  }
  throw new Error("the condition did not become true");
}
