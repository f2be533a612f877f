/**
 * Server side of the tasks extension, which lets a tool handler run a call as a task. Clients
 * retrieve the result of a task later.
 *
 * @see
 * {@link https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/draft/tasks.md Tasks}
 * @module
 */

import { resolveWithin } from "@parley/internal/timers";
import type { JsonObject } from "../shared/json.ts";
import type { ClientDescription } from "../protocol/client_description.ts";
import { Method } from "../protocol/methods.ts";
import { findRevision } from "../protocol/revisions.ts";
import type { MethodContext, RequestContext } from "../server/request_context.ts";
import type { MethodHandler } from "../server/dispatch.ts";
import {
  assertDeclared,
  declares,
  missingExtension,
  type ServerExtension,
} from "../server/extension.ts";
import type {
  ExtensionSubscription,
  SendExtensionNotification,
  Subscriber,
} from "../server/extension_subscription.ts";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { invalidParams } from "../server/params.ts";
import { Quota } from "@parley/internal/quota";
import { TimeoutScheduler } from "../shared/timeout_scheduler.ts";
import { internalError, StoredTasks } from "./stored_tasks.ts";
import { TaskCoordinator } from "./task_coordinator.ts";
import { readInputResponses, type TaskContext, TaskRun } from "./task_run.ts";
import { memoryTaskStore } from "./memory_task_store.ts";
import {
  readServerTasks,
  readStart,
  type ServerTasksOptions,
  type StartOptions,
} from "./server_options.ts";
import type { TaskRecord, TaskStore } from "./task_store.ts";
import {
  type Task,
  TASK_NAME_KEYS,
  TASK_NOTIFICATION,
  TaskMethod,
  TASKS_EXTENSION,
  TaskStatus,
} from "./task.ts";

/** Tasks extension for a server. */
export interface ServerTasks extends ServerExtension {
  /**
   * Runs a tool call as a task. The client receives the task immediately, and the handler's return
   * value or error becomes the task's result. Before calling `start`, the handler can request input
   * with `context.ask` as usual.
   *
   * @param context Request context of the tool call. After calling `start`, the handler must use
   * the returned context instead of the request context, because the task outlives the request.
   * @param options Whether a task is required, the initial status message and the time to live.
   * @throws {McpError} With code `protocol_error` and `rpcCode` -32021 if a task is required and
   * the client does not support tasks. The handler should not catch errors from `start`.
   * @throws {McpError} With code `protocol_error` and `rpcCode` -32603 if too many tasks are
   * running or the server is closed. The handler should not catch errors from `start`.
   * @throws {RangeError} If `ttlMs` is not a positive integer.
   * @throws {TypeError} If the client supports tasks, but `context` is a copy or belongs to a
   * server without this extension.
   */
  start(context: RequestContext, options?: StartOptions): Promise<TaskContext>;
  /**
   * Aborts all running tasks, which then fail. Called by {@linkcode McpServer.close}. Waits for the
   * store for at most three times `leaseMs`.
   */
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
 * Creates the tasks extension for a server. Register the extension with
 * `new McpServer({ extensions: [jobs] })`, and call `jobs.start(context)` in a tool handler. Create
 * a separate extension for each server.
 *
 * @param options Store, limits and time to live.
 * @throws {TypeError} If `store` lacks a required function, or `onError` is not a function.
 * @throws {RangeError} If a limit or a duration is not a positive integer, or if
 * `maxSharePerPrincipal` is not greater than 0 and at most 1.
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
  readonly #clock = new TimeoutScheduler();
  readonly #store: TaskStore;
  readonly #ttlMs: number;
  readonly #pollIntervalMs: number;
  readonly #leaseMs: number;
  readonly #running: Quota;
  readonly #maxTaskSubscriptions: number;
  readonly #coordinator: TaskCoordinator;
  readonly #stored: StoredTasks;
  readonly #onError: (error: unknown) => void;
  #isClosed = false;

  constructor(options: ServerTasksOptions) {
    const settings = readServerTasks(options);
    const { ttlMs, pollIntervalMs, maxRunning, leaseMs, maxSharePerPrincipal } = settings;
    const { maxTaskSubscriptions, store = memoryTaskStore(), onError } = settings;
    this.#store = store;
    this.#ttlMs = ttlMs;
    this.#pollIntervalMs = pollIntervalMs;
    this.#leaseMs = leaseMs;
    this.#running = new Quota(maxRunning, maxSharePerPrincipal);
    this.#maxTaskSubscriptions = maxTaskSubscriptions;
    this.#onError = createErrorReporter("serverTasks", onError);
    this.#coordinator = new TaskCoordinator({
      store,
      leaseMs,
      onError: this.#onError,
    });
    this.#stored = new StoredTasks({
      store,
      coordinator: this.#coordinator,
      onError: this.#onError,
    });
    this.methods = {
      [TaskMethod.Get]: async (params, context) => ({
        ...(await this.#stored.find(params, context)).task,
      }),
      [TaskMethod.Update]: async (params, context) => {
        const inputResponses = readInputResponses(params);
        const record = await this.#stored.find(params, context);
        await this.#stored.signal(record, { kind: "input", inputResponses }, context);
        return {};
      },
      [TaskMethod.Cancel]: async (params, context) => {
        const record = await this.#stored.find(params, context);
        await this.#stored.signal(record, { kind: "cancel" }, context);
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
    options: StartOptions = {},
  ): Promise<TaskContext> => {
    const { required, statusMessage, ttlMs = this.#ttlMs } = readStart(options);
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
   * Subscribes to tasks. First sends the current state of each task, because the task may have
   * changed before the subscription. Only ids are queued: a state is read when it is sent, because
   * a client can leave many streams unread, and a state can be large.
   */
  readonly listen = async (
    { taskIds }: JsonObject,
    context: Subscriber,
    send: SendExtensionNotification,
  ): Promise<ExtensionSubscription | undefined> => {
    if (taskIds === undefined) return undefined;
    assertDeclared(context.client, TASKS_EXTENSION);
    const ids = new Set(this.#readIds(taskIds));
    const onChange = (taskId: string): void =>
      send(TASK_NOTIFICATION, taskId, () => this.#stored.readState(taskId, context));
    const stop = this.#coordinator.listen({ taskIds: ids, onChange });
    try {
      await this.#coordinator.watch();
      for (const id of await this.#stored.findUnknown([...ids], context)) ids.delete(id);
      for (const id of ids) onChange(id);
      return { accepted: { taskIds: [...ids] }, stop };
    } catch (error) {
      stop();
      throw error;
    }
  };

  readonly close = async (): Promise<void> => {
    this.#isClosed = true;
    this.#clock.stop();
    const { runs } = this.#coordinator;
    for (const run of runs) this.#clock.remove(run);
    const stopping = Promise.all(runs.map((run) => run.shutDown())).then(() => true);
    if (await resolveWithin(stopping, this.#leaseMs) !== true) {
      // No caller receives a later rejection.
      stopping.catch(this.#onError);
      this.#onError(
        new Error(
          `Cannot store the end of tasks: the store did not respond in ${this.#leaseMs} ms`,
        ),
      );
    }
    await this.#coordinator.close();
  };

  /**
   * Runs the handler for a tool call. Resolves to the handler's result, or to the task if the
   * handler starts one.
   */
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
   * Completes a tool call and its task. If the task could not be stored, `start` has thrown an
   * error and no task exists.
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
      leaseMs: this.#coordinator.storedLeaseMs,
      onError: this.#onError,
    });
    this.#coordinator.add(run);
    this.#running.take(1, run.subject);
    try {
      const task = await run.open();
      // Cancel the task if the call was aborted, because the client would never receive the task
      // id.
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
    this.#coordinator.remove(run);
    this.#running.take(-1, run.subject);
  }

  #newRecord(subject: string | undefined, { statusMessage, ttlMs }: TaskStatusText): TaskRecord {
    const now = Date.now();
    const createdAt = new Date(now).toISOString();
    return {
      ...(subject === undefined ? {} : { subject }),
      expiresAt: now + ttlMs,
      epoch: 0,
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
}

const WRONG_CONTEXT =
  '"context" must be the context that the tool handler received, not a copy, and the extension must be in ' +
  '"extensions" of the server';

/**
 * Returns `true` if the client can receive tasks. Legacy results have no `resultType`, so they
 * cannot be tasks.
 */
function supportsTasks(client: ClientDescription): boolean {
  return declares(client, TASKS_EXTENSION) &&
    findRevision(client.protocolVersion)?.era === "modern";
}

function ignore(): void {}
