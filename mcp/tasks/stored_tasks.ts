/**
 * Access of clients to the stored tasks, which may run in any process that shares the store.
 *
 * @module
 */

import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import type { Subscriber } from "../server/extension_subscription.ts";
import { invalidParams, readText } from "../server/params.ts";
import type { MethodContext } from "../server/request_context.ts";
import { isTerminal, type Task } from "./task.ts";
import type { TaskCoordinator } from "./task_coordinator.ts";
import { selectInputResponses } from "./task_run.ts";
import type { TaskRecord, TaskSignal, TaskStore } from "./task_store.ts";

/** Options for {@linkcode StoredTasks}. */
export interface StoredTasksOptions {
  /** Store that the processes share. */
  readonly store: TaskStore;
  /** Tasks that run in this process. */
  readonly coordinator: TaskCoordinator;
  /** Called with errors from the store that no client receives. */
  readonly onError: (error: unknown) => void;
}

/** Maximum number of tasks that one subscription reads concurrently. */
const MAX_READS = 10;

const UNKNOWN_TASK =
  "Unknown task: it has expired or never existed, or it runs in a server process with a different task store";

/** Reads stored tasks and sends signals to them, on behalf of the principals that own the tasks. */
export class StoredTasks {
  readonly #options: StoredTasksOptions;

  /** Accesses the store only when a task is read or a signal is sent. */
  constructor(options: StoredTasksOptions) {
    this.#options = options;
  }

  /**
   * Returns the task that the parameters of a request name.
   *
   * @throws {McpError} With code `protocol_error` and `rpcCode` -32602 if the principal does not
   * own a task with the id.
   */
  async find(params: JsonObject, context: MethodContext): Promise<TaskRecord> {
    const record = await this.#lookUp(readText(params, "taskId"), context);
    if (record === undefined) throw invalidParams(UNKNOWN_TASK);
    return record;
  }

  /** Returns the ids that are unknown to the principal. */
  async findUnknown(ids: readonly string[], context: Subscriber): Promise<readonly string[]> {
    const unknown: string[] = [];
    for (let start = 0; start < ids.length; start += MAX_READS) {
      context.signal.throwIfAborted();
      await Promise.all(
        ids.slice(start, start + MAX_READS).map(async (id) => {
          if (await this.#lookUp(id, context) === undefined) unknown.push(id);
        }),
      );
    }
    return unknown;
  }

  /**
   * Reads the state of a task for a notification, also if the task has just expired, because the
   * subscribers receive its end. Errors of the store are reported.
   */
  async readState(taskId: string, context: Subscriber): Promise<JsonObject | undefined> {
    try {
      const record = await this.#options.store.get(taskId) ?? undefined;
      if (record?.subject !== context.principal?.subject) return undefined;
      return record && { ...record.task };
    } catch (error) {
      this.#options.onError(error);
      return undefined;
    }
  }

  /**
   * Sends a signal to a task, which may run in another process. A task that has ended ignores the
   * signal.
   *
   * @throws {McpError} With `rpcCode` -32603 if no process runs the task, because acknowledging the
   * request would hide the fact that no process handles it.
   */
  async signal(
    { task }: TaskRecord,
    signal: TaskSignal,
    context: MethodContext,
  ): Promise<void> {
    const run = this.#options.coordinator.find(task.taskId);
    if (run !== undefined) return await run.handle(signal);
    if (isTerminal(task.status)) return;
    const sent = selectSignal(task, signal);
    if (sent === undefined || await this.#options.store.signal(task.taskId, sent)) return;
    // The task may have ended after its record was read.
    const latest = await this.#lookUp(task.taskId, context);
    if (latest === undefined || isTerminal(latest.task.status)) return;
    throw internalError("The server process that ran the task has ended");
  }

  /**
   * Returns a task that the principal owns. A task that a different principal owns is treated as
   * unknown.
   */
  async #lookUp(
    taskId: string,
    { principal }: Pick<Subscriber, "principal">,
  ): Promise<TaskRecord | undefined> {
    // Stores written in JavaScript often return `null` for an unknown id.
    const record = await this.#options.store.get(taskId) ?? undefined;
    const isOwn = record !== undefined && record.subject === principal?.subject;
    if (!isOwn || record.expiresAt <= Date.now()) return undefined;
    const isElsewhere = this.#options.coordinator.find(taskId) === undefined;
    if (isElsewhere && !isTerminal(record.task.status)) this.#options.coordinator.checkLeases();
    return record;
  }
}

/**
 * Returns the signal to store for a task that runs in another process, without input responses that
 * the task did not request. Returns `undefined` if no input responses remain.
 *
 * @throws {McpError} With code `protocol_error` and `rpcCode` -32602 if an input response is
 * invalid.
 */
function selectSignal(task: Task, signal: TaskSignal): TaskSignal | undefined {
  if (signal.kind === "cancel") return signal;
  const requests = task.status === "input_required" ? task.inputRequests : {};
  const inputResponses = selectInputResponses(
    (key) => Object.hasOwn(requests, key) ? requests[key] : undefined,
    signal.inputResponses,
  );
  return Object.keys(inputResponses).length === 0 ? undefined : { kind: "input", inputResponses };
}

/** Creates an error with `rpcCode` -32603, whose message the client receives. */
export function internalError(message: string): McpError {
  return McpError.protocolError(message, { rpcCode: RpcErrorCode.InternalError });
}
