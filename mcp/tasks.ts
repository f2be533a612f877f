/**
 * Tasks: tool calls that take longer than a request should. The server hands out a handle and goes on working; the client
 * comes back for the result. This is the extension `io.modelcontextprotocol/tasks`, for servers and for clients; nothing
 * of it is loaded unless you import it.
 *
 * ```ts ignore
 * import { McpClient, McpServer } from "@parley/mcp";
 * import { clientTasks, serverTasks } from "@parley/mcp/tasks";
 *
 * const jobs = serverTasks();
 * const server = new McpServer({ name: "mill", version: "1.0.0", extensions: [jobs] });
 * server.registerTool({ name: "grind", description: "Grinds" }, async (_args, context) => {
 *   const { signal, setStatusMessage, ask } = await jobs.start(context);
 *   return await grind(signal);
 * });
 *
 * const client = new McpClient({ transport, extensions: [clientTasks()] });
 * await client.connect();
 * await client.callTool("grind", {}); // As ever, with or without a task behind it.
 * ```
 *
 * @module
 */

export type { ClientExtension, ExtensionSession, IncompleteResult } from "./client/extension.ts";
export { McpError, McpErrorCode } from "./shared/error.ts";
export type { McpErrorCodeType, McpErrorDetails, McpErrorOptions } from "./shared/error.ts";
export type {
  ExtensionSubscription,
  SendExtensionNotification,
  ServerExtension,
} from "./server/extension.ts";
export { type ClientTasks, clientTasks, type ClientTasksOptions } from "./tasks/client.ts";
export type { TaskContext } from "./tasks/task_run.ts";
export {
  type ServerTasks,
  serverTasks,
  type ServerTasksOptions,
  type StartOptions,
} from "./tasks/server.ts";
export {
  memoryTaskStore,
  type MemoryTaskStoreOptions,
  type TaskRecord,
  type TaskStore,
} from "./tasks/task_store.ts";
export {
  type ParsedTask,
  type ParsedTaskState,
  type Task,
  type TaskMetadata,
  type TaskState,
  TaskStatus,
} from "./tasks/task.ts";
