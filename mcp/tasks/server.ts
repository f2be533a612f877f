/**
 * The server's side of tasks: a tool says when its call becomes one, clients come back for what has become of it.
 *
 * @see {@link https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/draft/tasks.md Tasks}
 * @module
 */

import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import type { ClientDescription } from "../protocol/client_description.ts";
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
import { assertLimit, assertShare } from "../server/server_config.ts";
import { invalidParams, readText } from "../server/params.ts";
import { Quota } from "../server/quota.ts";
import { TimeoutScheduler } from "../shared/timeout_scheduler.ts";
import { readInputResponses, type TaskContext, TaskRun } from "./task_run.ts";
import { memoryTaskStore, type TaskRecord, type TaskStore } from "./task_store.ts";
import {
  type Task,
  TASK_NAME_KEYS,
  TASK_NOTIFICATION,
  TaskMethod,
  TASKS_EXTENSION,
  TaskStatus,
} from "./task.ts";

/** How tasks are kept and run. */
export interface ServerTasksOptions {
  /** Where they are kept. Default: in memory, see {@linkcode memoryTaskStore}. */
  readonly store?: TaskStore;
  /** How long a task is kept since it began, in milliseconds; its work is aborted then. Default one hour. */
  readonly ttlMs?: number;
  /** How often clients should ask, in milliseconds. Default 1000. */
  readonly pollIntervalMs?: number;
  /** How many tasks may be worked on at once; further calls fail with -32603. Default 1000. */
  readonly maxRunning?: number;
  /** How many of those may be one principal's, where they are known: a part from 0 to 1. Default a quarter. */
  readonly maxSharePerPrincipal?: number;
  /** How many tasks one stream of news may follow. Default 1000. */
  readonly maxTaskSubscriptions?: number;
  /** Hears of failures that clients are told nothing about. Default: nobody does. */
  readonly onError?: (error: unknown) => void;
}

/** How a task begins. */
export interface StartOptions {
  /**
   * Whether the work is no good without a task: clients that know no tasks are refused with -32021. Default false: they
   * wait for the answer.
   */
  readonly required?: boolean;
  /** What is going on, for people. */
  readonly statusMessage?: string;
  /** How long this task is kept, in milliseconds. Default: as long as the server keeps every task. */
  readonly ttlMs?: number;
}

/** The extension on the server's side. */
export interface ServerTasks extends ServerExtension {
  /**
   * Makes a task of the call of a tool: the client gets its handle, and everything that the handler does from here on is
   * the work of the task. What it returns or throws is the result. Before that, `context.ask` asks as usual.
   *
   * @param context the context of the call. Go by what this returns from now on: the task outlives the request
   * @param options whether it has to be a task, how long it is kept
   * @throws {McpError} `protocol_error`, to let pass: -32021 when a task is required and the client knows none, -32603 when
   * there are too many or the server is closed
   * @throws {RangeError} when `ttlMs` is not a positive integer
   */
  start(context: RequestContext, options?: StartOptions): Promise<TaskContext>;
  /** Aborts the work of all tasks; they end as failed. Called by the server's own `close`. */
  close(): Promise<void>;
}

/** A call that may become a task. */
interface OpenCall {
  readonly onCreated: (task: Task) => void;
  opening?: Promise<TaskRun>;
}

/** What a handler says of its task. */
interface TaskStatusText {
  readonly statusMessage: string | undefined;
  readonly ttlMs: number;
}

/**
 * Lets tool calls become tasks: `new McpServer({ extensions: [jobs] })`, and in a handler `jobs.start(context)`. One
 * object is for one server.
 *
 * @param options store, limits, times
 * @throws {RangeError} when a time or a limit is not a positive integer, or a share is none
 *
 * @example A call that takes long
 * ```ts
 * import { createMemoryTransport, McpClient, McpServer, servePipe } from "@parley/mcp";
 * import { clientTasks, serverTasks } from "@parley/mcp/tasks";
 * import { assertEquals } from "@std/assert";
 *
 * const jobs = serverTasks({ pollIntervalMs: 10 });
 * const server = new McpServer({ name: "mill", version: "1.0.0", extensions: [jobs] });
 * server.registerTool({ name: "grind", description: "Grinds" }, async (_args, context) => {
 *   const { setStatusMessage } = await jobs.start(context); // The client has its handle now.
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
 *   const { content } = await client.callTool("grind", {}); // It asks until the task has ended.
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
      onError = ignore,
    } = options;
    const numbers = { ttlMs, pollIntervalMs, maxRunning, maxTaskSubscriptions };
    for (const [name, value] of Object.entries(numbers)) assertLimit(name, value);
    assertShare(maxSharePerPrincipal);
    this.#store = store;
    this.#ttlMs = ttlMs;
    this.#pollIntervalMs = pollIntervalMs;
    this.#running = new Quota(maxRunning, maxSharePerPrincipal);
    this.#maxTaskSubscriptions = maxTaskSubscriptions;
    this.#onError = onError;
    this.methods = {
      [TaskMethod.Get]: async (params, context) => ({
        ...(await this.#find(params, context)).task,
      }),
      [TaskMethod.Update]: async (params, context) => {
        const answers = readInputResponses(params);
        const { task } = await this.#find(params, context);
        await this.#runs.get(task.taskId)?.acceptInputs(answers);
        return {};
      },
      [TaskMethod.Cancel]: async (params, context) => {
        const { task } = await this.#find(params, context);
        await this.#runs.get(task.taskId)?.cancel();
        return {};
      },
    };
  }

  readonly wrapToolCall = (next: MethodHandler): MethodHandler => async (params, context) =>
    supportsTasks(context.client) ? await this.#call(next, params, context) : next(params, context);

  readonly start = async (
    context: RequestContext,
    { required = false, statusMessage, ttlMs = this.#ttlMs }: StartOptions = {},
  ): Promise<TaskContext> => {
    assertLimit("ttlMs", ttlMs);
    const toolCall = this.#calls.get(context);
    if (toolCall === undefined) {
      if (required) throw missingExtension(TASKS_EXTENSION);
      const { signal, ask, askAll } = context;
      return { taskId: undefined, signal, ask, askAll, setStatusMessage: () => Promise.resolve() };
    }
    context.signal.throwIfAborted();
    return await (toolCall.opening ??= this.#open(toolCall, context, { statusMessage, ttlMs }));
  };

  /** How each task stands now comes first, so that nothing falls between `tools/call` and here. */
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
      // What has been told meanwhile is newer.
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

  /** Answers with what the handler comes to, or with the handle of the task that it starts before. */
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

  /** A handler has come to its end. A task that could not be kept is none: `start` has thrown then. */
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
      // The handle would reach nobody.
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

  /** Nobody hears whether somebody else has such a task. */
  async #lookUp(taskId: string, { principal }: MethodContext): Promise<TaskRecord | undefined> {
    const record = await this.#store.get(taskId);
    const isOwn = record !== undefined && record.subject === principal?.subject;
    return isOwn && Date.now() < record.expiresAt ? record : undefined;
  }
}

/** In a session, results have no type that could tell a task. */
function supportsTasks(client: ClientDescription): boolean {
  return declares(client, TASKS_EXTENSION) &&
    findRevision(client.protocolVersion)?.era === "modern";
}

function internalError(message: string): McpError {
  return McpError.protocolError(message, { rpcCode: RpcErrorCode.InternalError });
}

function ignore(): void {}
