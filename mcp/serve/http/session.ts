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
import { Notice } from "../../protocol/methods.ts";
import type { Emit, Principal } from "../../server/exchange_context.ts";
import type { ServerCore } from "../../server/server_core.ts";
import { LazySignal } from "../../server/lazy_signal.ts";
import { EventStream } from "./event_stream.ts";
import { refuse, refuseTransport } from "./guard.ts";
import { type HandshakePost, withPrincipal } from "./endpoint.ts";
import { ACCEPTED, type HttpResponse, jsonResponse } from "./http_responses.ts";
import { Reply } from "./reply.ts";
import type { HandshakeSession, SessionCall } from "../session_contract.ts";
import { stringify } from "../stringify_or_error.ts";
import { EventLog, type LoggedEvent } from "./event_log.ts";
import { openServerSession } from "../legacy_session.ts";

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
  readonly askTimeoutMs: number;
  /** How many resources a client may subscribe to. */
  readonly maxSubscriptions: number;
}

/** The stream that belongs to no request. */
const NEWS = "news";

/** How a session is opened. */
export interface OpenHttpOptions extends HttpSessionOptions {
  /** Called when nothing is under way or being read any more. */
  readonly quiet: () => void;
}

/** Opens a session. */
export function openHttpSession(
  server: ServerCore,
  principal: Principal | undefined,
  options: OpenHttpOptions,
): HttpSession {
  const news = new EventLog(options);
  const push = (message: RpcNotification): void => news.append(stringify(message));
  const session = openServerSession(server, push, options);
  return new HttpSession(session, news, principal?.subject, options);
}

/** A session of one client. */
export class HttpSession {
  /** Who opened it; nobody else may use it. */
  readonly subject: string | undefined;
  readonly #session: HandshakeSession;
  readonly #options: OpenHttpOptions;
  readonly #running = new Map<RequestId, LazySignal>();
  readonly #streams = new Map<string, EventLog>();
  #nextStream = 1;
  #readers = 0;

  /** Takes over a session whose news go to `news`. */
  constructor(
    session: HandshakeSession,
    news: EventLog,
    subject: string | undefined,
    options: OpenHttpOptions,
  ) {
    this.subject = subject;
    this.#session = session;
    this.#options = options;
    this.#streams.set(NEWS, news);
  }

  /** Whether the client has introduced itself. */
  get isOpen(): boolean {
    return this.#session.isOpen;
  }

  /** Whether anything is under way or being read. */
  get isBusy(): boolean {
    return this.#running.size > 0 || this.#readers > 0;
  }

  /** Answers a POST. */
  async post(post: HandshakePost): Promise<HttpResponse> {
    const { frame } = post;
    if (frame.kind === "request") return await this.#postOne(frame.message, post);
    if (frame.kind !== "batch") return this.#postAll([frame], post);
    if (this.#session.revision.hasBatches) return this.#postAll(frame.frames, post);
    const message = "Invalid request: batches are not part of this revision";
    return refuse(400, { code: RpcErrorCode.InvalidRequest, message });
  }

  /** Answers a GET: news, or the rest of the stream of an event. */
  get(lastEventId: string | null): HttpResponse {
    const [, name = NEWS, number] = /^(.+)-(\d+)$/.exec(lastEventId ?? "") ?? [];
    const log = this.#streams.get(name);
    const after = lastEventId === null ? log?.count : Number(number);
    // Not one that is yet to come either: those before it would be missed.
    if (log === undefined || after === undefined || !(after <= log.count)) {
      return refuseTransport(400, "There is no such event");
    }
    return this.#stream(name, log, after);
  }

  /** Ends the session and everything in it. */
  close(): void {
    this.#session.close();
    for (const signal of this.#running.values()) {
      signal.abort(new DOMException("The session has ended", "AbortError"));
    }
    for (const log of this.#streams.values()) {
      log.end();
      log.release();
    }
  }

  #postAll(frames: readonly MessageFrame[], post: HandshakePost): HttpResponse {
    const requests = frames.flatMap((frame) => frame.kind === "request" ? [frame.message] : []);
    for (const frame of frames) {
      if (frame.kind === "response") this.#session.answer(frame.message);
      if (frame.kind === "notification") this.#notice(frame.message);
    }
    const failures = frames.flatMap((frame) =>
      frame.kind === "invalid" && !frame.isResponse
        ? [failure(frame.id, { code: frame.code, message: frame.reason })]
        : []
    );
    if (requests.length + failures.length === 0) return ACCEPTED;
    const refused = this.#refuseMore(requests.length);
    if (refused !== undefined) return refused;
    const [name, log] = this.#createLog();
    const response = this.#open(name, log);
    const emit = logTo(log);
    for (const answer of failures) log.append(stringify(answer));
    Promise.all(requests.map(async (request) => {
      const answer = await this.#run(request, withPrincipal({ emit }, post.context));
      if (answer !== undefined) log.append(stringify(answer));
    })).then(() => log.end());
    return response;
  }

  /** One request: a JSON body when its answer comes first and soon, a stream that can be come back to otherwise. */
  #postOne(
    request: RpcRequest,
    { accepted, context }: HandshakePost,
  ): Promise<HttpResponse> | HttpResponse {
    const refused = this.#refuseMore(1);
    if (refused !== undefined) return refused;
    const [name, log] = this.#createLog();
    const { keepAliveMs } = this.#options;
    const reply = new Reply({ accepted, keepAliveMs }, () => this.#open(name, log));
    const emit = logTo(log);
    const call = {
      emit: (message: RpcRequest | RpcNotification) => {
        reply.open();
        // A client that reads no streams hears of nothing but the answer.
        return accepted.stream ? emit(message) : Promise.resolve(false);
      },
      slow: () => reply.slow(),
      release: () => {
        reply.open();
        log.release();
      },
    };
    this.#run(request, withPrincipal(call, context)).then((answer) => {
      if (answer !== undefined && !reply.isOpen) {
        reply.finish(jsonResponse(200, stringify(answer)));
      } else if (answer !== undefined) log.append(stringify(answer));
      else reply.finish(refuseTransport(503, "The request was cancelled"));
      log.end();
    });
    return reply.response;
  }

  #refuseMore(count: number): HttpResponse | undefined {
    const { maxConcurrent } = this.#options;
    if (this.#running.size + count <= maxConcurrent) return undefined;
    return refuseTransport(429, `More than ${maxConcurrent} requests are under way`);
  }

  /** Does the work of a request, whether the client is still there or not. Cancelled ones have no answer. */
  async #run(
    request: RpcRequest,
    call: Omit<SessionCall, "signal">,
  ): Promise<RpcResponse | undefined> {
    const { id } = request;
    if (this.#running.has(id)) {
      const message = "Invalid request: this id is under way";
      return failure(id, { code: RpcErrorCode.InvalidRequest, message });
    }
    const signal = new LazySignal();
    this.#running.set(id, signal);
    try {
      return await this.#session.exchange(request, { ...call, signal });
    } catch {
      // Cancelled: there is no response.
      return undefined;
    } finally {
      if (this.#running.get(id) === signal) this.#running.delete(id);
      this.#rest();
    }
  }

  #notice({ method, params }: RpcNotification): void {
    if (method !== Notice.Cancelled || !isRequestId(params?.requestId)) return;
    const reason = new DOMException("The client cancelled it", "AbortError");
    this.#running.get(params.requestId)?.abort(reason);
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
    const reader = log.takeOver();
    const events = new EventStream({
      ...(this.#session.revision.hasPrimingEvents
        ? { prelude: formatEvent({ id: `${name}-${after}`, retryMs, data: "" }) }
        : {}),
      keepAliveMs,
      // Perhaps long after the client has come back on another connection.
      abandon: () => log.release(reader),
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
    this.#rest();
  }

  #rest(): void {
    if (!this.isBusy) this.#options.quiet();
  }
}

function logTo(log: EventLog): Emit {
  return (message) => {
    log.append(stringify(message));
    return Promise.resolve(true);
  };
}
