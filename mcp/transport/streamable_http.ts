/**
 * Legacy Streamable HTTP (2025-11-25 and earlier) as a pipe. Each client message is a POST request.
 * Server messages arrive in the responses and on a separate event stream, which is resumed after
 * interruptions.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http Streamable HTTP}
 * @module
 */

import { connectPipe } from "./pipe_connection.ts";
import { McpError } from "../shared/error.ts";
import { HeaderName } from "../protocol/headers.ts";
import { Method, NotificationMethod } from "../protocol/methods.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import {
  isRequest,
  isRequestId,
  type RequestId,
  resultOf,
  type RpcMessage,
  type RpcRequest,
  stringifyMessage,
} from "../jsonrpc/message.ts";
import type { Frame } from "../jsonrpc/read_frame.ts";
import type { ConnectionReports, Pipe, PipeConnection, SendOptions } from "../jsonrpc/contracts.ts";
import type { Tolerance } from "../jsonrpc/deviation.ts";
import { Queue } from "../shared/bounded_queue.ts";
import { MAX_TIMER_MS } from "@parley/internal/timers";
import {
  ACCEPT_ANY,
  ACCEPT_EVENTS,
  callHttp,
  type HttpCall,
  type HttpEndpoint,
} from "./http_request.ts";
import { HTTP_LABEL, readItems } from "./http_response.ts";
import {
  isLoss,
  isSessionRejected,
  outcomeUnknown,
  SEND_TIMEOUT_MS,
  tooLate,
} from "./lost_session.ts";
import { NegotiatedVersion } from "./negotiated_version.ts";
import { Reconnect } from "./reconnect.ts";

/** Position in an event stream. */
interface StreamPosition {
  /** Session in which the stream was opened. The stream cannot be resumed in a new session. */
  readonly sessionId: string | undefined;
  lastEventId?: string;
}

/** The HTTP response to a message, and the session in which the message was sent. */
interface Posted {
  readonly response: Response;
  readonly sessionId: string | undefined;
}

/**
 * A connection with a separate event stream for server messages that do not belong to a request.
 */
export interface ConnectionWithStream extends PipeConnection {
  /**
   * Opens the event stream and resumes it after interruptions. Resolves if the server does not
   * support the stream, when the connection ends, or on the next call to `listen()`.
   *
   * @throws {McpError} If the stream cannot be resumed. If the session is lost, the code is
   * `protocol_error` and `rpcCode` is -32001.
   */
  listen(): Promise<void>;
}

/** Creates a connection without sending a request. */
export function openStreamableHttpConnection(
  endpoint: HttpEndpoint,
  reports: ConnectionReports,
): ConnectionWithStream {
  const pipe = new StreamableHttpPipe(endpoint, reports.tolerance);
  return Object.assign(connectPipe(pipe, reports), { listen: () => pipe.listen() });
}

/** A pipe to a legacy server over Streamable HTTP. */
export class StreamableHttpPipe implements Pipe {
  /** Name of the pipe in error messages. */
  readonly label: string = HTTP_LABEL;
  /** Frames received on all streams. */
  readonly frames: Queue<Frame> = new Queue();
  readonly #endpoint: HttpEndpoint;
  readonly #tolerance: Tolerance | undefined;
  readonly #negotiated = new NegotiatedVersion();
  readonly #closing = new AbortController();
  /**
   * Abort controllers for messages in flight. Requests are keyed by id until the response arrives;
   * other messages are keyed by a symbol.
   */
  readonly #inFlight = new Map<RequestId | symbol, AbortController>();
  #sessionId: string | undefined;
  #listening: AbortController | undefined;
  #closed: Promise<void> | undefined;

  /**
   * Creates a pipe without sending a request.
   *
   * @param tolerance Called with deviations of HTTP responses. If omitted, they are not accepted.
   */
  constructor(endpoint: HttpEndpoint, tolerance?: Tolerance) {
    this.#endpoint = endpoint;
    this.#tolerance = tolerance;
  }

  /**
   * Sends a message. For a request, resolves when the response has been queued in `frames`.
   *
   * @throws {McpError} If the request fails, with the same codes as {@linkcode callHttp}.
   * @throws {McpError} With code `protocol_error` and `rpcCode` -32001 if the session is lost.
   * @throws {McpError} With code `transport_error` if the pipe is closed or the response does not
   * arrive. A session that is lost after the server has accepted a request is also reported as a
   * `transport_error`.
   */
  async send(
    message: RpcMessage | readonly RpcMessage[],
    options: SendOptions = {},
  ): Promise<void> {
    if (this.#closing.signal.aborted) throw closed();
    this.#negotiated.sending(message);
    if ("method" in message && isRequest(message)) {
      return await this.#whileInFlight(message.id, async ({ signal }) => {
        const posted = await this.#post(message, signal, options);
        options.onAccepted?.();
        await this.#follow(posted, signal, message);
      });
    }
    const method = "method" in message ? message.method : undefined;
    if ("method" in message && method === NotificationMethod.Cancelled) {
      this.#stop(message.params?.requestId);
    }
    await this.#whileInFlight(Symbol(), async (stop) => {
      // Notifications and responses have no timeout from the caller, so a server that never accepts
      // the message must be detected here.
      const late = setTimeout(() => stop.abort(tooLate()), SEND_TIMEOUT_MS);
      try {
        const { response } = await this.#post(message, stop.signal, options);
        await response.body?.cancel();
      } finally {
        clearTimeout(late);
      }
    });
  }

  /** Opens the event stream for server messages; see {@linkcode ConnectionWithStream}. */
  async listen(): Promise<void> {
    this.#listening?.abort();
    this.#listening = new AbortController();
    const signal = AbortSignal.any([this.#listening.signal, this.#closing.signal]);
    try {
      await this.#keepListening(signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Ends all streams and the session. */
  close(): Promise<void> {
    return this.#closed ??= this.#close();
  }

  async #close(): Promise<void> {
    this.#closing.abort(closed());
    for (const stop of this.#inFlight.values()) stop.abort(closed());
    this.frames.end();
    if (this.#sessionId === undefined) return;
    const { closeTimeoutMs } = this.#endpoint.options;
    const signal = AbortSignal.timeout(Math.min(closeTimeoutMs, MAX_TIMER_MS));
    // Errors from the DELETE request are ignored: the server may reject it (HTTP 405) or may
    // already have ended the session.
    await this.#callIn(this.#sessionId, { method: "DELETE", headers: {}, signal }).then((
      response,
    ) => response.body?.cancel()).catch(() => {});
  }

  /**
   * Runs an operation that is aborted when the pipe closes or the request with the given id is
   * cancelled.
   */
  async #whileInFlight(
    key: RequestId | symbol,
    work: (stop: AbortController) => Promise<void>,
  ): Promise<void> {
    const stop = new AbortController();
    this.#inFlight.set(key, stop);
    try {
      await work(stop);
    } finally {
      this.#inFlight.delete(key);
    }
  }

  #stop(id: unknown): void {
    if (isRequestId(id)) this.#inFlight.get(id)?.abort();
  }

  async #post(
    message: RpcMessage | readonly RpcMessage[],
    signal: AbortSignal,
    { pauseTimeout }: SendOptions,
  ): Promise<Posted> {
    const isNew = "method" in message && message.method === Method.Initialize;
    const before = isNew ? undefined : this.#sessionId;
    const call: HttpCall = {
      method: "POST",
      headers: { accept: ACCEPT_ANY },
      body: stringifyMessage(message),
      signal,
      ...(pauseTimeout === undefined ? {} : { pauseTimeout }),
    };
    const response = await this.#callIn(before, call);
    const sessionId = response.headers.get(HeaderName.SessionId) ?? before;
    // A response to a request from an earlier session must not replace the id of a newer session.
    if (isNew || this.#sessionId === before) this.#sessionId = sessionId;
    return { response, sessionId };
  }

  /**
   * Sends an HTTP request in a session. Converts HTTP 404, and HTTP 400 with an error about the
   * session, to an error that indicates a lost session.
   */
  async #callIn(sessionId: string | undefined, call: HttpCall): Promise<Response> {
    const session = sessionId === undefined ? {} : { [HeaderName.SessionId]: sessionId };
    const headers = { ...call.headers, ...this.#negotiated.headers, ...session };
    try {
      return await callHttp(this.#endpoint, { ...call, headers });
    } catch (error) {
      if (sessionId === undefined || !isSessionRejected(error)) throw error;
      const { httpStatus } = error;
      if (httpStatus === 400) {
        this.#tolerance?.({ what: "HTTP 400 for a lost session" }, call.method);
      }
      const rpcCode = RpcErrorCode.SessionNotFound;
      throw McpError.protocolError("the session has ended", { rpcCode, httpStatus, cause: error });
    }
  }

  /**
   * Reads an HTTP response until the JSON-RPC response arrives. If the event stream ends before the
   * response arrives, resumes the event stream.
   *
   * @throws {McpError} With code `transport_error` if the response does not arrive. The server has
   * accepted the request, so the caller must not send the request again after any error.
   */
  async #follow(
    { response, sessionId }: Posted,
    signal: AbortSignal,
    { id, method }: Pick<RpcRequest, "id" | "method">,
  ): Promise<void> {
    const reconnect = new Reconnect(this.#endpoint.options);
    const place: StreamPosition = { sessionId };
    for (let next: Response | undefined = response; next !== undefined;) {
      if (await this.#read(next, { reconnect, place, signal, id, method })) return;
      // A stream without event ids cannot be resumed.
      next = place.lastEventId === undefined
        ? undefined
        : await this.#resume(place, reconnect, signal).catch((cause) => {
          signal.throwIfAborted();
          throw outcomeUnknown("the event stream could not be resumed", cause);
        });
    }
    throw outcomeUnknown("the HTTP response ended before the JSON-RPC response");
  }

  /**
   * Queues the messages in an HTTP response. Returns `true` if the messages include the JSON-RPC
   * response, or `false` if the stream ended before the JSON-RPC response arrived.
   */
  async #read(response: Response, reading: {
    readonly reconnect: Reconnect;
    readonly place: StreamPosition;
    readonly signal: AbortSignal;
    readonly id?: RequestId;
    readonly method?: string;
  }): Promise<boolean> {
    const { reconnect, place, signal, id, method } = reading;
    const tolerance = this.#tolerance;
    reconnect.opened();
    try {
      for await (const item of readItems(response, this.#endpoint, { signal, method, tolerance })) {
        if (item.kind === "id") {
          // An event id counts as received data, because it shows that the server is still working
          // on the request.
          reconnect.succeeded();
          place.lastEventId = item.id;
        } else if (item.kind === "retry") reconnect.wait(item.retryMs);
        else if (item.kind === "frame") {
          reconnect.succeeded();
          if (id !== undefined) assertAnswerable(item.frame, response.status);
          this.#negotiated.received(item.frame);
          await this.frames.push(item.frame);
          if (id !== undefined && isAnswered(item.frame, id)) return true;
        }
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!isLoss(error)) throw error;
    }
    return false;
  }

  /**
   * Resumes a stream with `Last-Event-ID`. Returns `undefined` if all attempts to resume the stream
   * fail.
   */
  async #resume(
    { sessionId, lastEventId }: StreamPosition,
    reconnect: Reconnect,
    signal: AbortSignal,
  ): Promise<Response | undefined> {
    const mark = lastEventId === undefined ? {} : { [HeaderName.LastEventId]: lastEventId };
    while (await reconnect.next(signal)) {
      const headers = { accept: ACCEPT_EVENTS, ...mark };
      try {
        return await this.#callIn(sessionId, { method: "GET", headers, signal });
      } catch (error) {
        signal.throwIfAborted();
        if (!isLoss(error)) throw error;
      }
    }
    return undefined;
  }

  async #keepListening(signal: AbortSignal): Promise<void> {
    const reconnect = new Reconnect(this.#endpoint.options);
    const place: StreamPosition = { sessionId: this.#sessionId };
    let response = await this.#openOwnStream(signal);
    if (response === undefined) return;
    while (response !== undefined) {
      await this.#read(response, { reconnect, place, signal });
      response = await this.#resume(place, reconnect, signal);
    }
    throw McpError.transportError(HTTP_LABEL, "the event stream for server messages was lost");
  }

  /**
   * Opens the event stream for server messages. Returns `undefined` if the server does not support
   * the stream (HTTP 405).
   */
  async #openOwnStream(signal: AbortSignal): Promise<Response | undefined> {
    try {
      const headers = { accept: ACCEPT_EVENTS };
      return await this.#callIn(this.#sessionId, { method: "GET", headers, signal });
    } catch (cause) {
      signal.throwIfAborted();
      const httpStatus = cause instanceof McpError ? cause.httpStatus : undefined;
      if (httpStatus === 405) return undefined;
      if (httpStatus !== 404) throw cause;
      // HTTP 404 refers to the stream rather than to the session: the session exists, because a
      // request in that session has just succeeded.
      const reason = "the server does not provide an event stream for server messages (HTTP 404)";
      throw McpError.transportError(HTTP_LABEL, reason, { httpStatus, cause });
    }
  }
}

function closed(): McpError {
  return McpError.transportError(HTTP_LABEL, "closed");
}

/** Returns `true` if the frame contains the response to a request, directly or in a batch. */
function isAnswered(frame: Frame, id: RequestId): boolean {
  if (frame.kind === "batch") return frame.frames.some((each) => isAnswered(each, id));
  return frame.kind === "response" && String(frame.message.id) === String(id);
}

/**
 * Throws if the frame is invalid or is an error response without an id. Every frame in the HTTP
 * response to a request refers to that request.
 */
function assertAnswerable(frame: Frame, httpStatus: number): void {
  if (frame.kind === "invalid") throw McpError.protocolError(frame.reason, { httpStatus });
  if (frame.kind === "response" && frame.message.id === null) resultOf(frame.message);
}
