/**
 * A task under way: what its work sees, and how it comes to its end.
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

/** What the work of a task goes by, instead of the context of the request that it outlives. */
export interface TaskContext {
  /** The id of the task; undefined where the client knows no tasks, and waits for the answer. */
  readonly taskId: string | undefined;
  /** Aborts when the result is not wanted any more: the task was cancelled, or has expired. */
  readonly signal: AbortSignal;
  /** Says what is going on, for people. */
  setStatusMessage(statusMessage: string): Promise<void>;
  /**
   * Asks the client's side, and waits for the answer.
   *
   * @param key tells the questions apart
   * @param request the question
   * @throws {McpError} `protocol_error` when the client cannot be asked that
   */
  ask<Request extends InputRequest>(key: string, request: Request): Promise<InputResponse<Request>>;
  /** Asks several questions at once. */
  askAll<const Requests extends Readonly<Record<string, InputRequest>>>(
    requests: Requests,
  ): Promise<InputResponses<Requests>>;
}

/** What surrounds a task under way. */
export interface TaskRunOptions {
  /** Who is asked. */
  readonly client: ClientDescription;
  /** Where the task is kept. */
  readonly store: TaskStore;
  /** Hears of every change once it is kept. */
  readonly onChange: (record: TaskRecord) => void;
  /** Hears of failures that the client is told nothing about. */
  readonly onError: (error: unknown) => void;
}

interface PendingInput {
  readonly request: InputRequest;
  readonly accept: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/** A task under way. */
export class TaskRun implements TaskContext, TimeoutEntry {
  readonly #options: TaskRunOptions;
  readonly #controller = new AbortController();
  readonly #pendingInputs = new Map<string, PendingInput>();
  readonly #keys = new Set<string>();
  #record: TaskRecord;
  #saving: Promise<void> = Promise.resolve();

  /** Takes a task that nobody knows yet. */
  constructor(record: TaskRecord, options: TaskRunOptions) {
    this.#record = record;
    this.#options = options;
  }

  /** Which task this is. */
  get taskId(): string {
    return this.#record.task.taskId;
  }

  /** Whose it is, where that is known. */
  get subject(): string | undefined {
    return this.#record.subject;
  }

  /** Aborts when the result is not wanted any more. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** When the task expires. */
  get dueAt(): number {
    return this.#controller.signal.aborted ? Infinity : this.#record.expiresAt;
  }

  /** The task has expired. */
  fire(): void {
    this.#expire("the task has expired").catch(this.#options.onError);
  }

  /** The server ends, perhaps before the task does. What has become of it is kept then. */
  async shutDown(): Promise<void> {
    await this.#expire("the server was closed");
    await this.#saving;
  }

  /** Lets the task be known. */
  async open(): Promise<Task> {
    const stored = this.#options.store.set(this.#record);
    // What becomes of the task meanwhile is kept after it. Whoever opens it hears of a failure.
    this.#saving = stored.catch(() => {});
    await stored;
    return this.#record.task;
  }

  /** The client does not want it any more. */
  async cancel(): Promise<void> {
    await this.#stop({ status: TaskStatus.Cancelled }, McpError.core("the task was cancelled"));
  }

  /** There is a result. */
  async complete(result: JsonObject): Promise<void> {
    await this.#enter({ status: TaskStatus.Completed, result });
  }

  /** There is an error instead. */
  async fail(cause: unknown): Promise<void> {
    const error = toErrorObject(cause, this.#options.onError);
    await this.#enter({ status: TaskStatus.Failed, error }, error.message);
  }

  /**
   * Takes answers. Those to what is not asked are passed over.
   *
   * @throws {McpError} `protocol_error` (-32602) when one does not fit its question; none is taken then
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

  // The functions that work gets are fields, so that it can take the context apart.
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
    // Whoever waits for it hears of it; nobody does yet.
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
    // Each key was asked its own request, and `answer` has looked at each answer.
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

  /** "Each request key MUST be unique over the lifetime of a single task." */
  #uniqueKey(key: string): string {
    let unique = key;
    for (let n = 2; this.#keys.has(unique); n++) unique = `${key}-${n}`;
    this.#keys.add(unique);
    return unique;
  }

  /** How a task stands that has not ended. */
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

  /** Goes where the table allows it; what comes after the end is passed over. */
  async #enter(state: TaskState, statusMessage?: string): Promise<void> {
    if (!TRANSITIONS[this.#record.task.status].includes(state.status)) return;
    const record = this.#record = withState(this.#record, state, statusMessage);
    this.#saving = this.#saving.then(() => this.#save(record));
    await this.#saving;
  }

  /** A result that cannot be kept is an error; the client must hear something. */
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

/** Whether answers can be looked through. */
export function readInputResponses(params: JsonObject): JsonObject {
  const { inputResponses } = params;
  if (isJsonObject(inputResponses)) return inputResponses;
  throw invalidParams('Invalid params: "inputResponses" must be an object');
}
