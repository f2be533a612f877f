/**
 * Server side of the tasks extension, which lets a tool handler run a call as a task. Clients retrieve the result
 * later.
 *
 * @see {@link https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/draft/tasks.md Tasks}
 * @module
 */

import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import type { ClientDescription } from "../protocol/client_description.ts";
import { Method } from "../protocol/methods.ts";
import { findRevision } from "../protocol/revisions.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import type { MethodContext, RequestContext } from "../server/request_context.ts";
import type { MethodHandler } from "../server/dispatch.ts";
import {
  assertDeclared,
  declares,
  type ExtensionSubscription,
  missingExtension,
  type SendExtensionNotification,
  type ServerExtension,
} from "../server/extension.ts";
import { assertFunction, assertLimit, assertShare } from "../shared/assert_argument.ts";
import { createErrorReporter } from "../shared/error_reporter.ts";
import { invalidParams, readText } from "../server/params.ts";
import { Quota } from "../shared/quota.ts";
import { TimeoutScheduler } from "../shared/timeout_scheduler.ts";
import { readInputResponses, type TaskContext, TaskRun } from "./task_run.ts";
import { memoryTaskStore, type TaskRecord, type TaskStore } from "./task_store.ts";
import {
  isTerminal,
  type Task,
  TASK_NAME_KEYS,
  TASK_NOTIFICATION,
  TaskMethod,
  TASKS_EXTENSION,
  TaskStatus,
} from "./task.ts";

/** Options for {@linkcode serverTasks}. */
export interface ServerTasksOptions {
  /** Task store. If omitted, a {@linkcode memoryTaskStore} is used. */
  readonly store?: TaskStore;
  /**
   * Time to live of a task after its creation, in milliseconds. A task that is still running when this time expires is
   * aborted and fails.
   *
   * @default {3_600_000}
   */
  readonly ttlMs?: number;
  /**
   * Polling interval recommended to clients, in milliseconds.
   *
   * @default {1000}
   */
  readonly pollIntervalMs?: number;
  /**
   * Maximum number of running tasks. Calls that would start another task fail with error -32603.
   *
   * @default {1000}
   */
  readonly maxRunning?: number;
  /**
   * Maximum share of `maxRunning` per authenticated principal, greater than 0 and at most 1.
   *
   * @default {0.25}
   */
  readonly maxSharePerPrincipal?: number;
  /**
   * Maximum number of tasks in one `subscriptions/listen` request.
   *
   * @default {1000}
   */
  readonly maxTaskSubscriptions?: number;
  /**
   * Called with errors that are not sent to clients. If omitted, errors are printed to standard error: each error once,
   * and at most 20 per minute. `() => {}` ignores them.
   */
  readonly onError?: (error: unknown) => void;
}

/** Options for {@linkcode ServerTasks.start}. */
export interface StartOptions {
  /**
   * Whether the call must become a task. If `true`, clients that do not support tasks receive error -32021. If `false`
   * or omitted, these clients wait for the result.
   *
   * @default {false}
   */
  readonly required?: boolean;
  /** Initial user-facing status message. */
  readonly statusMessage?: string;
  /** Time to live of this task, in milliseconds. If omitted, {@linkcode ServerTasksOptions.ttlMs} is used. */
  readonly ttlMs?: number;
}

/** Tasks extension for a server. */
export interface ServerTasks extends ServerExtension {
  /**
   * Runs a tool call as a task. The client receives the task immediately, and the handler's return value or error
   * becomes the task's result. Before calling `start`, the handler can request input with `context.ask` as usual.
   *
   * @param context Request context of the tool call. After calling `start`, the handler must use the returned context
   * instead, because the task outlives the request.
   * @param options Whether a task is required, the initial status message and the time to live.
   * @throws {McpError} With code `protocol_error` and `rpcCode` -32021 if a task is required and the client does not
   * support tasks. The handler should not catch this error.
   * @throws {McpError} With code `protocol_error` and `rpcCode` -32603 if too many tasks are running or the server is
   * closed. The handler should not catch this error.
   * @throws {RangeError} If `ttlMs` is not a positive integer.
   * @throws {TypeError} If the client supports tasks, but `context` is a copy or belongs to a server without this
   * extension.
   */
  start(context: RequestContext, options?: StartOptions): Promise<TaskContext>;
  /** Aborts all running tasks, which then fail. Called by {@linkcode McpServer.close}. */
  close(): Promise<void>;
}

/** A tool call that may become a task. */
interface OpenCall {
  readonly onCreated: (task: Task) => void;
  opening?: Promise<TaskRun>;
}

/** Options for a new task. */
interface TaskStatusText {
  readonly statusMessage: string | undefined;
  readonly ttlMs: number;
}

/**
 * Creates the tasks extension for a server. Register it with `new McpServer({ extensions: [jobs] })`, and call
 * `jobs.start(context)` in a tool handler. Create a separate extension for each server.
 *
 * @param options Store, limits and time to live.
 * @throws {TypeError} If `store` has no `get` or `set` function, or `onError` is not a function.
 * @throws {RangeError} If a limit or time is not a positive integer, or if `maxSharePerPrincipal` is not greater than 0
 * and at most 1.
 *
 * @example Turn a tool call into a task
 * ```ts
 * import { createMemoryTransport, McpClient, McpServer, servePipe } from "@parley/mcp";
 * import { clientTasks, serverTasks } from "@parley/mcp/tasks";
 * import { assertEquals } from "@std/assert";
 *
 * const jobs = serverTasks({ pollIntervalMs: 10 });
 * const server = new McpServer({ name: "mill", version: "1.0.0", extensions: [jobs] });
 * server.registerTool({ name: "grind", description: "Grinds" }, async (_args, context) => {
 *   const { setStatusMessage } = await jobs.start(context); // The client has received the task.
 *   await setStatusMessage("grinding");
 *   return "flour";
 * });
 *
 * const client = new McpClient({
 *   transport: createMemoryTransport((pipe) => servePipe(server, pipe)),
 *   extensions: [clientTasks()],
 * });
 * await client.connect();
 * try {
 *   const { content } = await client.callTool("grind", {}); // Polls the task until it ends.
 *   assertEquals(content, [{ type: "text", text: "flour" }]);
 * } finally {
 *   await client.disconnect();
 *   await server.close();
 * }
 * ```
 */
export function serverTasks(options: ServerTasksOptions = {}): ServerTasks {
  return new TaskServer(options);
}

class TaskServer implements ServerTasks {
  readonly id = TASKS_EXTENSION;
  readonly nameKeys = TASK_NAME_KEYS;
  readonly methods: Readonly<Record<string, MethodHandler>>;
  readonly #calls = new WeakMap<RequestContext, OpenCall>();
  readonly #runs = new Map<string, TaskRun>();
  readonly #clock = new TimeoutScheduler();
  readonly #store: TaskStore;
  readonly #ttlMs: number;
  readonly #pollIntervalMs: number;
  readonly #running: Quota;
  readonly #maxTaskSubscriptions: number;
  readonly #listeners = new Set<(record: TaskRecord) => void>();
  readonly #onError: (error: unknown) => void;
  #isClosed = false;

  constructor(options: ServerTasksOptions) {
    const { ttlMs = 3_600_000, pollIntervalMs = 1000, maxRunning = 1000 } = options;
    const {
      maxSharePerPrincipal = 0.25,
      maxTaskSubscriptions = 1000,
      store = memoryTaskStore(),
    } = options;
    const numbers = { ttlMs, pollIntervalMs, maxRunning, maxTaskSubscriptions };
    for (const [name, value] of Object.entries(numbers)) assertLimit(name, value);
    assertShare("maxSharePerPrincipal", maxSharePerPrincipal);
    assertFunction("store.get", store?.get);
    assertFunction("store.set", store?.set);
    this.#store = store;
    this.#ttlMs = ttlMs;
    this.#pollIntervalMs = pollIntervalMs;
    this.#running = new Quota(maxRunning, maxSharePerPrincipal);
    this.#maxTaskSubscriptions = maxTaskSubscriptions;
    this.#onError = createErrorReporter("serverTasks", options.onError);
    this.methods = {
      [TaskMethod.Get]: async (params, context) => ({
        ...(await this.#find(params, context)).task,
      }),
      [TaskMethod.Update]: async (params, context) => {
        const answers = readInputResponses(params);
        const run = await this.#findRun(params, context);
        await run?.acceptInputs(answers);
        return {};
      },
      [TaskMethod.Cancel]: async (params, context) => {
        const run = await this.#findRun(params, context);
        await run?.cancel();
        return {};
      },
    };
  }

  readonly wrap = {
    [Method.CallTool]: (next: MethodHandler): MethodHandler => async (params, context) =>
      supportsTasks(context.client)
        ? await this.#call(next, params, context)
        : next(params, context),
  };

  readonly start = async (
    context: RequestContext,
    { required = false, statusMessage, ttlMs = this.#ttlMs }: StartOptions = {},
  ): Promise<TaskContext> => {
    assertLimit("ttlMs", ttlMs);
    const toolCall = this.#calls.get(context);
    if (toolCall === undefined) {
      if (supportsTasks(context.client)) throw new TypeError(WRONG_CONTEXT);
      if (required) throw missingExtension(TASKS_EXTENSION);
      const { signal, ask, askAll } = context;
      return { taskId: undefined, signal, ask, askAll, setStatusMessage: () => Promise.resolve() };
    }
    context.signal.throwIfAborted();
    return await (toolCall.opening ??= this.#open(toolCall, context, { statusMessage, ttlMs }));
  };

  /**
   * Subscribes to tasks. First sends the current state of each task, because the task may have changed before the
   * subscription.
   */
  readonly listen = async (
    { taskIds }: JsonObject,
    context: MethodContext,
    send: SendExtensionNotification,
  ): Promise<ExtensionSubscription | undefined> => {
    if (taskIds === undefined) return undefined;
    assertDeclared(context.client, TASKS_EXTENSION);
    const ids = new Set(this.#readIds(taskIds));
    const sent = new Set<string>();
    const onChange = ({ task, subject }: TaskRecord): void => {
      if (!ids.has(task.taskId) || subject !== context.principal?.subject) return;
      sent.add(task.taskId);
      send(TASK_NOTIFICATION, task.taskId, { ...task });
    };
    const stop = (): void => void this.#listeners.delete(onChange);
    this.#listeners.add(onChange);
    try {
      const found = await Promise.all(Array.from(ids, (id) => this.#lookUp(id, context)));
      const records = found.flatMap((record) => record ?? []);
      // Skip a task whose state was sent during the lookup, because that state is newer than the stored record.
      for (const record of records) if (!sent.has(record.task.taskId)) onChange(record);
      return { accepted: { taskIds: records.map(({ task }) => task.taskId) }, stop };
    } catch (error) {
      stop();
      throw error;
    }
  };

  readonly close = async (): Promise<void> => {
    this.#isClosed = true;
    this.#clock.stop();
    const runs = Array.from(this.#runs.values());
    for (const run of runs) this.#clock.remove(run);
    await Promise.all(runs.map((run) => run.shutDown()));
  };

  /** Runs the handler for a tool call. Resolves to the handler's result, or to the task if the handler starts one. */
  #call(next: MethodHandler, params: JsonObject, context: MethodContext): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const toolCall: OpenCall = { onCreated: (task) => resolve({ resultType: "task", ...task }) };
      this.#calls.set(context, toolCall);
      const work = async (): Promise<JsonObject> => await next(params, context);
      work().then(
        (result) => this.#end(toolCall, () => resolve(result), (run) => run.complete(result)),
        (error) => this.#end(toolCall, () => reject(error), (run) => run.fail(error)),
      ).catch(this.#onError);
    });
  }

  /**
   * Completes a tool call and its task. If the task could not be stored, `start` has thrown an error and no task
   * exists.
   */
  async #end(
    { opening }: OpenCall,
    answer: () => void,
    finish: (run: TaskRun) => Promise<void>,
  ): Promise<void> {
    const run = await opening?.catch(ignore);
    if (!run) return answer();
    this.#clock.remove(run);
    try {
      await finish(run);
    } finally {
      this.#removeRun(run);
    }
  }

  async #open(
    toolCall: OpenCall,
    { client, principal, signal }: RequestContext,
    statusText: TaskStatusText,
  ): Promise<TaskRun> {
    if (this.#isClosed) throw internalError("The server is closed");
    if (!this.#running.has(1, principal?.subject)) {
      throw internalError("Too many tasks are running");
    }
    const run = new TaskRun(this.#newRecord(principal?.subject, statusText), {
      client,
      store: this.#store,
      onChange: (changed) => this.#listeners.forEach((onChange) => onChange(changed)),
      onError: this.#onError,
    });
    this.#runs.set(run.taskId, run);
    this.#running.take(1, run.subject);
    try {
      const task = await run.open();
      // Cancel the task if the call was aborted, because the client would never receive the task id.
      if (signal.aborted) await run.cancel();
      signal.throwIfAborted();
      this.#clock.add(run);
      toolCall.onCreated(task);
      return run;
    } catch (error) {
      this.#removeRun(run);
      throw error;
    }
  }

  #removeRun(run: TaskRun): void {
    this.#runs.delete(run.taskId);
    this.#running.take(-1, run.subject);
  }

  #newRecord(subject: string | undefined, { statusMessage, ttlMs }: TaskStatusText): TaskRecord {
    const now = Date.now();
    const createdAt = new Date(now).toISOString();
    return {
      ...(subject === undefined ? {} : { subject }),
      expiresAt: now + ttlMs,
      task: {
        taskId: crypto.randomUUID(),
        status: TaskStatus.Working,
        createdAt,
        lastUpdatedAt: createdAt,
        ttlMs,
        pollIntervalMs: this.#pollIntervalMs,
        ...(statusMessage === undefined ? {} : { statusMessage }),
      },
    };
  }

  #readIds(value: unknown): readonly string[] {
    if (!Array.isArray(value) || !value.every((id) => typeof id === "string")) {
      throw invalidParams('Invalid params: "taskIds" must be an array of strings');
    }
    if (value.length <= this.#maxTaskSubscriptions) return value;
    throw invalidParams(
      `Invalid params: "taskIds" must have at most ${this.#maxTaskSubscriptions} items`,
    );
  }

  async #find(params: JsonObject, context: MethodContext): Promise<TaskRecord> {
    const record = await this.#lookUp(readText(params, "taskId"), context);
    if (record === undefined) throw invalidParams("Unknown task");
    return record;
  }

  /**
   * Returns the run of a task, or `undefined` if the task has ended.
   *
   * @throws {McpError} With `rpcCode` -32603 if another process runs the task, because acknowledging the request would
   * hide that nothing acts on it.
   */
  async #findRun(params: JsonObject, context: MethodContext): Promise<TaskRun | undefined> {
    const { task } = await this.#find(params, context);
    const run = this.#runs.get(task.taskId);
    if (run !== undefined || isTerminal(task.status)) return run;
    // The task may have ended in this process after its record was read.
    const { task: latest } = await this.#find(params, context);
    if (isTerminal(latest.status)) return undefined;
    throw internalError("The task is not running in this server process");
  }

  /** Returns a task that the principal owns. Other principals' tasks are treated as unknown. */
  async #lookUp(taskId: string, { principal }: MethodContext): Promise<TaskRecord | undefined> {
    // Stores written in JavaScript often return `null` for an unknown id.
    const record = await this.#store.get(taskId) ?? undefined;
    const isOwn = record !== undefined && record.subject === principal?.subject;
    return isOwn && Date.now() < record.expiresAt ? record : undefined;
  }
}

const WRONG_CONTEXT =
  '"context" must be the context that the tool handler received, not a copy, and the extension must be in ' +
  '"extensions" of the server';

/** Returns `true` if the client can receive tasks. Legacy results have no `resultType`, so they cannot be tasks. */
function supportsTasks(client: ClientDescription): boolean {
  return declares(client, TASKS_EXTENSION) &&
    findRevision(client.protocolVersion)?.era === "modern";
}

function internalError(message: string): McpError {
  return McpError.protocolError(message, { rpcCode: RpcErrorCode.InternalError });
}

function ignore(): void {}
