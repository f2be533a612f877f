/**
 * A running task, with its handler context, state transitions and input requests.
 *
 * @module
 */

import { formatValue } from "@parley/internal/format-value";
import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
import {
  type InputRequest,
  type InputResponse,
  isInputResponse,
  missingCapability,
} from "../protocol/input_request.ts";
import type { ClientDescription } from "../protocol/client_description.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import type { InputResponses } from "../server/request_context.ts";
import { toErrorObject } from "../server/dispatch.ts";
import { invalidParams } from "../server/params.ts";
import type { TimeoutEntry } from "../shared/timeout_scheduler.ts";
import type { TaskLease, TaskRecord, TaskSignal, TaskStore } from "./task_store.ts";
import { isTerminal, type Task, type TaskState, TaskStatus, TRANSITIONS } from "./task.ts";

/**
 * Context of a running task. Replaces the request context after the handler has called `start()`.
 */
export interface TaskContext {
  /** Task id, or `undefined` if the client does not support tasks and waits for the result. */
  readonly taskId: string | undefined;
  /**
   * Signal that is aborted when the task is cancelled or expires, the server is closed, or another
   * process has taken over the task.
   */
  readonly signal: AbortSignal;
  /** Sets the task's user-facing status message. */
  setStatusMessage(statusMessage: string): Promise<void>;
  /**
   * Sends an input request to the client and returns the input response.
   *
   * @param key Identifier for the input request. If the task has already used the identifier, a
   * numeric suffix is added.
   * @param request Input request.
   * @throws {McpError} With code `protocol_error` if the client does not declare the required
   * capability.
   * @throws The signal's reason if the signal is aborted.
   */
  ask<Request extends InputRequest>(key: string, request: Request): Promise<InputResponse<Request>>;
  /** Sends several input requests concurrently and returns the input responses by key. */
  askAll<const Requests extends Readonly<Record<string, InputRequest>>>(
    requests: Requests,
  ): Promise<InputResponses<Requests>>;
}

/** Options for {@linkcode TaskRun}. */
export interface TaskRunOptions {
  /** Client that started the task. */
  readonly client: ClientDescription;
  /** Store for the task. */
  readonly store: TaskStore;
  /** Duration of the task's lease after each change, in milliseconds. */
  readonly leaseMs: number;
  /** Called with errors that are not sent to the client. */
  readonly onError: (error: unknown) => void;
}

interface PendingInput {
  readonly request: InputRequest;
  readonly accept: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/** A running task. */
export class TaskRun implements TaskContext, TimeoutEntry {
  /** Place in the list of the scheduler. */
  place: TimeoutEntry["place"];
  readonly #options: TaskRunOptions;
  readonly #controller = new AbortController();
  readonly #pendingInputs = new Map<string, PendingInput>();
  readonly #keys = new Set<string>();
  #record: TaskRecord;
  #saving: Promise<void> = Promise.resolve();
  #isStored = false;

  /** Creates a running task that is not stored yet. */
  constructor(record: TaskRecord, options: TaskRunOptions) {
    this.#record = record;
    this.#options = options;
  }

  /** Task id. */
  get taskId(): string {
    return this.#record.task.taskId;
  }

  /** Subject of the principal that owns the task, if its request was authenticated. */
  get subject(): string | undefined {
    return this.#record.subject;
  }

  /**
   * Signal that is aborted when the task is cancelled or expires, the server is closed, or another
   * process has taken over the task.
   */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Lease to renew, or `undefined` if the task is not stored yet or has ended. */
  get lease(): TaskLease | undefined {
    const { task: { taskId, status }, epoch } = this.#record;
    return this.#isStored && !isTerminal(status) ? { taskId, epoch } : undefined;
  }

  /** Expiry time of the task, in milliseconds since the epoch. */
  get dueAt(): number {
    return this.#controller.signal.aborted ? Infinity : this.#record.expiresAt;
  }

  /** Ends the task because it has expired. */
  fire(): void {
    this.#expire("the task has expired").catch(this.#options.onError);
  }

  /** Ends the task because the server is closed. Resolves when the final state is stored. */
  async shutDown(): Promise<void> {
    await this.#expire("the server was closed");
    await this.#saving;
  }

  /**
   * Stores the task and returns it.
   *
   * @throws {McpError} With code `protocol_error` and `rpcCode` -32603 if the store contains a task
   * with this id.
   */
  async open(): Promise<Task> {
    const stored = this.#set(this.#record);
    // Later changes to the task wait until its first record is stored. If the record cannot be
    // stored, `await stored` throws the error.
    this.#saving = stored.then(() => {}, () => {});
    if (!await stored) {
      throw McpError.protocolError("The task store contains a task with the same id", {
        rpcCode: RpcErrorCode.InternalError,
      });
    }
    this.#isStored = true;
    return this.#record.task;
  }

  /** Handles a signal that another process has stored for the task. */
  async handle(signal: TaskSignal): Promise<void> {
    switch (signal.kind) {
      case "cancel":
        return await this.cancel();
      case "input":
        return await this.acceptInputs(signal.inputResponses);
      default:
        signal satisfies never;
    }
  }

  /**
   * Aborts the handler because another process has taken over the task. The run stores nothing
   * after it has been abandoned.
   */
  abandon(): void {
    if (isTerminal(this.#record.task.status)) return;
    const message = "another process has taken over the task because its lease expired";
    const error = { code: RpcErrorCode.InternalError, message };
    this.#record = withState(this.#record, { status: TaskStatus.Failed, error }, message);
    this.#abort(McpError.core(message));
    this.#options.onError(new Error(`Cannot continue task "${this.taskId}": ${message}`));
  }

  /** Ends the task with status `cancelled`. */
  async cancel(): Promise<void> {
    await this.#stop({ status: TaskStatus.Cancelled }, McpError.core("the task was cancelled"));
  }

  /** Ends the task with a result. */
  async complete(result: JsonObject): Promise<void> {
    await this.#enter({ status: TaskStatus.Completed, result });
  }

  /** Ends the task with an error. */
  async fail(cause: unknown): Promise<void> {
    const error = toErrorObject(cause, this.#options.onError);
    await this.#enter({ status: TaskStatus.Failed, error }, error.message);
  }

  /**
   * Accepts input responses. Responses that match no pending input request are ignored.
   *
   * @throws {McpError} With code `protocol_error` and `rpcCode` -32602 if a response is invalid. If
   * one response is invalid, none of the responses is accepted.
   */
  async acceptInputs(answers: JsonObject): Promise<void> {
    const responses = selectInputResponses(
      (key) => this.#pendingInputs.get(key)?.request,
      answers,
    );
    const fitting = Object.entries(responses).flatMap(([key, value]) => {
      const pendingInput = this.#pendingInputs.get(key);
      this.#pendingInputs.delete(key);
      return pendingInput === undefined ? [] : [{ pendingInput, value }];
    });
    if (fitting.length === 0) return;
    await this.#enter(this.#openState());
    for (const { pendingInput, value } of fitting) pendingInput.accept(value);
  }

  // The context's functions are fields so that handlers can destructure the context.
  readonly setStatusMessage = async (statusMessage: string): Promise<void> => {
    await this.#enter(this.#openState(), statusMessage);
  };

  readonly ask = async <Request extends InputRequest>(
    key: string,
    request: Request,
  ): Promise<InputResponse<Request>> => {
    this.signal.throwIfAborted();
    assertCapability(request, this.#options.client);
    const answered = this.#waitForInput(this.#uniqueKey(key), request);
    // Prevent an unhandled rejection, because the promise may reject before it is awaited below.
    answered.catch(() => {});
    await this.#enter(this.#openState());
    return await answered;
  };

  readonly askAll = async <const Requests extends Readonly<Record<string, InputRequest>>>(
    requests: Requests,
  ): Promise<InputResponses<Requests>> => {
    const entries = Object.entries(requests).map(async ([key, request]) =>
      [key, await this.ask(key, request)] as const
    );
    // `acceptInputs` has validated each response against the request with the same key.
    return Object.fromEntries(await Promise.all(entries)) as InputResponses<Requests>;
  };

  #waitForInput<Request extends InputRequest>(
    key: string,
    request: Request,
  ): Promise<InputResponse<Request>> {
    return new Promise((resolve, reject) => {
      const accept = (value: unknown): void => {
        if (isInputResponse(request, value)) resolve(value);
      };
      this.#pendingInputs.set(key, { request, accept, reject });
    });
  }

  /**
   * Returns a key that the task has not used yet, because "Each request key MUST be unique over the
   * lifetime of a single task."
   */
  #uniqueKey(key: string): string {
    let unique = key;
    for (let n = 2; this.#keys.has(unique); n++) unique = `${key}-${n}`;
    this.#keys.add(unique);
    return unique;
  }

  /** Returns the state of a task that has not ended. */
  #openState(): TaskState {
    if (this.#pendingInputs.size === 0) return { status: TaskStatus.Working };
    const entries = Array.from(
      this.#pendingInputs,
      ([key, { request }]) => [key, request] as const,
    );
    return { status: TaskStatus.InputRequired, inputRequests: Object.fromEntries(entries) };
  }

  #expire(message: string): Promise<void> {
    const error = { code: RpcErrorCode.InternalError, message };
    return this.#stop({ status: TaskStatus.Failed, error }, McpError.core(message), message);
  }

  async #stop(state: TaskState, reason: McpError, statusMessage?: string): Promise<void> {
    const entered = this.#enter(state, statusMessage);
    this.#abort(reason);
    await entered;
  }

  #abort(reason: McpError): void {
    this.#controller.abort(reason);
    for (const { reject } of this.#pendingInputs.values()) reject(reason);
    this.#pendingInputs.clear();
  }

  /**
   * Changes the state if {@linkcode TRANSITIONS} permits it. Changes after the task has ended are
   * ignored.
   */
  async #enter(state: TaskState, statusMessage?: string): Promise<void> {
    if (!TRANSITIONS[this.#record.task.status].includes(state.status)) return;
    const record = this.#record = withState(this.#record, state, statusMessage);
    this.#saving = this.#saving.then(() => this.#save(record));
    await this.#saving;
  }

  /**
   * Stores a record. If a result cannot be stored, the task fails, so the client receives an error.
   * If the store rejects the record, another process has taken over the task.
   */
  async #save(record: TaskRecord): Promise<void> {
    const { onError } = this.#options;
    try {
      if (!await this.#set(record)) this.abandon();
    } catch (cause) {
      onError(cause);
      if (record.task.status !== TaskStatus.Completed) return;
      const error = { code: RpcErrorCode.InternalError, message: "The result cannot be stored" };
      await this.#save(withState(record, { status: TaskStatus.Failed, error }, error.message));
    }
  }

  async #set(record: TaskRecord): Promise<boolean> {
    const { store, leaseMs } = this.#options;
    const isStored: unknown = await store.set(record, { leaseMs });
    if (typeof isStored === "boolean") return isStored;
    throw new TypeError(`"store.set" must resolve to a boolean, got ${formatValue(isStored)}`);
  }
}

/**
 * Returns a copy of a record with a new state and the current time as the time of the last change.
 */
export function withState(
  { task, ...rest }: TaskRecord,
  state: TaskState,
  statusMessage: string | undefined = task.statusMessage,
): TaskRecord {
  const { taskId, createdAt, ttlMs, pollIntervalMs } = task;
  const lastUpdatedAt = new Date().toISOString();
  return {
    ...rest,
    task: {
      taskId,
      createdAt,
      lastUpdatedAt,
      ttlMs,
      ...(pollIntervalMs === undefined ? {} : { pollIntervalMs }),
      ...(statusMessage === undefined ? {} : { statusMessage }),
      ...state,
    },
  };
}

function assertCapability(request: InputRequest, { capabilities }: ClientDescription): void {
  const requiredCapabilities = missingCapability(request, capabilities);
  if (requiredCapabilities === undefined) return;
  throw McpError.protocolError(`Missing required client capability for "${request.method}"`, {
    rpcCode: RpcErrorCode.MissingClientCapability,
    data: { requiredCapabilities },
  });
}

/**
 * Reads the `inputResponses` parameter.
 *
 * @throws {McpError} With code `protocol_error` and `rpcCode` -32602 if the parameter is not an
 * object.
 */
export function readInputResponses(params: JsonObject): JsonObject {
  const { inputResponses } = params;
  if (isRecord(inputResponses)) return inputResponses;
  throw invalidParams('Invalid params: "inputResponses" must be an object');
}

/**
 * Returns the input responses that match an input request. Responses that match no input request
 * are omitted.
 *
 * @param findRequest Returns the pending input request with the given key.
 * @param inputResponses Input responses by key, as sent by a client.
 * @throws {McpError} With code `protocol_error` and `rpcCode` -32602 if a response does not match
 * its request.
 */
export function selectInputResponses(
  findRequest: (key: string) => InputRequest | undefined,
  inputResponses: JsonObject,
): JsonObject {
  const entries = Object.entries(inputResponses).filter(([key, value]) => {
    const request = findRequest(key);
    if (request === undefined || isInputResponse(request, value)) return request !== undefined;
    throw invalidParams(
      `Invalid params: "inputResponses.${key}" must be a valid response to "${request.method}"`,
    );
  });
  return Object.fromEntries(entries);
}
