/**
 * Client session with a modern server: stateless requests and multi round-trip requests.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr Multi round-trip requests}
 * @module
 */

import { defined } from "@parley/internal/json";
import type { Settings } from "@parley/internal/options";
import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import type { ServerDescription } from "../protocol/initialize.ts";
import type { LogLevel } from "../protocol/logging.ts";
import { MetaKey, metaOf } from "../protocol/meta.ts";
import { UnansweredRequests } from "./unanswered_requests.ts";
import { Method, NotificationMethod } from "../protocol/methods.ts";
import { toRequestMeta } from "../protocol/modern.ts";
import {
  isRequest,
  isRequestId,
  request as makeRequest,
  type RequestId,
  type RpcNotification,
  type RpcRequest,
} from "../jsonrpc/message.ts";
import type { Connection } from "../jsonrpc/contracts.ts";
import { type AnswerOptions, type ExtensionSession, readAnswer } from "./extension.ts";
import { type InputHandlers, InputRequests, readHandlers, withHandlers } from "./input_handlers.ts";
import {
  continueCall,
  DEFAULT_REQUEST,
  readRequest,
  type RelayOptions,
  type RequestSettings,
  type SessionRequestSettings,
} from "./request_options.ts";
import { RequestTimeout, sendRequest } from "./send_request.ts";
import type { Session, SessionOptions } from "./session.ts";
import { openSubscription, type Subscription, type SubscriptionFilter } from "./subscription.ts";

/** Maximum number of times that a server can request input for one request. */
const MAX_ROUNDS = 10;

/**
 * The caller's original request. Each round trip sends the original parameters plus the latest
 * input responses.
 */
interface ModernCall {
  readonly method: string;
  readonly params: JsonObject;
  readonly options: RequestSettings;
  /** Total timeout for all round trips. */
  readonly timeout: RequestTimeout;
}

/** A session with a modern server. */
export class ModernSession implements Session {
  /** Description of the server: identity, protocol version and capabilities. */
  readonly server: ServerDescription;
  readonly #connection: Connection;
  readonly #options: SessionOptions;
  readonly #streams = new Map<RequestId, AbortController>();
  readonly #ending = new AbortController();
  readonly #inputRequests: InputRequests;
  /** The relayed requests in flight. Several requests can share a callback. */
  readonly #relays = new Set<Required<Pick<RelayOptions, "onNotification">>>();
  /** Relayed requests that were aborted and have no response yet. */
  readonly #unanswered = new UnansweredRequests();
  readonly #access: ExtensionSession = accessTo(this);
  #claim: JsonObject;

  /**
   * Creates a session over a connection whose server has already responded to `server/discover`.
   */
  constructor(connection: Connection, server: ServerDescription, options: SessionOptions) {
    this.server = server;
    this.#connection = connection;
    this.#options = options;
    this.#inputRequests = new InputRequests(options);
    this.#claim = this.#claimWith({});
    this.#onMessages().catch(options.onError);
    for (const extension of options.extensions) extension.opened?.(this.#access);
  }

  /** Options for the session. */
  get options(): SessionOptions {
    return this.#options;
  }

  /** Reason why the connection has ended, or `undefined` while it is open. */
  get ended(): Error | undefined {
    return this.#connection.ended;
  }

  /**
   * Sends a request. If the server requests input, handles the input requests and sends the request
   * again with the responses. With the `client` option, returns the server's result unchanged,
   * without handling input requests.
   */
  request(
    method: string,
    params: JsonObject,
    options: SessionRequestSettings,
  ): Promise<JsonObject> {
    const { client } = options;
    if (client !== undefined) return this.#relay(method, params, options, client);
    let timeout: RequestTimeout | undefined;
    try {
      timeout = new RequestTimeout(this.#connection, { method, params }, options);
      return this.#ask({ method, params, options, timeout }, params, 0);
    } catch (error) {
      timeout?.end();
      return Promise.reject(error);
    }
  }

  /** Sets the log level that is sent with each subsequent request. */
  setLogLevel(level: LogLevel): Promise<void> {
    this.#claim = this.#claimWith({ logLevel: level });
    return Promise.resolve();
  }

  /** Does nothing: modern servers request the roots when they need them. */
  rootsChanged(): Promise<void> {
    return Promise.resolve();
  }

  /**
   * Opens a subscription stream. With the `client` option, opens the stream on behalf of that
   * client.
   */
  async listen(
    { extensions, ...filter }: SubscriptionFilter,
    { client, ...options }: SessionRequestSettings,
  ): Promise<Subscription> {
    const params = { notifications: { ...extensions, ...filter } };
    const claim = client === undefined ? this.#claim : this.#claimOf(client);
    const request = this.#request(Method.Listen, params, DEFAULT_REQUEST, claim);
    const stop = new AbortController();
    this.#streams.set(request.id, stop);
    stop.signal.addEventListener("abort", () => this.#streams.delete(request.id), { once: true });
    return await openSubscription(this.#connection, request, options, stop);
  }

  /**
   * Handles all input requests in a response. Rejects when the signal aborts or the connection
   * ends.
   */
  async answer(
    inputRequests: unknown,
    { signal: caller, handlers }: Settings<AnswerOptions, never>,
  ): Promise<JsonObject> {
    const ending = this.#ending.signal;
    const signal = caller === undefined ? ending : AbortSignal.any([caller, ending]);
    return await this.#inputRequests.answerAll(inputRequests, signal, handlers);
  }

  /** Runs an operation that sends several requests under one shared `maxTotalMs` timeout. */
  async within<T>(
    method: string,
    { signal, maxTotalMs, maxInputMs }: RequestSettings,
    use: (signal: AbortSignal, pauseTimeout: (until: Promise<unknown>) => void) => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    const options = { signal, timeoutMs: maxTotalMs, maxTotalMs, maxInputMs };
    const timeout = new RequestTimeout(this.#connection, { method }, options);
    return await timeout.waitFor(use(timeout.signal, timeout.pauseTimeout));
  }

  /** Closes the connection. */
  async close(): Promise<void> {
    await this.#connection.close();
    this.#ending.abort(this.ended);
  }

  /**
   * Creates the `_meta` members that describe the client. The `_meta` members are frozen and shared
   * by all requests, because creating them for each request takes too long and an in-memory server
   * receives the object itself.
   */
  #claimWith(wish: { readonly logLevel?: LogLevel }): JsonObject {
    const { clientInfo, capabilities } = this.#options;
    const { protocolVersion } = this.server;
    return Object.freeze(
      toRequestMeta({ protocolVersion, capabilities, info: clientInfo, ...wish }),
    );
  }

  /** Creates the `_meta` members of a request that has its own handlers. */
  #claimFor(handlers: InputHandlers): JsonObject {
    const capabilities = withHandlers(this.#options.capabilities, handlers);
    return { ...this.#claim, [MetaKey.ClientCapabilities]: capabilities };
  }

  /** Creates the `_meta` members of a request on behalf of another client. */
  #claimOf({ capabilities, logLevel }: RelayOptions["client"]): JsonObject {
    const { clientInfo: info } = this.#options;
    const { protocolVersion } = this.server;
    const wish = logLevel === undefined ? {} : { logLevel };
    return toRequestMeta({ protocolVersion, capabilities, info, ...wish });
  }

  /** Sends a request on behalf of another client and returns the result unchanged. */
  async #relay(
    method: string,
    params: JsonObject,
    options: SessionRequestSettings,
    client: RelayOptions["client"],
  ): Promise<JsonObject> {
    const { onNotification = this.#options.onNotification } = options;
    const { semaphore } = this.#options;
    const request = this.#request(method, params, options, this.#claimOf(client));
    const relay = { onNotification };
    this.#relays.add(relay);
    try {
      const { onUnanswered } = this.#unanswered;
      const hooks = { onNotification, semaphore, onUnanswered };
      return await sendRequest(this.#connection, request, options, hooks);
    } finally {
      this.#relays.delete(relay);
    }
  }

  /**
   * Over a pipe, log messages do not name their request, so they are passed to a relayed request
   * only if exactly one is in flight and all aborted ones have received a response.
   */
  #onNotification(message: RpcNotification): void {
    const isLog = message.method === NotificationMethod.Message;
    const isCertain = this.#relays.size === 1 && this.#unanswered.isEmpty;
    const [relay] = isLog && isCertain ? this.#relays : [];
    const { onNotification } = relay ?? this.#options;
    onNotification(message);
  }

  #request(
    method: string,
    params: JsonObject,
    { handlers, meta, onProgress }: RequestSettings,
    claim: JsonObject = handlers === undefined ? this.#claim : this.#claimFor(handlers),
  ): RpcRequest {
    const id = this.#options.nextId();
    const own = onProgress === undefined ? claim : { ...claim, [MetaKey.ProgressToken]: id };
    if (meta !== undefined || "_meta" in params) {
      return makeRequest(id, method, { ...params, _meta: { ...metaOf(params), ...meta, ...own } });
    }
    // The spread comes last, because Node.js 20 creates the object ten times faster than with the
    // spread first.
    return makeRequest(id, method, { _meta: own, ...params });
  }

  #ask(call: ModernCall, params: JsonObject, round: number): Promise<JsonObject> {
    const { method, options, timeout } = call;
    const { onNotification, semaphore } = this.#options;
    const request = this.#request(method, params, options);
    const read = (result: JsonObject): JsonObject | Promise<JsonObject> => {
      const { resultType = "complete", ...rest } = result;
      if (resultType !== "complete") return this.#askAgain(call, resultType, rest, round);
      timeout.end();
      return rest;
    };
    return sendRequest(this.#connection, request, options, {
      onNotification,
      semaphore,
      timeout,
      read,
    });
  }

  async #askAgain(
    call: ModernCall,
    resultType: unknown,
    result: JsonObject,
    round: number,
  ): Promise<JsonObject> {
    const { params, options, timeout } = call;
    if (resultType !== "input_required") return await this.#complete(call, resultType, result);
    try {
      const responses = this.#inputResponses(result, options);
      timeout.pauseTimeout(responses);
      const answers = await responses;
      if (round < MAX_ROUNDS) return await this.#ask(call, { ...params, ...answers }, round + 1);
      throw McpError.protocolError(`the server requested input more than ${MAX_ROUNDS} times`);
    } finally {
      timeout.end();
    }
  }

  /**
   * Passes a result to the extension that can complete it. The extension applies its own timeout,
   * which the time of the call so far shortens.
   */
  async #complete(
    { method, options, timeout }: ModernCall,
    resultType: unknown,
    result: JsonObject,
  ): Promise<JsonObject> {
    timeout.end();
    const extension = this.#options.extensions.find((one) => one.resultType === resultType);
    const finished = extension?.complete?.(
      { method, result, options: defined(continueCall(options, timeout.startedAt)) },
      this.#access,
    );
    if (finished !== undefined) return await finished;
    throw McpError.protocolError(
      `the result of "${method}" has the unsupported type "${resultType}"`,
    );
  }

  /**
   * Handles the input requests in a result. The `requestState` is returned to the server unchanged.
   */
  async #inputResponses(
    { inputRequests, requestState }: JsonObject,
    options: Settings<AnswerOptions, never>,
  ): Promise<JsonObject> {
    const state = requestState === undefined ? {} : { requestState };
    if (inputRequests === undefined) return state;
    return { inputResponses: await this.answer(inputRequests, options), ...state };
  }

  /**
   * Handles notifications from the server. Server requests are ignored, because modern servers do
   * not send requests.
   */
  async #onMessages(): Promise<void> {
    for await (const message of this.#connection.unsolicited) {
      if (isRequest(message)) continue;
      // Over a pipe, a server ends a subscription stream with `notifications/cancelled`.
      if (message.method === NotificationMethod.Cancelled) {
        this.#endStream(message.params?.requestId);
      } else this.#onNotification(message);
    }
    if (this.ended !== undefined) this.#ending.abort(this.ended);
  }

  #endStream(id: unknown): void {
    if (isRequestId(id)) this.#streams.get(id)?.abort();
  }
}

/**
 * Returns the access of extensions to a session, which reads the options that the extensions pass.
 */
function accessTo(session: ModernSession): ExtensionSession {
  return {
    get ended() {
      return session.ended;
    },
    tolerance: (deviation, method) => session.options.tolerance(deviation, method),
    request: async (method, params, options) =>
      await session.request(method, params, readRequest(options)),
    answer: async (inputRequests, options = {}) => {
      const { signal, handlers } = readAnswer(options);
      const own = handlers && readHandlers(handlers);
      return await session.answer(inputRequests, { signal, handlers: own });
    },
    within: async (method, options, use) => await session.within(method, readRequest(options), use),
  };
}
