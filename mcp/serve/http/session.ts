/**
 * One session over Streamable HTTP as it was up to 2025-11-25: its requests, its streams, and what a client that comes
 * back has missed.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http Streamable HTTP}
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
import type { MessageFrame } from "../../jsonrpc/read_frame.ts";
import { formatEvent } from "../../shared/sse_encode.ts";
import { NotificationMethod } from "../../protocol/methods.ts";
import type { Emit, Principal } from "../../server/exchange_context.ts";
import type { ServerCore } from "../../server/server_core.ts";
import { LazySignal } from "../../server/lazy_signal.ts";
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
import type { LegacySession, SessionExchange } from "../session_contract.ts";
import { EventLog, type LoggedEvent } from "./event_log.ts";
import { openLegacySession } from "../legacy_session.ts";

/** Limits of one session. */
export interface HttpSessionOptions {
  /** How many events of one stream are kept for a client that comes back. */
  readonly maxEvents: number;
  /** How many streams that are over are kept. */
  readonly maxStreams: number;
  /** How many requests may be under way. */
  readonly maxConcurrent: number;
  /** How long a client should wait before it comes back, in milliseconds. */
  readonly retryMs: number;
  /** How long a stream may be silent before a sign of life is sent, in milliseconds. */
  readonly keepAliveMs: number;
  /** How long a client may take to answer a question, in milliseconds. */
  readonly inputTimeoutMs: number;
  /** How many resources a client may subscribe to. */
  readonly maxResourceSubscriptions: number;
}

/** The stream that belongs to no request. */
const NOTIFICATIONS = "news";

/** How a session is opened. */
export interface HttpSessionSettings extends HttpSessionOptions {
  /** Called when nothing is under way or being read any more. */
  readonly onIdle: () => void;
}

/** A session of one client. */
export class HttpSession {
  /** Who opened it; nobody else may use it. */
  readonly subject: string | undefined;
  readonly #session: LegacySession;
  readonly #options: HttpSessionSettings;
  readonly #inFlight = new Map<RequestId, LazySignal>();
  readonly #streams = new Map<string, EventLog>();
  #nextStream = 1;
  #readers = 0;

  /** Opens a session. */
  constructor(server: ServerCore, principal: Principal | undefined, options: HttpSessionSettings) {
    const notifications = new EventLog(options);
    const push = (message: RpcNotification): void =>
      notifications.append(stringifyOrError(message));
    this.subject = principal?.subject;
    this.#session = openLegacySession(server, push, options);
    this.#options = options;
    this.#streams.set(NOTIFICATIONS, notifications);
  }

  /** Whether the client has introduced itself. */
  get isOpen(): boolean {
    return this.#session.isOpen;
  }

  /** Whether anything is under way or being read. */
  get isBusy(): boolean {
    return this.#inFlight.size > 0 || this.#readers > 0;
  }

  /** Answers a POST. */
  async post(post: LegacyPost): Promise<HttpResponse> {
    const { frame } = post;
    if (frame.kind === "request") return await this.#postOne(frame.message, post);
    if (frame.kind !== "batch") return this.#postAll([frame], post);
    if (this.#session.revision.hasBatches) return this.#postAll(frame.frames, post);
    const message = "Invalid Request: batches are not supported in this protocol version";
    return errorResponse(400, { code: RpcErrorCode.InvalidRequest, message });
  }

  /** Answers a GET: news, or the rest of the stream of an event. */
  get(lastEventId: string | null): HttpResponse {
    const [, name = NOTIFICATIONS, number] = /^(.+)-(\d+)$/.exec(lastEventId ?? "") ?? [];
    const log = this.#streams.get(name);
    const after = lastEventId === null ? log?.count : Number(number);
    // Not one that is yet to come either: those before it would be missed.
    if (log === undefined || after === undefined || !(after <= log.count)) {
      return transportErrorResponse(400, "Unknown event ID in the Last-Event-ID header");
    }
    return this.#stream(name, log, after);
  }

  /** Ends the session and everything in it. */
  close(): void {
    this.#session.close();
    for (const signal of this.#inFlight.values()) {
      signal.abort(new DOMException("The session has ended", "AbortError"));
    }
    for (const log of this.#streams.values()) {
      log.end();
      log.detachReader();
    }
  }

  #postAll(frames: readonly MessageFrame[], post: LegacyPost): HttpResponse {
    const requests = frames.flatMap((frame) => frame.kind === "request" ? [frame.message] : []);
    for (const frame of frames) {
      if (frame.kind === "response") this.#session.onResponse(frame.message);
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
    for (const response of failures) log.append(stringifyOrError(response));
    Promise.all(requests.map(async (request) => {
      const response = await this.#run(request, { emit, ...principalOf(post.context) });
      if (response !== undefined) log.append(stringifyOrError(response));
    })).then(() => log.end());
    return response;
  }

  /** One request: a JSON body when its answer comes first and soon, a stream that can be come back to otherwise. */
  #postOne(
    request: RpcRequest,
    { accepted, context }: LegacyPost,
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
        // A client that reads no streams hears of nothing but the answer.
        return accepted.stream ? emit(message) : Promise.resolve(false);
      },
      onDelay: () => reply.delay(),
      closeStream: () => {
        reply.openStream();
        log.detachReader();
      },
      ...principalOf(context),
    };
    this.#run(request, exchange).then((response) => {
      if (response !== undefined && !reply.isOpen) {
        reply.respond(jsonResponse(200, stringifyOrError(response)));
      } else if (response !== undefined) log.append(stringifyOrError(response));
      else reply.respond(transportErrorResponse(503, "The request was cancelled"));
      log.end();
    });
    return reply.response;
  }

  #checkCapacity(count: number): HttpResponse | undefined {
    const { maxConcurrent } = this.#options;
    if (this.#inFlight.size + count <= maxConcurrent) return undefined;
    return transportErrorResponse(
      429,
      `Too many requests: at most ${maxConcurrent} may be in flight`,
    );
  }

  /** Does the work of a request, whether the client is still there or not. Cancelled ones have no answer. */
  async #run(
    request: RpcRequest,
    exchange: Omit<SessionExchange, "signal">,
  ): Promise<RpcResponse | undefined> {
    const { id } = request;
    if (this.#inFlight.has(id)) {
      const message = 'Invalid Request: "id" is already in use';
      return failure(id, { code: RpcErrorCode.InvalidRequest, message });
    }
    const signal = new LazySignal();
    this.#inFlight.set(id, signal);
    try {
      return await this.#session.exchange(request, { ...exchange, signal });
    } catch {
      // Cancelled: there is no response.
      return undefined;
    } finally {
      if (this.#inFlight.get(id) === signal) this.#inFlight.delete(id);
      this.#checkIdle();
    }
  }

  #onNotification({ method, params }: RpcNotification): void {
    if (method !== NotificationMethod.Cancelled || !isRequestId(params?.requestId)) return;
    const reason = new DOMException("The client cancelled the request", "AbortError");
    this.#inFlight.get(params.requestId)?.abort(reason);
  }

  #createLog(): [string, EventLog] {
    return [`s${this.#nextStream++}`, new EventLog(this.#options)];
  }

  /** Opens a stream that a client can come back to; forgets the oldest ones that are over. */
  #open(name: string, log: EventLog): HttpResponse {
    this.#streams.set(name, log);
    const over = [...this.#streams].filter(([, { isEnded }]) => isEnded);
    const tooMany = Math.max(over.length - this.#options.maxStreams, 0);
    for (const [old] of over.slice(0, tooMany)) this.#streams.delete(old);
    return this.#stream(name, log, 0);
  }

  /** The events of a log after a number, as a response. */
  #stream(name: string, log: EventLog, after: number): HttpResponse {
    const { retryMs, keepAliveMs } = this.#options;
    const reader = log.replaceReader();
    const events = new EventStream({
      ...(this.#session.revision.hasPrimingEvents
        ? { prelude: formatEvent({ id: `${name}-${after}`, retryMs, data: "" }) }
        : {}),
      keepAliveMs,
      // Perhaps long after the client has come back on another connection.
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
      if (!await events.write(formatEvent({ id: `${name}-${number}`, data }))) break;
    }
    events.end();
    this.#readers--;
    this.#checkIdle();
  }

  #checkIdle(): void {
    if (!this.isBusy) this.#options.onIdle();
  }
}

function logTo(log: EventLog): Emit {
  return (message) => {
    log.append(stringifyOrError(message));
    return Promise.resolve(true);
  };
}
