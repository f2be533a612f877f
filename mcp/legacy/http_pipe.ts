/**
 * Streamable HTTP up to 2025-11-25 as a pipe: every message out is a POST, what comes in comes in the responses and in
 * one stream of its own. Sessions, streams that are gone back to.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http Streamable HTTP}
 * @module
 */

import { connectPipe } from "../client/connect_pipe.ts";
import { resultOf } from "../client/request.ts";
import { McpError, McpErrorCode } from "../error.ts";
import { HeaderName } from "../protocol/headers.ts";
import { Notice } from "../protocol/methods.ts";
import { RpcErrorCode } from "../rpc/codes.ts";
import {
  isRequest,
  isRequestId,
  type RequestId,
  type RpcMessage,
  type RpcRequest,
} from "../rpc/message.ts";
import type { Frame } from "../rpc/parse.ts";
import { stringifyMessage } from "../rpc/stringify.ts";
import type { Connection, Pipe, SendOptions } from "../rpc/transport.ts";
import { Queue } from "../stream/queue.ts";
import {
  ACCEPT_ANY,
  ACCEPT_EVENTS,
  callHttp,
  HTTP_LABEL,
  type HttpCall,
  type HttpEndpoint,
  readItems,
} from "../transport/http_request.ts";
import { Negotiated } from "./negotiated.ts";
import { Reconnect } from "./reconnect.ts";

/** How long a server may take to accept what wants no answer. */
const SEND_TIMEOUT_MS = 60_000;

/** How far a stream has been read. */
interface Place {
  lastEventId?: string;
}

/** Opens a connection; nothing is sent. */
export function openHttpConnection(
  endpoint: HttpEndpoint,
  reportError: (error: unknown) => void,
): Connection {
  return connectPipe(new HttpPipe(endpoint, reportError), reportError);
}

/** A pipe to a server that speaks Streamable HTTP of the handshake era. */
export class HttpPipe implements Pipe {
  /** What to call it in errors. */
  readonly label: string = HTTP_LABEL;
  /** What comes in, from all streams. */
  readonly frames: Queue<Frame> = new Queue();
  readonly #endpoint: HttpEndpoint;
  readonly #reportError: (error: unknown) => void;
  readonly #negotiated = new Negotiated();
  readonly #closing = new AbortController();
  readonly #requests = new Map<RequestId, AbortController>();
  #sessionId: string | undefined;
  #listening: AbortController | undefined;
  #closed: Promise<void> | undefined;

  /** Takes an endpoint; nothing is sent. */
  constructor(endpoint: HttpEndpoint, reportError: (error: unknown) => void = () => {}) {
    this.#endpoint = endpoint;
    this.#reportError = reportError;
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
    if ("method" in message && isRequest(message)) return await this.#exchange(message, options);
    const method = "method" in message ? message.method : undefined;
    if ("method" in message && method === Notice.Cancelled) this.#stop(message.params?.requestId);
    // No answer is waited for, so nobody else would give up a server that does not even take the message.
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(SEND_TIMEOUT_MS)]);
    const response = await this.#post(message, signal, options);
    await response.body?.cancel();
    if (method === Notice.Initialized) this.#listen();
  }

  /** Ends all streams, and the session where there is one. */
  close(): Promise<void> {
    return this.#closed ??= this.#close();
  }

  async #close(): Promise<void> {
    this.#closing.abort(closed());
    for (const stop of this.#requests.values()) stop.abort(closed());
    this.frames.end();
    if (this.#sessionId === undefined) return;
    const { closeTimeoutMs = 2000 } = this.#endpoint.options;
    const call = {
      method: "DELETE",
      headers: {},
      signal: AbortSignal.timeout(closeTimeoutMs),
    } as const;
    // A server need not let a session be ended, and one that does not answer ends it by itself.
    await this.#call(call).then((response) => response.body?.cancel()).catch(() => {});
  }

  async #exchange(message: RpcRequest, options: SendOptions): Promise<void> {
    const { id } = message;
    const stop = new AbortController();
    this.#requests.set(id, stop);
    const { signal } = stop;
    try {
      await this.#follow(await this.#post(message, signal, options), signal, id);
    } finally {
      this.#requests.delete(id);
    }
  }

  #stop(id: unknown): void {
    if (isRequestId(id)) this.#requests.get(id)?.abort();
  }

  async #post(
    message: RpcMessage | readonly RpcMessage[],
    signal: AbortSignal,
    { hold }: SendOptions,
  ): Promise<Response> {
    const headers = { accept: ACCEPT_ANY };
    const response = await this.#call({
      method: "POST",
      headers,
      body: stringifyMessage(message),
      signal,
      ...(hold === undefined ? {} : { hold }),
    });
    this.#sessionId = response.headers.get(HeaderName.SessionId) ?? this.#sessionId;
    return response;
  }

  /** Makes a request in the session. A session that the server does not know any more is forgotten. */
  async #call(call: HttpCall): Promise<Response> {
    const sessionId = this.#sessionId;
    const session = sessionId === undefined ? {} : { [HeaderName.SessionId]: sessionId };
    const headers = { ...call.headers, ...this.#negotiated.headers, ...session };
    try {
      return await callHttp(this.#endpoint, { ...call, headers });
    } catch (error) {
      if (!isNotFound(error) || sessionId === undefined) throw error;
      if (this.#sessionId === sessionId) this.#sessionId = undefined;
      const options = { rpcCode: RpcErrorCode.SessionNotFound, httpStatus: 404, cause: error };
      throw McpError.protocolError("the session has ended", options);
    }
  }

  /** Reads a response to the answer; goes back to a stream that ends before. */
  async #follow(response: Response, signal: AbortSignal, id: RequestId): Promise<void> {
    const reconnect = new Reconnect(this.#endpoint.options);
    const place: Place = {};
    for (let next: Response | undefined = response; next !== undefined;) {
      if (await this.#read(next, { reconnect, place, signal, id })) return;
      next = await this.#goBack(place, reconnect, signal);
    }
    throw McpError.transportError(HTTP_LABEL, "the response ended without an answer");
  }

  /** Passes on what a response holds. True when the answer was among it, false when the connection was lost before. */
  async #read(response: Response, reading: {
    readonly reconnect: Reconnect;
    readonly place: Place;
    readonly signal: AbortSignal;
    readonly id?: RequestId;
  }): Promise<boolean> {
    const { reconnect, place, signal, id } = reading;
    try {
      for await (const item of readItems(response, this.#endpoint)) {
        if (item.kind === "id") place.lastEventId = item.id;
        else if (item.kind === "retry") reconnect.wait(item.retryMs);
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

  /** Opens a stream again where it was left; undefined when that is not possible. */
  async #goBack(
    { lastEventId }: Place,
    reconnect: Reconnect,
    signal: AbortSignal,
  ): Promise<Response | undefined> {
    while (lastEventId !== undefined && await reconnect.next(signal)) {
      const headers = { accept: ACCEPT_EVENTS, [HeaderName.LastEventId]: lastEventId };
      try {
        return await this.#call({ method: "GET", headers, signal });
      } catch (error) {
        signal.throwIfAborted();
        if (!isLoss(error)) throw error;
      }
    }
    return undefined;
  }

  /** Opens the stream for what belongs to no request, and keeps it open. Most servers have none. */
  #listen(): void {
    this.#listening?.abort();
    this.#listening = new AbortController();
    const signal = AbortSignal.any([this.#listening.signal, this.#closing.signal]);
    this.#keepListening(signal).catch((error) => {
      // Many servers have no such stream.
      if (!signal.aborted && !isAbsent(error)) this.#reportError(error);
    });
  }

  async #keepListening(signal: AbortSignal): Promise<void> {
    const reconnect = new Reconnect(this.#endpoint.options);
    const place: Place = {};
    do {
      const mark = place.lastEventId;
      const headers = {
        accept: ACCEPT_EVENTS,
        ...(mark === undefined ? {} : { [HeaderName.LastEventId]: mark }),
      };
      await this.#read(await this.#call({ method: "GET", headers, signal }), {
        reconnect,
        place,
        signal,
      });
    } while (await reconnect.next(signal));
    throw McpError.transportError(HTTP_LABEL, "the stream of the server's own messages is lost");
  }
}

function closed(): McpError {
  return McpError.transportError(HTTP_LABEL, "closed");
}

function isAbsent(error: unknown): boolean {
  return error instanceof McpError && error.httpStatus === 405;
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
