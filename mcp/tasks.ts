/**
 * Tasks, an MCP extension (`io.modelcontextprotocol/tasks`) for long-running tool calls. The server
 * returns a task instead of the result and keeps working on the call, while the client polls the
 * task until it ends.
 *
 * Servers use {@linkcode serverTasks}, clients use {@linkcode clientTasks}.
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
 * await client.callTool("grind", {}); // Returns the result, with or without a task.
 * ```
 *
 * @module
 */

export type { Deviation, Tolerance } from "./jsonrpc/deviation.ts";
export type { ClientExtension, ExtensionSession, IncompleteResult } from "./client/extension.ts";
export { McpError, McpErrorCode } from "./shared/error.ts";
export type { McpErrorCodeType, McpErrorDetails, McpErrorOptions } from "./shared/error.ts";
export type { ServerExtension } from "./server/extension.ts";
export type {
  ExtensionSubscription,
  NotificationReader,
  SendExtensionNotification,
  Subscriber,
} from "./server/extension_subscription.ts";
export { type ClientTasks, clientTasks, type ClientTasksOptions } from "./tasks/client.ts";
export type { TaskContext } from "./tasks/task_run.ts";
export { type ServerTasks, serverTasks } from "./tasks/server.ts";
export type { ServerTasksOptions, StartOptions } from "./tasks/server_options.ts";
export { memoryTaskStore, type MemoryTaskStoreOptions } from "./tasks/memory_task_store.ts";
export type {
  StoredTaskSignal,
  TaskLease,
  TaskLeaseOptions,
  TaskRecord,
  TaskSignal,
  TaskStore,
  TaskWatcher,
} from "./tasks/task_store.ts";
export {
  type ParsedTask,
  type ParsedTaskState,
  type Task,
  type TaskMetadata,
  type TaskState,
  TaskStatus,
} from "./tasks/task.ts";
