/**
 * Client session with a legacy server: `initialize`, server requests and session recovery.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle Lifecycle}
 * @module
 */

import {
  continueCall,
  DEFAULT_REQUEST,
  type RequestSettings,
  type SessionRequestSettings,
} from "./request_options.ts";
import {
  type PauseTimeout,
  type PauseTimeouts,
  RequestTimeout,
  sendRequest,
} from "./send_request.ts";
import { type Session, type SessionOptions, withoutSignal } from "./session.ts";
import type { Subscription, SubscriptionFilter } from "./subscription.ts";
import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import type { ClientCapabilities } from "../protocol/capabilities.ts";
import {
  initializeParams,
  readInitializeResult,
  type ServerDescription,
} from "../protocol/initialize.ts";
import type { LogLevel } from "../protocol/logging.ts";
import { MetaKey, metaOf } from "../protocol/meta.ts";
import { Method, NotificationMethod } from "../protocol/methods.ts";
import { findRevision, LATEST_LEGACY_REVISION } from "../protocol/revisions.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import {
  isRequest,
  notification,
  request as makeRequest,
  type RpcNotification,
  type RpcRequest,
} from "../jsonrpc/message.ts";
import type { PipeConnection } from "../jsonrpc/contracts.ts";
import type { ConnectionWithStream } from "../transport/streamable_http.ts";
import { type InputHandlers, withHandlers } from "./input_handlers.ts";
import { NotificationStreams } from "./notification_streams.ts";
import { type AcceptedInput, ServerRequests } from "./server_requests.ts";
import { UnansweredRequests } from "./unanswered_requests.ts";

/** Options for initializing a session. */
export interface LegacyOptions {
  /** Protocol version to request; by default, the latest legacy version. */
  readonly version?: string;
  /** Timeout for each message sent during initialization, in milliseconds. */
  readonly timeoutMs: number;
  /** Signal that aborts the initialization. */
  readonly signal: AbortSignal;
}

/**
 * A connection to a legacy server. An HTTP connection also has a separate stream for server
 * messages that do not belong to a request.
 */
type AnyConnection = PipeConnection & Partial<Pick<ConnectionWithStream, "listen">>;

/**
 * Initializes a session: sends `initialize`, validates the result and sends
 * `notifications/initialized`.
 *
 * @throws {McpError} With code `protocol_error` if the server returns an error, an invalid result
 * or an unsupported protocol version.
 */
export async function openLegacySession(
  connection: AnyConnection,
  options: SessionOptions & LegacyOptions,
): Promise<Session> {
  const server = await initialize(connection, options);
  return new LegacySession(connection, server, withoutSignal(options));
}

async function initialize(
  connection: PipeConnection,
  options: SessionOptions & LegacyOptions,
): Promise<ServerDescription> {
  const { version = LATEST_LEGACY_REVISION.version, clientInfo, capabilities, nextId } = options;
  // Only legacy clients send `notifications/roots/list_changed`.
  const { roots } = capabilities;
  const offered = roots === undefined ? capabilities : {
    ...capabilities,
    roots: { ...roots, listChanged: true },
  };
  const params = initializeParams(version, offered, clientInfo);
  const request = makeRequest(nextId(), Method.Initialize, params);
  const { signal, timeoutMs } = options;
  const settings = { ...DEFAULT_REQUEST, signal, timeoutMs };
  const server = readInitializeResult(await sendRequest(connection, request, settings));
  if (typeof server === "string") throw McpError.protocolError(`initialization failed: ${server}`);
  await sendNotification(connection, notification(NotificationMethod.Initialized), settings);
  return server;
}

/** The callbacks of a request in flight. */
interface RequestOwner {
  /** The request's own handlers. */
  readonly handlers: InputHandlers | undefined;
  readonly onNotification: (notification: RpcNotification) => void;
}

class LegacySession implements Session {
  server: ServerDescription;
  readonly #connection: AnyConnection;
  readonly #options: SessionOptions & Omit<LegacyOptions, "signal">;
  /**
   * The requests in flight: the function that pauses the timeout, and the request's own callbacks.
   */
  readonly #inFlight = new Map<PauseTimeout, RequestOwner | undefined>();
  /** Requests of this session that were aborted and have no response yet. */
  #unanswered = new UnansweredRequests();
  readonly #serverRequests: ServerRequests;
  readonly #streams: NotificationStreams;
  #logLevel: LogLevel | undefined;
  #renewing: Promise<void> | undefined;
  #isStreamLost = false;
  #isClosed = false;

  constructor(
    connection: AnyConnection,
    server: ServerDescription,
    options: SessionOptions & Omit<LegacyOptions, "signal">,
  ) {
    this.server = server;
    this.#connection = connection;
    this.#options = options;
    this.#serverRequests = new ServerRequests(connection, options, () => this.#accepted());
    this.#streams = new NotificationStreams(this);
    this.#onMessages().catch(options.onError);
    this.#openStream();
  }

  get options(): SessionOptions {
    return this.#options;
  }

  get ended(): Error | undefined {
    return this.#connection.ended;
  }

  /**
   * Sends a request. If the server rejects the request because it no longer recognizes the session,
   * opens a new session and sends the request once more. A request that the server has accepted is
   * never sent again, even if its result is lost, because the request may already have had an
   * effect.
   */
  async request(
    method: string,
    params: JsonObject,
    options: SessionRequestSettings,
  ): Promise<JsonObject> {
    const startedAt = Date.now();
    if (this.#renewing !== undefined) {
      await this.#renewed(this.#renewing, { method, params }, options);
    }
    const { server } = this;
    try {
      return await this.#send(method, params, options);
    } catch (error) {
      if (!isSessionLost(error)) throw error;
      if (server === this.server) {
        const left = continueCall(options, startedAt);
        await this.#renewed(this.#renew(), { method, params }, left);
      }
      return await this.#send(method, params, continueCall(options, startedAt));
    }
  }

  async setLogLevel(level: LogLevel, options: RequestSettings): Promise<void> {
    await this.request(Method.SetLogLevel, { level }, options);
    this.#logLevel = level;
  }

  async rootsChanged(): Promise<void> {
    const message = notification(NotificationMethod.RootsChanged);
    await sendNotification(this.#connection, message, DEFAULT_REQUEST);
  }

  /**
   * Opens a subscription stream. Reopens the HTTP stream for server messages if that stream was
   * lost. The subscription stream ends when the HTTP stream is lost.
   */
  async listen(filter: SubscriptionFilter, options: SessionRequestSettings): Promise<Subscription> {
    // If the server has restarted and lost the session, the `ping` request makes the client open a
    // new session.
    if (this.#isStreamLost) await this.request(Method.Ping, {}, options);
    const subscription = await this.#streams.listen(filter, options);
    if (this.#isStreamLost) this.#openStream();
    return subscription;
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#connection.close();
  }

  #send(
    method: string,
    params: JsonObject,
    options: SessionRequestSettings,
  ): Promise<JsonObject> {
    const { nextId, semaphore } = this.#options;
    const { handlers, meta, onProgress, onNotification = this.#options.onNotification } = options;
    const id = nextId();
    const own = onProgress === undefined ? undefined : { [MetaKey.ProgressToken]: id };
    const all = meta === undefined && own === undefined
      ? params
      : { ...params, _meta: { ...metaOf(params), ...meta, ...own } };
    const isOwned = handlers !== undefined || options.onNotification !== undefined;
    const owner = isOwned ? { handlers, onNotification } : undefined;
    const { onUnanswered } = this.#unanswered;
    const pauseTimeouts: PauseTimeouts = {
      add: (pauseTimeout) => this.#inFlight.set(pauseTimeout, owner),
      delete: (pauseTimeout) => this.#inFlight.delete(pauseTimeout),
    };
    const hooks = { onNotification, semaphore, pauseTimeouts, onUnanswered };
    return sendRequest(this.#connection, makeRequest(id, method, all), options, hooks);
  }

  /**
   * Returns the callbacks of the only request that the server may be processing. A legacy server
   * does not name the client request that a message belongs to, so a request's callbacks are not
   * used while another request is in flight, or while an aborted request has no response. A server
   * may continue to process an aborted request.
   */
  #owner(): RequestOwner | undefined {
    const [only] = this.#inFlight.values();
    return this.#inFlight.size === 1 && this.#unanswered.isEmpty ? only : undefined;
  }

  /**
   * Returns the handlers for a server request and the capabilities that they may serve. The
   * handlers of a request are used even if the connection has not declared their capabilities.
   */
  #accepted(): AcceptedInput {
    const { handlers = {} } = this.#owner() ?? {};
    return {
      handlers: { ...this.#options.handlers, ...handlers },
      capabilities: withHandlers(negotiated(this.#options.capabilities, this.server), handlers),
    };
  }

  /**
   * Waits until a new session is open. Rejects if the call times out before the session is open.
   */
  #renewed(
    renewing: Promise<void>,
    request: Pick<RpcRequest, "method" | "params">,
    options: RequestSettings,
  ): Promise<void> {
    return new RequestTimeout(this.#connection, request, options).waitFor(renewing);
  }

  /** Opens a new session. Concurrent calls to `#renew()` wait for the same new session. */
  #renew(): Promise<void> {
    const { signal } = new AbortController();
    const version = this.server.protocolVersion;
    return this.#renewing ??= initialize(this.#connection, {
      ...this.#options,
      signal,
      version,
    }).then(async (server) => {
      this.server = server;
      this.#unanswered = new UnansweredRequests();
      this.#openStream();
      await this.#restore();
    }).finally(() => this.#renewing = undefined);
  }

  /**
   * Restores the subscriptions and the log level in the new session. If a subscription or the log
   * level cannot be restored, the session remains usable, so the error is passed to `onError`
   * instead of ending the session.
   */
  async #restore(): Promise<void> {
    const { timeoutMs, onError } = this.#options;
    const level = this.#logLevel;
    const wishes: [string, JsonObject][] = this.#streams.uris.map((
      uri,
    ) => [Method.Subscribe, { uri }]);
    if (level !== undefined) wishes.push([Method.SetLogLevel, { level }]);
    await Promise.all(wishes.map(async ([method, params]) => {
      await this.#send(method, params, { ...DEFAULT_REQUEST, timeoutMs }).catch(onError);
    }));
  }

  /**
   * Opens the stream for server messages that do not belong to a request, if the transport has one.
   */
  #openStream(): void {
    this.#isStreamLost = false;
    this.#connection.listen?.()
      .catch((error) => isSessionLost(error) ? this.#renew() : Promise.reject(error))
      .catch((error) => this.#onStreamLost(error));
  }

  #onStreamLost(error: unknown): void {
    if (this.ended !== undefined) return;
    this.#isStreamLost = true;
    this.#options.onError(error);
    this.#streams.end(error);
  }

  async #onMessages(): Promise<void> {
    for await (const message of this.#connection.unsolicited) {
      if (isRequest(message)) this.#onRequest(message);
      else if (message.method === NotificationMethod.Cancelled) {
        this.#serverRequests.cancel(message);
      } else if (!this.#streams.deliver(message)) this.#onNotification(message);
    }
    this.#serverRequests.cancelAll(this.ended);
    this.#streams.end(this.ended);
  }

  #onNotification(message: RpcNotification): void {
    const isLog = message.method === NotificationMethod.Message;
    const { onNotification } = (isLog ? this.#owner() : undefined) ?? this.#options;
    onNotification(message);
  }

  /**
   * Handles a server request. The timeouts of requests in flight are paused while the handler runs,
   * because the user may need to act.
   */
  #onRequest(question: RpcRequest): void {
    this.#serverRequests.answer(question, (until) => {
      for (const pauseTimeout of this.#inFlight.keys()) pauseTimeout(until);
    }).catch((error) => {
      // `close()` aborts the responses that are being sent.
      if (!this.#isClosed) this.#options.onError(error);
    });
  }
}

/**
 * Returns the declared capabilities as the negotiated protocol version defines them. Before
 * 2025-11-25, a client that declares `sampling` also declares `sampling.context`.
 */
function negotiated(
  { sampling, ...others }: ClientCapabilities,
  { protocolVersion }: ServerDescription,
): ClientCapabilities {
  if (sampling === undefined) return others;
  const hasParts = findRevision(protocolVersion)?.hasSamplingParts === true;
  return { ...others, sampling: { ...(hasParts ? {} : { context: {} }), ...sampling } };
}

/**
 * Returns `true` if the server rejected a message without processing it, because the session no
 * longer exists (HTTP 404, or HTTP 400 from some servers). Returns `false` if the session is lost
 * while a response is being resumed, which the transport reports as a `transport_error`.
 */
function isSessionLost(error: unknown): boolean {
  return error instanceof McpError && error.rpcCode === RpcErrorCode.SessionNotFound &&
    (error.httpStatus === 404 || error.httpStatus === 400);
}

/**
 * Sends a notification and waits until the transport has accepted it.
 *
 * @throws {McpError} With code `transport_error` if the connection ends.
 * @throws {McpError} With code `timeout` if the transport does not accept the notification in time.
 */
async function sendNotification(
  connection: PipeConnection,
  message: RpcNotification,
  options: RequestSettings,
): Promise<void> {
  options.signal?.throwIfAborted();
  const timeout = new RequestTimeout(connection, message, options);
  const { pauseTimeout } = timeout;
  await timeout.waitFor(connection.send(message, { pauseTimeout }));
}
