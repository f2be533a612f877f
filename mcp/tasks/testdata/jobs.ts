import type { JsonObject } from "../../shared/json.ts";
import { McpServer, type ToolHandler } from "../../server.ts";
import type { ElicitRequest } from "../../protocol/input_request.ts";
import { type ServerTasks, serverTasks, type ServerTasksOptions } from "../server.ts";

/** What the extension is called. */
export const EXTENSION = "io.modelcontextprotocol/tasks";
/** What a client offers that knows tasks and can ask its user. */
export const CAPABILITIES: JsonObject = { elicitation: {}, extensions: { [EXTENSION]: {} } };

/** Makes the handler of the only tool. */
export type Work = (jobs: ServerTasks) => ToolHandler;

/** A server whose only tool is "job". */
export function make(work: Work, options: ServerTasksOptions = {}): McpServer {
  const jobs = serverTasks({ pollIntervalMs: 1, ...options });
  const server = new McpServer({ name: "s", version: "1", extensions: [jobs] });
  server.registerTool({ name: "job", description: "" }, work(jobs));
  return server;
}

/** A question to the user. */
export function form(message: string): ElicitRequest {
  return { method: "elicitation/create", params: { message, requestedSchema: { type: "object" } } };
}

/** One request of the stateless era; the result, or the error. */
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

/** Calls the tool; its result, or the error. */
export function call(
  server: McpServer,
  by?: { capabilities?: object; subject?: string },
): Promise<JsonObject> {
  return ask(server, "tools/call", { name: "job" }, by);
}

/** Something that comes when it is released. */
export function hold<T = void>(): { promise: Promise<T>; release: (value: T) => void } {
  let release: (value: T) => void = () => {};
  const promise = new Promise<T>((resolve) => release = resolve);
  return { promise, release };
}

/** Asks until a task stands as wanted. */
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

/** What a tool answers with a text. */
export function text(value: string): JsonObject {
  return { content: [{ type: "text", text: value }] };
}

/** Waits until something is so: turn by turn, since what loads on demand takes more than promises. */
export async function eventually(isSo: () => boolean): Promise<void> {
  for (let n = 0; n < 5000; n++) {
    if (isSo()) return;
    await new Promise((resolve) => setTimeout(resolve));
  }
  throw new Error("it does not come to that");
}
