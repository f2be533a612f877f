/**
 * Request context for handlers: client, abort signal, notifications and input requests.
 *
 * @module
 */

import { assertNonNegative, assertString } from "@parley/internal/assert-argument";
import { assertNames, namesOf } from "@parley/internal/options";
import { McpError } from "../shared/error.ts";
import type { EventLoopYielder } from "../shared/event_loop_yielder.ts";
import type { JsonObject } from "../shared/json.ts";
import {
  type McpErrorObject,
  notification,
  type RequestId,
  type RpcNotification,
  type RpcRequest,
  stringifyMessage,
} from "../jsonrpc/message.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import {
  type InputRequest,
  type InputResponse,
  isInputResponse,
  missingCapability,
} from "../protocol/input_request.ts";
import { isWanted, type LogLevel } from "../protocol/logging.ts";
import { MetaKey, metaOf } from "../protocol/meta.ts";
import { NotificationMethod } from "../protocol/methods.ts";
import type { ClientDescription } from "../protocol/client_description.ts";
import type { ParameterHeader } from "../protocol/headers.ts";
import { type ExchangeContext, type Principal, signalOf } from "./exchange_context.ts";
import type { RequestState } from "./request_state.ts";

/** Options for {@linkcode RequestContext.progress}. */
export interface ProgressOptions {
  /** Value of `progress` when the operation is complete. If omitted, the total is unknown. */
  readonly total?: number;
  /** User-facing description of the current step. */
  readonly message?: string;
}

/**
 * Names of the options, which are checked by hand because a handler can report progress very often.
 */
const PROGRESS_NAMES = namesOf<ProgressOptions>({ total: true, message: true });

/** Input responses, keyed by the input request's key. */
export type InputResponses<Requests extends Readonly<Record<string, InputRequest>>> = {
  readonly [Key in keyof Requests]: InputResponse<Requests[Key]>;
};

/** The request context passed to tool, resource and prompt handlers. */
export interface RequestContext {
  /** Client that sent the request. */
  readonly client: ClientDescription;
  /** Signal that is aborted when the request is cancelled or its connection closes. */
  readonly signal: AbortSignal;
  /** Id of the request. */
  readonly requestId: RequestId;
  /** Authenticated principal. `undefined` if the request is not authenticated. */
  readonly principal: Principal | undefined;
  /**
   * The `_meta` object of the request, which is an untrusted value from the client, or an empty
   * object if there is none.
   */
  readonly meta: Readonly<JsonObject>;
  /**
   * Value passed to {@linkcode RequestContext.saveState} in an earlier round trip of the same
   * request.
   */
  readonly savedState: unknown;
  /**
   * Reports progress if the client requested progress notifications. A progress value that is not
   * greater than the previous one is ignored. Resolves when the client is ready for the next
   * notification. Await the returned promise to respect the client's backpressure.
   */
  progress(progress: number, options?: ProgressOptions): Promise<void>;
  /**
   * Sends a log message if the client requested messages at this level. `data` can be any JSON
   * value.
   *
   * @throws {McpError} With code `serialization_error` if `data` is not a JSON value.
   */
  log(level: LogLevel, data: unknown, logger?: string): Promise<void>;
  /**
   * Requests input from the client: user input, a message from its model, or its roots.
   *
   * In a legacy session, sends a server request and waits for the response. Outside of a legacy
   * session, ends the request with the input request as its result. The client then repeats the
   * request with the input response, and the handler runs again from the start. Code before `ask`
   * therefore runs more than once and must be safe to repeat.
   *
   * @param key Identifier for the input request, unique within the client's request.
   * @param request Input request.
   * @throws {McpError} With code `protocol_error` if the client does not declare the required
   * capability, the response was already sent, or the input response is not available yet. A
   * handler must not catch the error for an unavailable input response.
   */
  ask<Request extends InputRequest>(key: string, request: Request): Promise<InputResponse<Request>>;
  /** Sends several input requests concurrently. See {@linkcode RequestContext.ask}. */
  askAll<const Requests extends Readonly<Record<string, InputRequest>>>(
    requests: Requests,
  ): Promise<InputResponses<Requests>>;
  /**
   * Closes the request's SSE stream without ending the request. The client resumes the stream with
   * `Last-Event-ID`. Closing the stream avoids holding a connection open during a long operation.
   * Outside of HTTP sessions with MCP 2025-11-25, `closeStream()` has no effect.
   */
  closeStream(): void;
  /**
   * Saves a JSON value for the request's next round trip, where it is available as
   * {@linkcode RequestContext.savedState}. The saved value is encrypted and sent to the client.
   */
  saveState(value: unknown): void;
}

/** The request context passed to method handlers, which can also send arbitrary notifications. */
export interface MethodContext extends RequestContext {
  /** Transport of the request. The scopes of tools apply to every transport except `pipe`. */
  readonly transport: "http" | "pipe";
  /**
   * Checks the HTTP headers that mirror arguments of the tool that is about to run. If a header
   * does not match, the request fails.
   *
   * @param parameters Headers of the tool.
   * @throws {McpError} With code `protocol_error` and `rpcCode` -32020 if a header does not match.
   */
  assertToolHeaders(parameters: readonly ParameterHeader[]): void;
  /**
   * Sends a notification that belongs to the request. Resolves when the client is ready for the
   * next notification.
   */
  notify(method: string, params: JsonObject): Promise<void>;
}

/**
 * Descriptor for the `signal` property of a {@linkcode RequestScope} whose `AbortSignal` is created
 * on first access. All scopes share this getter, because a separate getter per scope would give
 * each scope its own hidden class in V8.
 */
const SIGNAL: PropertyDescriptor = {
  enumerable: true,
  get(this: RequestScope) {
    return signalOf(this.exchange);
  },
};

/** Limits for the notifications of a request. */
export interface NotificationLimits {
  /** Maximum number of unsent notifications per request. */
  readonly maxQueuedNotifications: number;
  /**
   * Keeps handlers that send many notifications from blocking the event loop. All requests of a
   * server share one yielder.
   */
  readonly yielder: EventLoopYielder;
}

/**
 * The context and outcome of one request. The members of {@linkcode MethodContext} are own
 * properties, so handlers can copy the context (`{ ...context, user }`) and destructure it.
 */
export class RequestScope implements MethodContext {
  readonly client: ClientDescription;
  declare readonly signal: AbortSignal;
  readonly requestId: RequestId;
  readonly principal: Principal | undefined;
  readonly transport: "http" | "pipe";
  readonly meta: Readonly<JsonObject>;
  savedState: unknown;
  /**
   * Request context provided by the serving layer. The field is not private (`#`), because objects
   * that inherit from a scope cannot access private fields.
   */
  readonly exchange: ExchangeContext;
  readonly #limits: NotificationLimits;
  readonly #inputResponses: JsonObject;
  readonly #usedResponses: Record<string, unknown> = {};
  #inputRequests: Record<string, InputRequest> | undefined;
  #queued = 0;
  #error: McpErrorObject | undefined;
  #progress = -Infinity;
  #isAnswered = false;

  /** Creates a scope for one request. */
  constructor(
    request: RpcRequest,
    exchange: ExchangeContext,
    state: RequestState,
    limits: NotificationLimits,
  ) {
    this.client = exchange.client;
    // `Object.defineProperty()` takes a sixth of the time of an in-process call on Deno.
    if ("signal" in exchange.signal) Object.defineProperty(this, "signal", SIGNAL);
    else this.signal = exchange.signal;
    this.requestId = request.id;
    this.principal = exchange.principal;
    this.transport = exchange.transport ?? "pipe";
    this.meta = metaOf(request.params);
    this.savedState = state.savedState;
    this.exchange = exchange;
    this.#limits = limits;
    this.#inputResponses = state.inputResponses;
  }

  readonly progress: MethodContext["progress"] = async (progress, options = {}) => {
    const { total, message } = options;
    assertNames("options", options, PROGRESS_NAMES);
    if (total !== undefined) assertNonNegative("total", total);
    if (message !== undefined) assertString("message", message);
    const token = this.meta[MetaKey.ProgressToken];
    if (token === undefined || !(progress > this.#progress)) return;
    this.#progress = progress;
    await this.notify(NotificationMethod.Progress, {
      progressToken: token,
      progress,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message }),
    });
    // Sending may complete without I/O, for example if there is no reader.
    await this.#limits.yielder.yieldIfDue();
  };

  readonly log: MethodContext["log"] = async (level, data, logger) => {
    const { logLevel } = this.client;
    if (logLevel === undefined || !isWanted(level, logLevel)) return;
    const params = logger === undefined ? { level, data } : { level, logger, data };
    // Throw here if the data is not JSON, because an error during sending could not be reported to
    // the handler.
    stringifyMessage(notification(NotificationMethod.Message, params));
    await this.notify(NotificationMethod.Message, params);
    await this.#limits.yielder.yieldIfDue();
  };

  readonly ask: MethodContext["ask"] = async (key, request) => {
    if (this.#isAnswered) throw McpError.protocolError("the response was already sent");
    this.#assertCapability(request);
    const answer = this.exchange.ask === undefined
      ? this.#inputResponses[key]
      : await this.exchange.ask(request, this.signal, (message) => this.#emit(message));
    if (isInputResponse(request, answer)) {
      this.#usedResponses[key] = answer;
      return answer;
    }
    if (this.exchange.ask !== undefined) {
      throw McpError.protocolError(`the client's response to "${request.method}" is not valid`);
    }
    this.#inputRequests = { ...this.#inputRequests, [key]: request };
    throw McpError.protocolError(`input response "${key}" is not available yet`);
  };

  readonly askAll: MethodContext["askAll"] = async <
    const Requests extends Readonly<Record<string, InputRequest>>,
  >(requests: Requests) => {
    const entries = Object.entries(requests).map(async ([key, request]) =>
      [key, await this.ask(key, request)] as const
    );
    // Each input response was validated by `ask` against the input request with the same key.
    return Object.fromEntries(await Promise.all(entries)) as InputResponses<Requests>;
  };

  readonly closeStream: MethodContext["closeStream"] = () => this.exchange.closeStream?.();

  readonly saveState: MethodContext["saveState"] = (value) => {
    this.savedState = value;
  };

  readonly assertToolHeaders: MethodContext["assertToolHeaders"] = (parameters) => {
    const mismatch = this.exchange.checkToolHeaders?.(parameters);
    if (mismatch === undefined) return;
    this.#error = mismatch;
    throw McpError.protocolError(mismatch.message, { rpcCode: mismatch.code });
  };

  readonly notify: MethodContext["notify"] = async (method, params) => {
    if (this.#isAnswered || this.exchange.signal.aborted) return;
    await this.#emit(notification(method, params));
  };

  /** Error to return for the request, regardless of the handler's outcome. */
  get error(): McpErrorObject | undefined {
    return this.#error;
  }

  /** Input requests that have no input response, or `undefined` if there are none. */
  get inputRequests(): Readonly<Record<string, InputRequest>> | undefined {
    return this.#inputRequests;
  }

  /** State for the next round trip. */
  get state(): RequestState {
    return { inputResponses: this.#usedResponses, savedState: this.savedState };
  }

  /**
   * Marks the request as complete. Any notifications that the handler sends for a completed request
   * are dropped.
   */
  end(): void {
    this.#isAnswered = true;
  }

  async #emit(message: RpcNotification | RpcRequest): Promise<boolean> {
    const { emit } = this.exchange;
    if (emit === undefined || this.#queued >= this.#limits.maxQueuedNotifications) return false;
    this.#queued++;
    try {
      return await emit(message);
    } finally {
      this.#queued--;
    }
  }

  #assertCapability(request: InputRequest): void {
    const requiredCapabilities = missingCapability(request, this.client.capabilities);
    if (requiredCapabilities === undefined) return;
    const message = `Missing required client capability for "${request.method}"`;
    const code = RpcErrorCode.MissingClientCapability;
    this.#error = { code, message, data: { requiredCapabilities } };
    throw McpError.protocolError(message, { rpcCode: code, data: { requiredCapabilities } });
  }
}
