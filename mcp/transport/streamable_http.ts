/**
 * Streamable HTTP up to 2025-11-25 as a pipe: every message out is a POST, what comes in comes in the responses and in
 * one stream of its own. Sessions, streams that are gone back to.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http Streamable HTTP}
 * @module
 */

import { connectPipe } from "./pipe_connection.ts";
import { McpError, McpErrorCode } from "../shared/error.ts";
import { HeaderName } from "../protocol/headers.ts";
import { Method, NotificationMethod } from "../protocol/methods.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import {
  isRequest,
  isRequestId,
  type RequestId,
  resultOf,
  type RpcMessage,
  stringifyMessage,
} from "../jsonrpc/message.ts";
import type { Frame } from "../jsonrpc/read_frame.ts";
import type { Connection, Pipe, SendOptions } from "../jsonrpc/contracts.ts";
import { Queue } from "../shared/bounded_queue.ts";
import {
  ACCEPT_ANY,
  ACCEPT_EVENTS,
  callHttp,
  HTTP_LABEL,
  type HttpCall,
  type HttpEndpoint,
  readItems,
} from "./http_request.ts";
import { NegotiatedVersion } from "./negotiated_version.ts";
import { Reconnect } from "./reconnect.ts";

/** How long a server may take to accept what wants no answer. */
const SEND_TIMEOUT_MS = 60_000;

/** How far a stream has been read. */
interface StreamPosition {
  lastEventId?: string;
}

/** A connection with a stream for what belongs to no request. */
export interface ConnectionWithStream extends Connection {
  /**
   * Listens to that stream, and goes back to it when it breaks off. Resolves when the server has none, with the end of
   * the connection, or when this is called again.
   *
   * @throws {McpError} why the stream is lost for good; `protocol_error` with `rpcCode` -32001 when the session is
   */
  listen(): Promise<void>;
}

/** Opens a connection; nothing is sent. */
export function openStreamableHttpConnection(
  endpoint: HttpEndpoint,
  onError: (error: unknown) => void,
): ConnectionWithStream {
  const pipe = new StreamableHttpPipe(endpoint);
  return Object.assign(connectPipe(pipe, onError), { listen: () => pipe.listen() });
}

/** A pipe to a server that speaks Streamable HTTP of the legacy era. */
export class StreamableHttpPipe implements Pipe {
  /** What to call it in errors. */
  readonly label: string = HTTP_LABEL;
  /** What comes in, from all streams. */
  readonly frames: Queue<Frame> = new Queue();
  readonly #endpoint: HttpEndpoint;
  readonly #negotiated = new NegotiatedVersion();
  readonly #closing = new AbortController();
  /** What is being sent: a request by its id until it is answered, all else by a symbol. */
  readonly #inFlight = new Map<RequestId | symbol, AbortController>();
  #sessionId: string | undefined;
  #listening: AbortController | undefined;
  #closed: Promise<void> | undefined;

  /** Takes an endpoint; nothing is sent. */
  constructor(endpoint: HttpEndpoint) {
    this.#endpoint = endpoint;
  }

  /**
   * Sends a message. That of a request lasts until its answer is among the frames.
   *
   * @throws {McpError} as {@linkcode callHttp}, with `rpcCode` -32001 when the session is lost; `transport_error` when
   * the pipe is closed, or the answer does not come
   */
  async send(
    message: RpcMessage | readonly RpcMessage[],
    options: SendOptions = {},
  ): Promise<void> {
    if (this.#closing.signal.aborted) throw closed();
    this.#negotiated.sending(message);
    if ("method" in message && isRequest(message)) {
      return await this.#whileInFlight(message.id, async ({ signal }) => {
        await this.#follow(await this.#post(message, signal, options), signal, message.id);
      });
    }
    const method = "method" in message ? message.method : undefined;
    if ("method" in message && method === NotificationMethod.Cancelled) {
      this.#stop(message.params?.requestId);
    }
    await this.#whileInFlight(Symbol(), async (stop) => {
      // No answer is waited for, so nobody else would give up a server that does not even take the message.
      const late = setTimeout(() => stop.abort(tooLate()), SEND_TIMEOUT_MS);
      try {
        const response = await this.#post(message, stop.signal, options);
        await response.body?.cancel();
      } finally {
        clearTimeout(late);
      }
    });
  }

  /** Listens to what belongs to no request, see {@linkcode ConnectionWithStream}. */
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

  /** Ends all streams, and the session where there is one. */
  close(): Promise<void> {
    return this.#closed ??= this.#close();
  }

  async #close(): Promise<void> {
    this.#closing.abort(closed());
    for (const stop of this.#inFlight.values()) stop.abort(closed());
    this.frames.end();
    if (this.#sessionId === undefined) return;
    const { closeTimeoutMs = 2000 } = this.#endpoint.options;
    const signal = AbortSignal.timeout(closeTimeoutMs);
    // A server need not let a session be ended, and one that does not answer ends it by itself.
    await this.#call({ method: "DELETE", headers: {}, signal }).then((response) =>
      response.body?.cancel()
    ).catch(() => {});
  }

  /** Does something that ends with the pipe, or when the request of that id is cancelled. */
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
  ): Promise<Response> {
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
    this.#sessionId = response.headers.get(HeaderName.SessionId) ?? before;
    return response;
  }

  #call(call: HttpCall): Promise<Response> {
    return this.#callIn(this.#sessionId, call);
  }

  /** Makes a request in a session, which the server may not know any more. */
  async #callIn(sessionId: string | undefined, call: HttpCall): Promise<Response> {
    const session = sessionId === undefined ? {} : { [HeaderName.SessionId]: sessionId };
    const headers = { ...call.headers, ...this.#negotiated.headers, ...session };
    try {
      return await callHttp(this.#endpoint, { ...call, headers });
    } catch (error) {
      if (!isNotFound(error) || sessionId === undefined) throw error;
      const options = { rpcCode: RpcErrorCode.SessionNotFound, httpStatus: 404, cause: error };
      throw McpError.protocolError("the session has ended", options);
    }
  }

  /** Reads a response to the answer; goes back to a stream that ends before. */
  async #follow(response: Response, signal: AbortSignal, id: RequestId): Promise<void> {
    const reconnect = new Reconnect(this.#endpoint.options);
    const place: StreamPosition = {};
    for (let next: Response | undefined = response; next !== undefined;) {
      if (await this.#read(next, { reconnect, place, signal, id })) return;
      // Without a mark, going back would not lead to what belongs to this request.
      next = place.lastEventId === undefined
        ? undefined
        : await this.#resume(place, reconnect, signal);
    }
    throw McpError.transportError(HTTP_LABEL, "the response ended without an answer");
  }

  /** Passes on what a response holds. True when the answer was among it, false when the connection was lost before. */
  async #read(response: Response, reading: {
    readonly reconnect: Reconnect;
    readonly place: StreamPosition;
    readonly signal: AbortSignal;
    readonly id?: RequestId;
  }): Promise<boolean> {
    const { reconnect, place, signal, id } = reading;
    reconnect.opened();
    try {
      for await (const item of readItems(response, this.#endpoint)) {
        if (item.kind === "id") {
          // A server that sends nothing else means that there is something to wait for.
          reconnect.succeeded();
          place.lastEventId = item.id;
        } else if (item.kind === "retry") reconnect.wait(item.retryMs);
        else if (item.kind === "frame") {
          reconnect.succeeded();
          if (id !== undefined) assertAnswerable(item.frame);
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

  /** Opens a stream again where it was left; undefined when all tries were in vain. */
  async #resume(
    { lastEventId }: StreamPosition,
    reconnect: Reconnect,
    signal: AbortSignal,
  ): Promise<Response | undefined> {
    const mark = lastEventId === undefined ? {} : { [HeaderName.LastEventId]: lastEventId };
    while (await reconnect.next(signal)) {
      const headers = { accept: ACCEPT_EVENTS, ...mark };
      try {
        return await this.#call({ method: "GET", headers, signal });
      } catch (error) {
        signal.throwIfAborted();
        if (!isLoss(error)) throw error;
      }
    }
    return undefined;
  }

  async #keepListening(signal: AbortSignal): Promise<void> {
    const reconnect = new Reconnect(this.#endpoint.options);
    const place: StreamPosition = {};
    let response = await this.#openOwnStream(signal);
    if (response === undefined) return;
    while (response !== undefined) {
      await this.#read(response, { reconnect, place, signal });
      response = await this.#resume(place, reconnect, signal);
    }
    throw McpError.transportError(HTTP_LABEL, "the stream of the server's own messages is lost");
  }

  /** Opens the stream for what belongs to no request; undefined when the server has none. */
  async #openOwnStream(signal: AbortSignal): Promise<Response | undefined> {
    try {
      return await this.#call({ method: "GET", headers: { accept: ACCEPT_EVENTS }, signal });
    } catch (cause) {
      signal.throwIfAborted();
      const httpStatus = cause instanceof McpError ? cause.httpStatus : undefined;
      if (httpStatus === 405) return undefined;
      if (httpStatus !== 404) throw cause;
      // The session is known: something has just been said in it.
      const reason = "there is no stream of the server's own messages";
      throw McpError.transportError(HTTP_LABEL, reason, { httpStatus, cause });
    }
  }
}

function closed(): McpError {
  return McpError.transportError(HTTP_LABEL, "closed");
}

function tooLate(): DOMException {
  return new DOMException("The server did not take the message in time", "TimeoutError");
}

function isNotFound(error: unknown): boolean {
  return error instanceof McpError && error.httpStatus === 404;
}

/** Whether it is only the connection that is lost, or the server that is in trouble for a moment. */
function isLoss(error: unknown): boolean {
  return error instanceof McpError && error.code === McpErrorCode.TransportError &&
    (error.httpStatus === undefined || error.httpStatus >= 500);
}

/** Whether a frame answers a request, be it in a batch. */
function isAnswered(frame: Frame, id: RequestId): boolean {
  if (frame.kind === "batch") return frame.frames.some((each) => isAnswered(each, id));
  return frame.kind === "response" && String(frame.message.id) === String(id);
}

/** What comes as the response to a request means that request, even when it names none. */
function assertAnswerable(frame: Frame): void {
  if (frame.kind === "invalid") throw McpError.protocolError(frame.reason);
  if (frame.kind === "response" && frame.message.id === null) resultOf(frame.message);
}
