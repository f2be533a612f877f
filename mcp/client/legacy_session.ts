/**
 * The legacy era (up to 2025-11-25) from the client's side: `initialize`, and answers to what the server asks.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle Lifecycle}
 * @module
 */

import { type RequestOptions, RequestTimeout, sendRequest } from "./send_request.ts";
import type { Session, SessionOptions } from "./session.ts";
import type { Subscription, SubscriptionFilter } from "./subscription.ts";
import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import {
  initializeParams,
  readInitializeResult,
  type ServerDescription,
} from "../protocol/initialize.ts";
import type { LogLevel } from "../protocol/logging.ts";
import { MetaKey, metaOf } from "../protocol/meta.ts";
import { Method, NotificationMethod } from "../protocol/methods.ts";
import { LATEST_LEGACY_REVISION } from "../protocol/revisions.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import {
  isRequest,
  notification,
  request as makeRequest,
  type RpcNotification,
  type RpcRequest,
} from "../jsonrpc/message.ts";
import type { Connection } from "../jsonrpc/contracts.ts";
import type { ConnectionWithStream } from "../transport/streamable_http.ts";
import { NotificationStreams } from "./notification_streams.ts";
import { ServerRequests } from "./server_requests.ts";

/** Options of the initialization. */
export interface LegacyOptions {
  /** The version to offer. */
  readonly version?: string;
  /** How long the answer may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Gives up when it aborts. */
  readonly signal: AbortSignal;
}

/** Over HTTP, what belongs to no request has a stream of its own; elsewhere there is only one. */
type AnyConnection = Connection & Partial<Pick<ConnectionWithStream, "listen">>;

/**
 * Opens a session: `initialize`, its answer, `notifications/initialized`.
 *
 * @throws {McpError} `protocol_error` when the answer is an error, is not valid or names an unknown version
 */
export async function openLegacySession(
  connection: AnyConnection,
  options: SessionOptions & LegacyOptions,
): Promise<Session> {
  return new LegacySession(connection, await initialize(connection, options), options);
}

async function initialize(
  connection: Connection,
  options: SessionOptions & LegacyOptions,
): Promise<ServerDescription> {
  const { version = LATEST_LEGACY_REVISION.version, clientInfo, capabilities, nextId } = options;
  // Only in this era can a client announce that its roots have changed.
  const { roots } = capabilities;
  const offered = roots === undefined ? capabilities : {
    ...capabilities,
    roots: { ...roots, listChanged: true },
  };
  const params = initializeParams(version, offered, clientInfo);
  const request = makeRequest(nextId(), Method.Initialize, params);
  const server = readInitializeResult(await sendRequest(connection, request, options));
  if (typeof server === "string") throw McpError.protocolError(`cannot initialize: ${server}`);
  await sendNotification(connection, notification(NotificationMethod.Initialized), options);
  return server;
}

class LegacySession implements Session {
  server: ServerDescription;
  readonly #connection: AnyConnection;
  readonly #options: SessionOptions & LegacyOptions;
  readonly #pauseTimeouts = new Set<(until: Promise<unknown>) => void>();
  readonly #serverRequests: ServerRequests;
  readonly #streams: NotificationStreams;
  #logLevel: LogLevel | undefined;
  #renewing: Promise<void> | undefined;
  #isStreamLost = false;

  constructor(
    connection: AnyConnection,
    server: ServerDescription,
    options: SessionOptions & LegacyOptions,
  ) {
    this.server = server;
    this.#connection = connection;
    this.#options = options;
    this.#serverRequests = new ServerRequests(connection, options);
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

  /** Sends a request. When the session turns out to be lost, opens a new one and sends it once more. */
  async request(
    method: string,
    params: JsonObject,
    options: RequestOptions = {},
  ): Promise<JsonObject> {
    if (this.#renewing !== undefined) await this.#renewed(this.#renewing, method, options);
    const { server } = this;
    try {
      return await this.#send(method, params, options);
    } catch (error) {
      if (!isSessionLost(error)) throw error;
      if (server === this.server) await this.#renewed(this.#renew(), method, options);
      return await this.#send(method, params, options);
    }
  }

  async setLogLevel(level: LogLevel, options?: RequestOptions): Promise<void> {
    await this.request(Method.SetLogLevel, { level }, options);
    this.#logLevel = level;
  }

  async rootsChanged(): Promise<void> {
    await sendNotification(this.#connection, notification(NotificationMethod.RootsChanged));
  }

  /** Asks for news, which end when the stream that brings them is lost. Tries it anew when it is lost already. */
  async listen(filter: SubscriptionFilter, options?: RequestOptions): Promise<Subscription> {
    // Perhaps the server has begun anew meanwhile: then so does the session.
    if (this.#isStreamLost) await this.request(Method.Ping, {}, options);
    const subscription = await this.#streams.listen(filter, options);
    if (this.#isStreamLost) this.#openStream();
    return subscription;
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  #send(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const { nextId, onNotification, semaphore } = this.#options;
    const id = nextId();
    const all = options.onProgress === undefined
      ? params
      : { ...params, _meta: { ...metaOf(params), [MetaKey.ProgressToken]: id } };
    const hooks = { onNotification, semaphore, pauseTimeouts: this.#pauseTimeouts };
    return sendRequest(this.#connection, makeRequest(id, method, all), options, hooks);
  }

  /** Each call waits for the new session as long as it would wait for its answer. */
  #renewed(renewing: Promise<void>, method: string, options: RequestOptions): Promise<void> {
    return new RequestTimeout(this.#connection, method, options).waitFor(renewing);
  }

  /** Opens a new session, once for all who have noticed. */
  #renew(): Promise<void> {
    const { nextId, timeoutMs } = this.#options;
    const { signal } = new AbortController();
    const version = this.server.protocolVersion;
    return this.#renewing ??= initialize(this.#connection, {
      ...this.#options,
      nextId,
      timeoutMs,
      signal,
      version,
    }).then(async (server) => {
      this.server = server;
      this.#openStream();
      await this.#restore();
    }).finally(() => this.#renewing = undefined);
  }

  /** Tells the new session what the old one knew. It is of use without that too. */
  async #restore(): Promise<void> {
    const { timeoutMs, onError } = this.#options;
    const level = this.#logLevel;
    const wishes: [string, JsonObject][] = this.#streams.uris.map((
      uri,
    ) => [Method.Subscribe, { uri }]);
    if (level !== undefined) wishes.push([Method.SetLogLevel, { level }]);
    await Promise.all(wishes.map(async ([method, params]) => {
      await this.#send(method, params, { timeoutMs }).catch(onError);
    }));
  }

  /** Listens to the stream of what belongs to no request, where there is one. */
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
      } else if (!this.#streams.deliver(message)) this.#options.onNotification(message);
    }
    this.#serverRequests.cancelAll(this.ended);
    this.#streams.end(this.ended);
  }

  /** Lets a question be answered. The clocks of the calls under way stop meanwhile: it may be a person who answers. */
  #onRequest(question: RpcRequest): void {
    const answered = this.#serverRequests.answer(question).catch(this.#options.onError);
    if (question.method === Method.Ping) return;
    for (const pauseTimeout of this.#pauseTimeouts) pauseTimeout(answered);
  }
}

/** Whether an HTTP server does not know the session any more. What it did not know it has not processed. */
function isSessionLost(error: unknown): boolean {
  return error instanceof McpError && error.rpcCode === RpcErrorCode.SessionNotFound &&
    error.httpStatus === 404;
}

/**
 * Sends a notification, and waits until it is handed over.
 *
 * @throws {McpError} `transport_error` when the connection ends or time is up
 */
async function sendNotification(
  connection: Connection,
  message: RpcNotification,
  options: RequestOptions = {},
): Promise<void> {
  options.signal?.throwIfAborted();
  const timeout = new RequestTimeout(connection, message.method, options);
  await timeout.waitFor(connection.send(message));
}
