/**
 * A Streamable HTTP session for legacy protocol versions (2025-11-25 and earlier), with its
 * requests and resumable streams.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http Streamable HTTP}
 * @module
 */

import { RpcErrorCode } from "../../jsonrpc/error_codes.ts";
import {
  failure,
  isRequestId,
  type RequestId,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from "../../jsonrpc/message.ts";
import type { Frame, MessageFrame } from "../../jsonrpc/read_frame.ts";
import { formatEvent } from "../../shared/sse_encode.ts";
import { NotificationMethod } from "../../protocol/methods.ts";
import type { Quota } from "@parley/internal/quota";
import type { Emit, Principal } from "../../server/exchange_context.ts";
import type { ServerCore } from "../../server/server_core.ts";
import { EventStream } from "./event_stream.ts";
import type { HttpResponse } from "../../shared/http_types.ts";
import { type LegacyPost, principalOf } from "./endpoint.ts";
import {
  ACCEPTED,
  errorResponse,
  jsonResponse,
  stringifyOrError,
  transportErrorResponse,
} from "./http_responses.ts";
import { HttpReply } from "./response.ts";
import { toolHeaderCheck } from "./tool_header_check.ts";
import type { ServerSession, SessionExchange } from "../session_contract.ts";
import { EventLog, type LoggedEvent } from "./event_log.ts";
import type { SessionStorage } from "./memory_budget.ts";
import { openServerSession } from "../server_session.ts";

/** Limits and timeouts for a session. */
export interface HttpSessionOptions {
  /**
   * Maximum number of events stored per stream for resumption. When `maxEvents` is reached, the
   * oldest events of the stream are discarded.
   *
   * @default {1000}
   */
  readonly maxEvents: number;
  /**
   * Maximum number of ended streams stored for resumption. When `maxStreams` is reached, the oldest
   * ended streams are discarded.
   *
   * @default {100}
   */
  readonly maxStreams: number;
  /**
   * Maximum number of in-flight requests. Requests beyond `maxConcurrent` are rejected with
   * HTTP 429.
   *
   * @default {100}
   */
  readonly maxConcurrent: number;
  /**
   * Delay before the client reconnects to resume a stream (the SSE `retry` field), in milliseconds.
   *
   * @default {1000}
   */
  readonly retryMs: number;
  /**
   * Idle time of a stream before a keep-alive comment is sent, in milliseconds.
   *
   * @default {15_000}
   */
  readonly keepAliveMs: number;
  /**
   * Timeout for the client's response to a server request, in milliseconds.
   *
   * @default {600_000}
   */
  readonly inputTimeoutMs: number;
  /**
   * Maximum number of resource subscriptions.
   *
   * @default {1000}
   */
  readonly maxResourceSubscriptions: number;
  /**
   * Timeout for a client that does not read an open stream, in milliseconds. When the timeout
   * expires, the stream is closed, and the client can resume it. Until the timeout expires, a
   * handler that awaits `progress()` or `log()` waits for the client.
   *
   * @default {30_000}
   */
  readonly readTimeoutMs: number;
}

/**
 * Name of the stream for messages that do not belong to a request. The stream's event ids contain
 * this name.
 */
const NOTIFICATIONS = "news";

/** Options for {@linkcode HttpSession}. */
export interface HttpSessionSettings extends HttpSessionOptions {
  /**
   * Called when the last in-flight request or open stream ends. The session's idle timeout starts
   * when `onUseEnd` is called.
   */
  readonly onUseEnd: () => void;
  /** Storage for events and subscriptions. */
  readonly storage: SessionStorage;
  /** Requests in flight in all sessions. */
  readonly allInFlight: Quota;
}

/** A session with one client. */
export class HttpSession {
  /**
   * Subject of the principal that opened the session. Requests in the session from any other
   * principal are rejected.
   */
  readonly subject: string | undefined;
  readonly #session: ServerSession;
  readonly #options: HttpSessionSettings;
  readonly #inFlight = new Map<RequestId, AbortController>();
  readonly #streams = new Map<string, EventLog>();
  #nextStream = 1;
  #readers = 0;
  #isUsed = false;

  /** Creates a session whose client has not sent `initialize` yet. */
  constructor(server: ServerCore, principal: Principal | undefined, options: HttpSessionSettings) {
    const notifications = new EventLog(options, options.storage);
    const push = (message: RpcNotification): void => {
      notifications.append(stringifyOrError(message));
    };
    this.subject = principal?.subject;
    this.#session = openServerSession(server, push, options);
    this.#options = options;
    this.#streams.set(NOTIFICATIONS, notifications);
  }

  /** Whether the client has sent a request after `initialize`. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** Whether a request is in flight. */
  get isWorking(): boolean {
    return this.#inFlight.size > 0;
  }

  /** Whether a request is in flight or a stream is open. */
  get isBusy(): boolean {
    return this.isWorking || this.#readers > 0;
  }

  /** Handles a POST request. */
  async post(post: LegacyPost): Promise<HttpResponse> {
    const { frame } = post;
    this.#isUsed ||= this.#session.isOpen && hasRequest(frame);
    if (frame.kind === "request") return await this.#postOne(frame.message, post);
    if (frame.kind !== "batch") return this.#postAll([frame], post);
    if (this.#session.revision.hasBatches) return this.#postAll(frame.frames, post);
    const message = "Invalid Request: batches are not supported in this protocol version";
    return errorResponse(400, { code: RpcErrorCode.InvalidRequest, message });
  }

  /**
   * Handles a GET request, which opens the stream for server messages or resumes the stream that
   * contains the given event.
   */
  get(lastEventId: string | null): HttpResponse {
    const [, name = NOTIFICATIONS, number] = /^(.+)-(\d+)$/.exec(lastEventId ?? "") ?? [];
    const log = this.#streams.get(name);
    const after = lastEventId === null ? log?.count : Number(number);
    // Reject the id of a future event, because the client would miss the events before it.
    if (log === undefined || after === undefined || !(after <= log.count)) {
      return transportErrorResponse(400, "Unknown event ID in the Last-Event-ID header");
    }
    return this.#stream(name, log, after);
  }

  /** Ends the session, aborts its requests and closes its streams. */
  close(): void {
    this.#session.close();
    for (const signal of this.#inFlight.values()) {
      signal.abort(new DOMException("The session has ended", "AbortError"));
    }
    for (const log of this.#streams.values()) log.detachReader();
    this.#options.storage.close();
  }

  #postAll(frames: readonly MessageFrame[], post: LegacyPost): HttpResponse {
    const requests = frames.flatMap((frame) => frame.kind === "request" ? [frame.message] : []);
    for (const frame of frames) {
      // Only clients accept deviations.
      if (frame.kind === "response" && frame.deviation === undefined) {
        this.#session.onResponse(frame.message);
      }
      if (frame.kind === "notification") this.#onNotification(frame.message);
    }
    const failures = frames.flatMap((frame) =>
      frame.kind === "invalid" && !frame.isResponse
        ? [failure(frame.id, { code: frame.code, message: frame.reason })]
        : []
    );
    if (requests.length + failures.length === 0) return ACCEPTED;
    const rejection = this.#checkCapacity(requests.length);
    if (rejection !== undefined) return rejection;
    const [name, log] = this.#createLog();
    const response = this.#open(name, log);
    const emit = logTo(log);
    for (const response of failures) this.#appendResponse(log, response);
    Promise.all(requests.map(async (request) => {
      const response = await this.#run(request, {
        emit,
        transport: "http",
        ...principalOf(post.context),
        ...toolHeaderCheck(post.request.headers, request),
      });
      if (response !== undefined) this.#appendResponse(log, response);
    })).then(() => log.end());
    return response;
  }

  /**
   * Handles a single request. Responds with a JSON body if the result is available soon enough,
   * otherwise with a resumable SSE stream.
   */
  #postOne(
    request: RpcRequest,
    { request: { headers }, accepted, context }: LegacyPost,
  ): Promise<HttpResponse> | HttpResponse {
    const rejection = this.#checkCapacity(1);
    if (rejection !== undefined) return rejection;
    const [name, log] = this.#createLog();
    const { keepAliveMs } = this.#options;
    const reply = new HttpReply({ accepted, keepAliveMs }, () => this.#open(name, log));
    const emit = logTo(log);
    const exchange: Omit<SessionExchange, "signal"> = {
      emit: (message: RpcRequest | RpcNotification) => {
        reply.openStream();
        // A client that does not accept SSE receives only the response.
        return accepted.stream ? emit(message) : Promise.resolve(false);
      },
      onDelay: () => reply.delay(),
      transport: "http",
      closeStream: () => {
        reply.openStream();
        log.detachReader();
      },
      ...principalOf(context),
      ...toolHeaderCheck(headers, request),
    };
    this.#run(request, exchange).then((response) => {
      if (response !== undefined && !reply.isOpen) {
        reply.respond(jsonResponse(200, stringifyOrError(response)));
      } else if (response !== undefined) this.#appendResponse(log, response);
      else reply.respond(transportErrorResponse(503, "The request was cancelled"));
      log.end();
    });
    return reply.response;
  }

  #checkCapacity(count: number): HttpResponse | undefined {
    const { maxConcurrent, allInFlight } = this.#options;
    if (this.#inFlight.size + count > maxConcurrent) {
      return transportErrorResponse(
        429,
        `Too many requests: at most ${maxConcurrent} may be in flight`,
      );
    }
    if (allInFlight.has(count, this.subject)) return undefined;
    return transportErrorResponse(429, "Too many requests are in flight in all sessions", {
      "retry-after": "10",
    });
  }

  /**
   * Runs a request to completion, even if the client disconnects. Returns `undefined` if the
   * request is cancelled.
   */
  async #run(
    request: RpcRequest,
    exchange: Omit<SessionExchange, "signal">,
  ): Promise<RpcResponse | undefined> {
    const { id } = request;
    if (this.#inFlight.has(id)) {
      const message = 'Invalid Request: "id" is already in use';
      return failure(id, { code: RpcErrorCode.InvalidRequest, message });
    }
    const controller = new AbortController();
    this.#inFlight.set(id, controller);
    this.#options.allInFlight.take(1, this.subject);
    try {
      const { signal } = controller;
      return await this.#session.exchange(request, { ...exchange, signal });
    } catch {
      // The request was cancelled, so no response is sent.
      return undefined;
    } finally {
      this.#inFlight.delete(id);
      this.#options.allInFlight.take(-1, this.subject);
      this.#reportUseEnd();
    }
  }

  #onNotification({ method, params }: RpcNotification): void {
    if (method !== NotificationMethod.Cancelled || !isRequestId(params?.requestId)) return;
    const reason = new DOMException("The client cancelled the request", "AbortError");
    this.#inFlight.get(params.requestId)?.abort(reason);
  }

  #createLog(): [string, EventLog] {
    return [`s${this.#nextStream++}`, new EventLog(this.#options, this.#options.storage)];
  }

  /**
   * Appends a response to a log, or an error response if the response exceeds the storage limit.
   */
  #appendResponse(log: EventLog, response: RpcResponse): void {
    const data = stringifyOrError(response);
    const limit = log.append(data);
    if (limit === undefined) return;
    const message =
      `Response too large to store: ${data.length} characters exceed "sessions.${limit}"`;
    log.append(JSON.stringify(failure(response.id, { code: RpcErrorCode.InternalError, message })));
  }

  /**
   * Opens a resumable stream. Discards the oldest ended streams if there are more than
   * `maxStreams`.
   */
  #open(name: string, log: EventLog): HttpResponse {
    this.#streams.set(name, log);
    const over = [...this.#streams].filter(([, { isEnded }]) => isEnded);
    const tooMany = Math.max(over.length - this.#options.maxStreams, 0);
    for (const [old, ended] of over.slice(0, tooMany)) {
      this.#streams.delete(old);
      ended.clear();
    }
    return this.#stream(name, log, 0);
  }

  /** Creates a response that streams the events in a log after the given sequence number. */
  #stream(name: string, log: EventLog, after: number): HttpResponse {
    const { retryMs, keepAliveMs } = this.#options;
    const reader = log.replaceReader();
    const events = new EventStream({
      ...(this.#session.revision.hasPrimingEvents
        ? { prelude: formatEvent({ id: `${name}-${after}`, retryMs, data: "" }) }
        : {}),
      keepAliveMs,
      // Detach only this reader, because the client may already have resumed the stream on another
      // connection.
      onCancel: () => log.detachReader(reader),
    });
    this.#send(name, log.read(after, reader), events);
    return events.response;
  }

  async #send(
    name: string,
    logged: AsyncIterable<LoggedEvent>,
    events: EventStream,
  ): Promise<void> {
    this.#readers++;
    for await (const { number, data } of logged) {
      const timer = setTimeout(() => events.close(), this.#options.readTimeoutMs);
      const isRead = await events.write(formatEvent({ id: `${name}-${number}`, data }));
      clearTimeout(timer);
      if (!isRead) break;
    }
    events.end();
    this.#readers--;
    this.#reportUseEnd();
  }

  #reportUseEnd(): void {
    if (!this.isBusy) this.#options.onUseEnd();
  }
}

function logTo(log: EventLog): Emit {
  return (message) => log.send(stringifyOrError(message));
}

function hasRequest(frame: Frame): boolean {
  return frame.kind === "batch"
    ? frame.frames.some(({ kind }) => kind === "request")
    : frame.kind === "request";
}
