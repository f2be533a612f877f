/**
 * A running task, with its handler context, state transitions and input requests.
 *
 * @module
 */

import { McpError } from "../shared/error.ts";
import { isJsonObject, type JsonObject } from "../shared/json.ts";
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
import type { TaskRecord, TaskStore } from "./task_store.ts";
import { type Task, type TaskState, TaskStatus, TRANSITIONS } from "./task.ts";

/** Context of a running task. Replaces the request context after the handler has called `start()`. */
export interface TaskContext {
  /** Task id, or `undefined` if the client does not support tasks and waits for the result. */
  readonly taskId: string | undefined;
  /** Signal that is aborted when the task is cancelled or expires, or the server is closed. */
  readonly signal: AbortSignal;
  /** Sets the task's user-facing status message. */
  setStatusMessage(statusMessage: string): Promise<void>;
  /**
   * Sends an input request to the client and returns the input response.
   *
   * @param key Identifier for the input request. If the task has already used the identifier, a numeric suffix is
   * added.
   * @param request Input request.
   * @throws {McpError} With code `protocol_error` if the client does not declare the required capability.
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
  /** Called after each change is stored. */
  readonly onChange: (record: TaskRecord) => void;
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
  readonly #options: TaskRunOptions;
  readonly #controller = new AbortController();
  readonly #pendingInputs = new Map<string, PendingInput>();
  readonly #keys = new Set<string>();
  #record: TaskRecord;
  #saving: Promise<void> = Promise.resolve();

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

  /** Signal that is aborted when the task is cancelled or expires, or the server is closed. */
  get signal(): AbortSignal {
    return this.#controller.signal;
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

  /** Stores the task and returns it. */
  async open(): Promise<Task> {
    const stored = Promise.resolve(this.#options.store.set(this.#record));
    // Later changes wait until this record is stored. If the record cannot be stored, `await stored` throws the error.
    this.#saving = stored.catch(() => {});
    await stored;
    return this.#record.task;
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
   * @throws {McpError} With code `protocol_error` and `rpcCode` -32602 if a response is invalid. If one response is
   * invalid, none of the responses is accepted.
   */
  async acceptInputs(answers: JsonObject): Promise<void> {
    const entries = Object.entries(answers);
    const fitting = entries.flatMap(([key, value]) => {
      const pendingInput = this.#pendingInputs.get(key);
      if (pendingInput === undefined) return [];
      if (isInputResponse(pendingInput.request, value)) return [{ key, pendingInput, value }];
      throw invalidParams(
        `Invalid params: "inputResponses.${key}" must be a valid response to "${pendingInput.request.method}"`,
      );
    });
    if (fitting.length === 0) return;
    for (const { key } of fitting) this.#pendingInputs.delete(key);
    await this.#enter(this.#openState());
    for (const { pendingInput, value } of fitting) pendingInput.accept(value);
  }

  // These functions are fields so that handlers can destructure the context.
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
   * Returns a key that the task has not used yet, because "Each request key MUST be unique over the lifetime of a
   * single task."
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
    this.#controller.abort(reason);
    for (const { reject } of this.#pendingInputs.values()) reject(reason);
    this.#pendingInputs.clear();
    await entered;
  }

  /** Changes the state if {@linkcode TRANSITIONS} permits it. Changes after the task has ended are ignored. */
  async #enter(state: TaskState, statusMessage?: string): Promise<void> {
    if (!TRANSITIONS[this.#record.task.status].includes(state.status)) return;
    const record = this.#record = withState(this.#record, state, statusMessage);
    this.#saving = this.#saving.then(() => this.#save(record));
    await this.#saving;
  }

  /** Stores a record. If a result cannot be stored, the task fails, so the client receives an error. */
  async #save(record: TaskRecord): Promise<void> {
    const { store, onChange, onError } = this.#options;
    try {
      await store.set(record);
      onChange(record);
    } catch (cause) {
      onError(cause);
      if (record.task.status !== TaskStatus.Completed) return;
      const error = { code: RpcErrorCode.InternalError, message: "The result cannot be stored" };
      await this.#save(withState(record, { status: TaskStatus.Failed, error }, error.message));
    }
  }
}

function withState(
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
 * @throws {McpError} With code `protocol_error` and `rpcCode` -32602 if the parameter is not an object.
 */
export function readInputResponses(params: JsonObject): JsonObject {
  const { inputResponses } = params;
  if (isJsonObject(inputResponses)) return inputResponses;
  throw invalidParams('Invalid params: "inputResponses" must be an object');
}
