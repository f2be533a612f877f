/**
 * Client side of the tasks extension, which polls a tool call's task until it ends and returns its
 * result.
 *
 * @see
 * {@link https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/draft/tasks.md#task-polling Polling}
 * @module
 */

import type { ClientExtension, ExtensionSession, IncompleteResult } from "../client/extension.ts";
import type { RequestOptions } from "../client/request_options.ts";
import { abortable } from "@parley/internal/abortable";
import { assertFunction, assertPositiveNumber } from "@parley/internal/assert-argument";
import { integerFrom } from "@parley/internal/option-checks";
import { optionsReader, withDefault } from "@parley/internal/options";
import { McpError, McpErrorCode } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { Method } from "../protocol/methods.ts";
import { readCallToolResult, type ReadResult } from "../protocol/result_readers.ts";
import type { CallToolResult } from "../protocol/tool.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import { sleep } from "@parley/internal/timers";
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

/** Options for {@linkcode clientTasks}. */
export interface ClientTasksOptions {
  /**
   * Called with each new task and after each poll. Save the task id to resume the task later. The
   * call continues after the promise of the function has resolved. If the function throws or its
   * promise rejects, the task is cancelled, and the call rejects with the error.
   */
  readonly onChange?: (task: ParsedTask) => unknown;
  /**
   * Minimum polling interval, in milliseconds. If the server recommends a shorter polling interval,
   * it is ignored.
   *
   * @default {100}
   */
  readonly minPollMs?: number;
  /**
   * Maximum number of retries for a request that fails with `transport_error` or
   * `connection_failed`.
   *
   * @default {3}
   */
  readonly maxRetries?: number;
  /**
   * Maximum number of input requests per task. If a task exceeds `maxInputRequests`, the call
   * fails.
   *
   * @default {100}
   */
  readonly maxInputRequests?: number;
}

const readOptions = optionsReader<ClientTasksOptions>("options")({
  onChange: withDefault(ignore, assertFunction),
  minPollMs: withDefault(100, assertPositiveNumber),
  maxRetries: withDefault(3, integerFrom(0)),
  maxInputRequests: withDefault(100, integerFrom(0)),
});

/** Tasks extension for a client. */
export interface ClientTasks extends ClientExtension {
  /**
   * Polls an existing task until it ends, and returns its result. Another client may have started
   * the task.
   *
   * @param taskId Task id.
   * @param options Request options. Aborting the signal cancels the task.
   * @throws {McpError} With the same codes as {@linkcode McpClient.callTool}. If the task is
   * unknown, the code is `protocol_error` and `rpcCode` is -32602.
   */
  resume(taskId: string, options?: RequestOptions): Promise<CallToolResult>;
  /**
   * Returns the current state of a task.
   *
   * @param taskId Task id.
   * @param options Signal and timeouts.
   * @throws {McpError} With the same codes as {@linkcode ClientTasks.resume}.
   */
  get(taskId: string, options?: RequestOptions): Promise<ParsedTask>;
  /**
   * Requests the cancellation of a task. The task may still end with a status other than
   * `cancelled`.
   *
   * @param taskId Task id.
   * @param options Signal and timeouts.
   * @throws {McpError} With the same codes as {@linkcode ClientTasks.resume}.
   */
  cancel(taskId: string, options?: RequestOptions): Promise<void>;
}

/** Timeout for `tasks/cancel` after a failed call, in milliseconds. */
const CANCEL_MS = 5000;

/**
 * Creates the tasks extension for a client. Register the extension with
 * `new McpClient({ transport, extensions: [clientTasks()] })`. With the extension, `callTool` waits
 * up to `maxTotalMs` for the result of a task. The client's handlers receive the task's input
 * requests. Aborting the call's signal cancels the task. Create a separate extension for each
 * client.
 *
 * @param options Limits, and a callback for task changes.
 * @throws {TypeError} If `onChange` is not a function.
 * @throws {RangeError} If a limit is too small or is not a number.
 *
 * @example Resume a task
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
  const settings = readOptions(options);
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
      // In the specification's examples, results of `tasks/get` also have the type `task`.
      if (method === TaskMethod.Get) return result;
      if (method !== Method.CallTool) {
        throw McpError.protocolError(`the result of "${method}" cannot be a task`);
      }
      const metadata = valueOf(readTaskMetadata(result), method);
      const poller = new TaskPoller(session, metadata.taskId, options, settings);
      return await poller.follow({ ...metadata, status: TaskStatus.Working });
    },
    resume: async (taskId, options = {}) => {
      const session = connected();
      const poller = new TaskPoller(session, taskId, options, settings);
      const read = readCallToolResult(await poller.follow());
      if (read.ok) {
        for (const deviation of read.deviations ?? []) {
          session.tolerance(deviation, Method.CallTool);
        }
      }
      return valueOf(read, Method.CallTool);
    },
    get: async (taskId, options) => await getTask(connected(), taskId, options),
    cancel: async (taskId, options) =>
      void await connected().request(TaskMethod.Cancel, { taskId }, options),
  };
}

/** Polls one task until it ends. */
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

  /** Returns the result of the task. Cancels the task if the call is aborted or fails. */
  async follow(begun?: ParsedTask): Promise<JsonObject> {
    const { onChange } = this.#settings;
    return await this.#session.within(
      Method.CallTool,
      this.#options,
      async (signal, pauseTimeout) => {
        let task = begun;
        try {
          if (begun !== undefined) await abortable(Promise.resolve(onChange(begun)), signal);
          for (let polls = 0; task === undefined || !isTerminal(task.status); polls++) {
            if (task !== undefined) await this.#wait(task, polls, signal, pauseTimeout);
            task = await this.#poll(signal);
            await abortable(Promise.resolve(onChange(task)), signal);
          }
        } catch (error) {
          this.#cancel();
          throw error;
        }
        return resultOf(task);
      },
    );
  }

  /**
   * Handles input requests, then waits before the next poll. The delay is the interval recommended
   * by the server or, without a recommendation, grows exponentially.
   */
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

  /**
   * Handles new input requests. While input requests are handled, the timeout is paused, because a
   * user may have to respond.
   */
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
    const { handlers } = this.#options;
    const options = handlers === undefined ? { signal } : { signal, handlers };
    const answering = this.#session.answer(Object.fromEntries(asked), options);
    pauseTimeout(answering);
    const params = { taskId: this.#taskId, inputResponses: await answering };
    for (const [key] of asked) this.#answeredKeys.add(key);
    await this.#request(TaskMethod.Update, params, signal);
  }

  /** Requests the task's current state. */
  async #poll(signal: AbortSignal): Promise<ParsedTask> {
    const taskId = this.#taskId;
    const result = await this.#request(TaskMethod.Get, { taskId }, signal).catch((error) => {
      this.#isUnknown = error instanceof McpError && error.rpcCode === RpcErrorCode.InvalidParams;
      throw error;
    });
    return readTaskOf(result, taskId);
  }

  /**
   * Sends a request, with retries. `tasks/get` and `tasks/update` are safe to retry, because
   * servers ignore repeated input responses.
   */
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

  /** Cancels the task in the background, because the call must fail immediately. */
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

/** Returns the result of a completed task. Throws if the task has failed or was cancelled. */
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

/** Returns `true` if a retry may succeed. */
function isTransient(error: unknown): boolean {
  return error instanceof McpError &&
    (error.code === McpErrorCode.TransportError || error.code === McpErrorCode.Timeout ||
      error.code === McpErrorCode.ConnectionFailed);
}

function valueOf<T>(read: ReadResult<T>, method: string): T {
  if (read.ok) return read.value;
  throw McpError.protocolError(`the result of "${method}" is not valid: ${read.reason}`);
}

function ignore(): void {}
