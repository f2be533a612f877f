/**
 * What a handler gets beside its arguments: who asks, whether it is still wanted, and ways to talk back.
 *
 * @module
 */

import { McpError } from "../shared/error.ts";
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
import { type ExchangeContext, type Principal, signalOf } from "./exchange_context.ts";
import type { RequestState } from "./request_state.ts";

/** What accompanies a progress report. */
export interface ProgressOptions {
  /** What `progress` will be at the end, if that is known. */
  readonly total?: number;
  /** What is going on, for people. */
  readonly message?: string;
}

/** The answers to several questions, by key. */
export type InputResponses<Requests extends Readonly<Record<string, InputRequest>>> = {
  readonly [Key in keyof Requests]: InputResponse<Requests[Key]>;
};

/** What a handler gets beside its arguments. */
export interface RequestContext {
  /** The client. */
  readonly client: ClientDescription;
  /** Aborts when the result is not wanted any more. */
  readonly signal: AbortSignal;
  /** The id of the request. */
  readonly requestId: RequestId;
  /** Who the request was authenticated as, where the server asks for that. */
  readonly principal: Principal | undefined;
  /** What an earlier round of the same request has kept, see {@linkcode RequestContext.saveState}. */
  readonly savedState: unknown;
  /**
   * Tells how far the work has come, if the client wants to know. Reports that do not increase are left out. Resolves
   * once there is room for the next one: await it to go no faster than the client reads.
   */
  progress(progress: number, options?: ProgressOptions): Promise<void>;
  /**
   * Sends a log message, if the client wants that level. `data` is any JSON value; rejects with a `serialization_error`
   * when it is none.
   */
  log(level: LogLevel, data: unknown, logger?: string): Promise<void>;
  /**
   * Asks the client's side: its user, its model, its roots.
   *
   * In a session this sends a request and waits. Elsewhere it ends the run: the client gets the question, and repeats
   * its request with the answer, which runs the handler again from the start. So whatever comes before an `ask` is
   * done again and should do no harm when it is.
   *
   * @param key tells the questions of one request apart
   * @param request the question
   * @throws {McpError} `protocol_error` when the client cannot be asked that, the request is answered already, or the
   * answer is not there yet: let it pass
   */
  ask<Request extends InputRequest>(key: string, request: Request): Promise<InputResponse<Request>>;
  /** Asks several questions at once. */
  askAll<const Requests extends Readonly<Record<string, InputRequest>>>(
    requests: Requests,
  ): Promise<InputResponses<Requests>>;
  /**
   * Lets the client go for a while, where it can come back: a session over HTTP of revision 2025-11-25. It saves an open
   * connection during long work. Elsewhere this does nothing.
   */
  closeStream(): void;
  /** Keeps a JSON value for the next round of the same request, sealed and in the client's hands. */
  saveState(value: unknown): void;
}

/** What the handler of a method gets: the handlers of tools and the like do not send just any notification. */
export interface MethodContext extends RequestContext {
  /** Sends a notification that belongs to the request. Resolves once there is room for the next one. */
  notify(method: string, params: JsonObject): Promise<void>;
}

/**
 * The `signal` of every scope. An `AbortSignal` takes 9 microseconds to create on Node.js, more than the rest of a call,
 * so it is created on first access. One getter for all: a getter for each would give each scope a hidden class of its own.
 */
const SIGNAL: PropertyDescriptor = {
  enumerable: true,
  get(this: RequestScope) {
    return signalOf(this.exchange);
  },
};

/**
 * The context of one request, and its outcome. The members of {@linkcode MethodContext} are own properties, so that
 * handlers can copy the context (`{ ...context, user }`) and destructure it.
 */
export class RequestScope implements MethodContext {
  readonly client: ClientDescription;
  declare readonly signal: AbortSignal;
  readonly requestId: RequestId;
  readonly principal: Principal | undefined;
  savedState: unknown;
  /** The exchange. Not a private field, which an object that inherits from the scope would not have. */
  readonly exchange: ExchangeContext;
  readonly #request: RpcRequest;
  readonly #maxQueued: number;
  readonly #inputResponses: JsonObject;
  readonly #usedResponses: Record<string, unknown> = {};
  #inputRequests: Record<string, InputRequest> | undefined;
  #queued = 0;
  #error: McpErrorObject | undefined;
  #progress = -Infinity;
  #isAnswered = false;

  /** Creates the scope of a request. */
  constructor(
    request: RpcRequest,
    exchange: ExchangeContext,
    state: RequestState,
    maxQueued: number,
  ) {
    this.client = exchange.client;
    Object.defineProperty(this, "signal", SIGNAL);
    this.requestId = request.id;
    this.principal = exchange.principal;
    this.savedState = state.savedState;
    this.#request = request;
    this.exchange = exchange;
    this.#maxQueued = maxQueued;
    this.#inputResponses = state.inputResponses;
  }

  readonly progress: MethodContext["progress"] = async (progress, options) => {
    const token = metaOf(this.#request.params)[MetaKey.ProgressToken];
    if (token === undefined || !(progress > this.#progress)) return;
    this.#progress = progress;
    await this.notify(NotificationMethod.Progress, { progressToken: token, progress, ...options });
  };

  readonly log: MethodContext["log"] = async (level, data, logger) => {
    const { logLevel } = this.client;
    if (logLevel === undefined || !isWanted(level, logLevel)) return;
    const params = logger === undefined ? { level, data } : { level, logger, data };
    // What is not JSON is the handler's mistake; on its way to the client there is nobody to tell of it.
    stringifyMessage(notification(NotificationMethod.Message, params));
    await this.notify(NotificationMethod.Message, params);
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
    // Each key was asked its own request, and `ask` has looked at each answer.
    return Object.fromEntries(await Promise.all(entries)) as InputResponses<Requests>;
  };

  readonly closeStream: MethodContext["closeStream"] = () => this.exchange.closeStream?.();

  readonly saveState: MethodContext["saveState"] = (value) => {
    this.savedState = value;
  };

  readonly notify: MethodContext["notify"] = async (method, params) => {
    if (this.#isAnswered || this.exchange.signal.aborted) return;
    await this.#emit(notification(method, params));
  };

  /** The error that the request has to end with, whatever the handler made of it. */
  get error(): McpErrorObject | undefined {
    return this.#error;
  }

  /** The questions that have no answer yet, if there are any. */
  get inputRequests(): Readonly<Record<string, InputRequest>> | undefined {
    return this.#inputRequests;
  }

  /** What the next round has to know. */
  get state(): RequestState {
    return { inputResponses: this.#usedResponses, savedState: this.savedState };
  }

  /** The request is answered: whatever a handler that goes on tells from now on belongs to nothing any more. */
  end(): void {
    this.#isAnswered = true;
  }

  async #emit(message: RpcNotification | RpcRequest): Promise<boolean> {
    const { emit } = this.exchange;
    if (emit === undefined || this.#queued >= this.#maxQueued) return false;
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
