/**
 * The client's side of tasks: a call that became one is followed to its end, so that callers see nothing but the result.
 *
 * @see {@link https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/draft/tasks.md#task-polling Polling}
 * @module
 */

import type { ClientExtension, ExtensionSession, IncompleteResult } from "../client/extension.ts";
import type { RequestOptions } from "../client/send_request.ts";
import { McpError, McpErrorCode } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { Method } from "../protocol/methods.ts";
import { readCallToolResult, type ReadResult } from "../protocol/result_readers.ts";
import type { CallToolResult } from "../protocol/tool.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import { sleep } from "../shared/sleep.ts";
import {
  isTerminal,
  type ParsedTask,
  readTask,
  readTaskMetadata,
  TASK_NAME_KEYS,
  TaskMethod,
  TASKS_EXTENSION,
  TaskStatus,
} from "./task.ts";

/** How tasks are followed. */
export interface ClientTasksOptions {
  /** Hears of a task that has begun, and what becomes of it: keep its id where you want to come back to it. */
  readonly onChange?: (task: ParsedTask) => void;
  /** The least time between two questions, whatever the server says, in milliseconds. Default 100. */
  readonly minPollMs?: number;
  /** How often in a row a question may fail on its way before the call does. Default 3. */
  readonly maxRetries?: number;
  /** How much a task may ask before the call fails. Default 100. */
  readonly maxInputRequests?: number;
}

/** The extension on the client's side. */
export interface ClientTasks extends ClientExtension {
  /**
   * Follows a task that began earlier, perhaps for another client.
   *
   * @param taskId which task
   * @param options as for a call: a signal that cancels the task, time-outs
   * @throws {McpError} as `callTool`; `protocol_error` with `rpcCode` -32602 when there is no such task
   */
  resume(taskId: string, options?: RequestOptions): Promise<CallToolResult>;
  /**
   * Asks how a task stands.
   *
   * @param taskId which task
   * @param options signal, time-outs
   * @throws {McpError} as {@linkcode ClientTasks.resume}
   */
  get(taskId: string, options?: RequestOptions): Promise<ParsedTask>;
  /**
   * Says that a task is not wanted any more. It may end otherwise all the same.
   *
   * @param taskId which task
   * @param options signal, time-outs
   * @throws {McpError} as {@linkcode ClientTasks.resume}
   */
  cancel(taskId: string, options?: RequestOptions): Promise<void>;
}

/** How long the server has to take note that nobody waits any more, in milliseconds. */
const CANCEL_MS = 5000;

/**
 * Lets a client follow tasks: `new McpClient({ transport, extensions: [clientTasks()] })`. `callTool` then gives the result
 * of the task within `maxTotalMs`, the handlers of the client answer what it asks, and a signal that aborts cancels it. One
 * object is for one client.
 *
 * @param options limits, and a function that hears how tasks stand
 * @throws {RangeError} when a limit is not one
 *
 * @example Come back to a task
 * ```ts
 * import { createMemoryTransport, McpClient, McpServer, servePipe } from "@parley/mcp";
 * import { clientTasks, serverTasks } from "@parley/mcp/tasks";
 * import { assertEquals } from "@std/assert";
 *
 * const jobs = serverTasks({ pollIntervalMs: 10 });
 * const server = new McpServer({ name: "mill", version: "1.0.0", extensions: [jobs] });
 * server.registerTool({ name: "grind", description: "Grinds" }, async (_args, context) => {
 *   await jobs.start(context);
 *   return "flour";
 * });
 *
 * let taskId = "";
 * const tasks = clientTasks({ onChange: (task) => taskId = task.taskId });
 * const client = new McpClient({
 *   transport: createMemoryTransport((pipe) => servePipe(server, pipe)),
 *   extensions: [tasks],
 * });
 * await client.connect();
 * try {
 *   await client.callTool("grind", {});
 *   assertEquals((await tasks.get(taskId)).status, "completed");
 *   assertEquals((await tasks.resume(taskId)).content, [{ type: "text", text: "flour" }]);
 * } finally {
 *   await client.disconnect();
 *   await server.close();
 * }
 * ```
 */
export function clientTasks(options: ClientTasksOptions = {}): ClientTasks {
  const { onChange = ignore, minPollMs = 100, maxRetries = 3, maxInputRequests = 100 } = options;
  assertMinimum("minPollMs", minPollMs, 1);
  assertMinimum("maxRetries", maxRetries, 0);
  assertMinimum("maxInputRequests", maxInputRequests, 0);
  const settings = { onChange, minPollMs, maxRetries, maxInputRequests };
  let session: ExtensionSession | undefined;
  const connected = (): ExtensionSession => {
    if (session !== undefined) return session;
    throw McpError.protocolError("not connected to a server that supports MCP 2026-07-28 or later");
  };
  return {
    id: TASKS_EXTENSION,
    nameKeys: TASK_NAME_KEYS,
    resultType: "task",
    opened: (opened) => {
      session = opened;
    },
    complete: async ({ method, result, options }: IncompleteResult, session) => {
      // Examples in the specification answer `tasks/get` so.
      if (method === TaskMethod.Get) return result;
      if (method !== Method.CallTool) {
        throw McpError.protocolError(`the result of "${method}" cannot be a task`);
      }
      const metadata = valueOf(readTaskMetadata(result), method);
      const poller = new TaskPoller(session, metadata.taskId, options, settings);
      return await poller.follow({ ...metadata, status: TaskStatus.Working });
    },
    resume: async (taskId, options = {}) => {
      const poller = new TaskPoller(connected(), taskId, options, settings);
      return valueOf(readCallToolResult(await poller.follow()), Method.CallTool);
    },
    get: async (taskId, options) => await getTask(connected(), taskId, options),
    cancel: async (taskId, options) =>
      void await connected().request(TaskMethod.Cancel, { taskId }, options),
  };
}

/** Follows one task to its end. */
class TaskPoller {
  readonly #session: ExtensionSession;
  readonly #taskId: string;
  readonly #options: RequestOptions;
  readonly #settings: Required<ClientTasksOptions>;
  readonly #answeredKeys = new Set<string>();
  #isUnknown = false;

  constructor(
    session: ExtensionSession,
    taskId: string,
    options: RequestOptions,
    settings: Required<ClientTasksOptions>,
  ) {
    this.#session = session;
    this.#taskId = taskId;
    this.#options = options;
    this.#settings = settings;
  }

  /** The result of the task. When nobody waits for it any more, the server is told. */
  async follow(begun?: ParsedTask): Promise<JsonObject> {
    const { onChange } = this.#settings;
    return await this.#session.within(
      Method.CallTool,
      this.#options,
      async (signal, pauseTimeout) => {
        if (begun !== undefined) onChange(begun);
        let task = begun;
        try {
          for (let polls = 0; task === undefined || !isTerminal(task.status); polls++) {
            if (task !== undefined) await this.#wait(task, polls, signal, pauseTimeout);
            task = await this.#poll(signal);
            onChange(task);
          }
        } catch (error) {
          this.#cancel();
          throw error;
        }
        return resultOf(task);
      },
    );
  }

  /** Waits as long as the server wants, after answers to what it asks. Without its word, more and more. */
  async #wait(
    task: ParsedTask,
    polls: number,
    signal: AbortSignal,
    pauseTimeout: (until: Promise<unknown>) => void,
  ): Promise<void> {
    if (task.status === TaskStatus.InputRequired) {
      await this.#handleInputRequests(task.inputRequests, signal, pauseTimeout);
    }
    const { pollIntervalMs = Math.min(500 * 1.5 ** polls, 10_000) } = task;
    await sleep(Math.max(pollIntervalMs, this.#settings.minPollMs), signal);
  }

  /** Answers what has not been asked before. The clock stops meanwhile: it may be a person who answers. */
  async #handleInputRequests(
    inputRequests: JsonObject,
    signal: AbortSignal,
    pauseTimeout: (until: Promise<unknown>) => void,
  ): Promise<void> {
    const { maxInputRequests } = this.#settings;
    const asked = Object.entries(inputRequests).filter(([key]) => !this.#answeredKeys.has(key));
    if (asked.length === 0) return;
    if (this.#answeredKeys.size + asked.length > maxInputRequests) {
      throw McpError.protocolError(`the task sent more than ${maxInputRequests} input requests`);
    }
    const answering = this.#session.answer(Object.fromEntries(asked), signal);
    pauseTimeout(answering);
    const params = { taskId: this.#taskId, inputResponses: await answering };
    for (const [key] of asked) this.#answeredKeys.add(key);
    await this.#request(TaskMethod.Update, params, signal);
  }

  /** Asks how the task stands, again where the question did not get through. */
  async #poll(signal: AbortSignal): Promise<ParsedTask> {
    const taskId = this.#taskId;
    const result = await this.#request(TaskMethod.Get, { taskId }, signal).catch((error) => {
      this.#isUnknown = error instanceof McpError && error.rpcCode === RpcErrorCode.InvalidParams;
      throw error;
    });
    return readTaskOf(result, taskId);
  }

  /** Both methods may be repeated: answers that are there already are passed over. */
  async #request(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const { timeoutMs } = this.#options;
    const options = timeoutMs === undefined ? { signal } : { signal, timeoutMs };
    const { minPollMs, maxRetries } = this.#settings;
    for (let retries = 0;; retries++) {
      try {
        return await this.#session.request(method, params, options);
      } catch (error) {
        signal.throwIfAborted();
        if (retries >= maxRetries || this.#session.ended !== undefined || !isTransient(error)) {
          throw error;
        }
        await sleep(minPollMs * 2 ** retries, signal);
      }
    }
  }

  /** The call fails at once, whether the server takes note or not. */
  #cancel(): void {
    if (this.#isUnknown || this.#session.ended !== undefined) return;
    const params = { taskId: this.#taskId };
    this.#session.request(TaskMethod.Cancel, params, { timeoutMs: CANCEL_MS }).catch(ignore);
  }
}

async function getTask(
  session: ExtensionSession,
  taskId: string,
  options?: RequestOptions,
): Promise<ParsedTask> {
  return readTaskOf(await session.request(TaskMethod.Get, { taskId }, options), taskId);
}

function readTaskOf(result: JsonObject, taskId: string): ParsedTask {
  const task = valueOf(readTask(result), TaskMethod.Get);
  if (task.taskId === taskId) return task;
  throw McpError.protocolError("the server returned a different task");
}

/** What a task has come to. */
function resultOf(task: ParsedTask): JsonObject {
  switch (task.status) {
    case TaskStatus.Completed: {
      const { resultType: _type, ...result } = task.result;
      return result;
    }
    case TaskStatus.Failed: {
      const { code, message, data } = task.error;
      throw McpError.protocolError(message, { rpcCode: code, data });
    }
    default:
      throw McpError.core(task.statusMessage ?? "the task was cancelled", { data: task });
  }
}

/** Whether it may be better the next time. */
function isTransient(error: unknown): boolean {
  return error instanceof McpError &&
    (error.code === McpErrorCode.TransportError || error.code === McpErrorCode.ConnectionFailed);
}

function valueOf<T>(read: ReadResult<T>, method: string): T {
  if (read.ok) return read.value;
  throw McpError.protocolError(`the result of "${method}" is not valid: ${read.reason}`);
}

function assertMinimum(name: string, value: number, minimum: number): void {
  if (value >= minimum) return;
  throw new RangeError(`"${name}" must be at least ${minimum}, got ${value}`);
}

function ignore(): void {}
