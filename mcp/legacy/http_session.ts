/**
 * One session over Streamable HTTP as it was up to 2025-11-25: its requests, its streams, and what a client that comes
 * back has missed.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http Streamable HTTP}
 * @module
 */

import { RpcErrorCode } from "../rpc/codes.ts";
import {
  failure,
  isRequestId,
  isResponse,
  type RequestId,
  type RpcNotification,
  type RpcRequest,
} from "../rpc/message.ts";
import type { MessageFrame } from "../rpc/parse.ts";
import { formatEvent } from "../stream/sse_encode.ts";
import { Notice } from "../protocol/methods.ts";
import type { Principal } from "../server/call.ts";
import type { ServerCore } from "../server/core.ts";
import { type BodyOptions, streamResponse, stringify, toResponse } from "../serve/body.ts";
import { refuse, refuseTransport } from "../serve/guard.ts";
import type { HandshakePost } from "../serve/http.ts";
import type { HandshakeSession } from "../serve/session.ts";
import { EventLog, type LoggedEvent } from "./event_log.ts";
import { openServerSession } from "./server_session.ts";

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
}

/** The stream that belongs to no request. */
const NEWS = "news";

/** Opens a session. */
export async function openHttpSession(
  server: ServerCore,
  principal: Principal | undefined,
  options: HttpSessionOptions,
): Promise<HttpSession> {
  const news = new EventLog(options);
  const push = (message: RpcNotification): void => news.append(stringify(message), false);
  const session = await openServerSession(server, push, options);
  return new HttpSession(session, news, principal?.subject, options);
}

/** A session of one client. */
export class HttpSession {
  /** Who opened it; nobody else may use it. */
  readonly subject: string | undefined;
  readonly #session: HandshakeSession;
  readonly #options: HttpSessionOptions;
  readonly #running = new Map<RequestId, AbortController>();
  readonly #streams = new Map<string, EventLog>();
  #nextStream = 1;
  #readers = 0;

  /** Takes over a session whose news go to `news`. */
  constructor(
    session: HandshakeSession,
    news: EventLog,
    subject: string | undefined,
    options: HttpSessionOptions,
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
  async post(post: HandshakePost): Promise<Response> {
    const { frame } = post;
    if (frame.kind !== "batch") return await this.#postAll([frame], post);
    if (this.#session.revision.hasBatches) return await this.#postAll(frame.frames, post);
    const message = "Invalid request: batches are not part of this revision";
    return refuse(400, { code: RpcErrorCode.InvalidRequest, message });
  }

  /** Answers a GET: news, or the rest of the stream of an event. */
  get(lastEventId: string | null): Response {
    const [, name = NEWS, number] = /^(.+)-(\d+)$/.exec(lastEventId ?? "") ?? [];
    const log = this.#streams.get(name);
    if (log === undefined || (lastEventId !== null && number === undefined)) {
      return refuseTransport(400, "There is no such event");
    }
    const after = number === undefined ? log.count : Number(number);
    const items = this.#read(log, after);
    return streamResponse(items, this.#bodyOptions(name, log, after));
  }

  /** Ends the session and everything in it. */
  close(): void {
    this.#session.close();
    for (const controller of this.#running.values()) {
      controller.abort(new DOMException("The session has ended", "AbortError"));
    }
    for (const log of this.#streams.values()) {
      log.end();
      log.release();
    }
  }

  async #postAll(frames: readonly MessageFrame[], post: HandshakePost): Promise<Response> {
    const requests = frames.flatMap((frame) => frame.kind === "request" ? [frame.message] : []);
    for (const frame of frames) {
      if (frame.kind === "response") this.#session.answer(frame.message);
      if (frame.kind === "notification") this.#notice(frame.message);
    }
    if (requests.length === 0) return new Response(null, { status: 202 });
    const { maxConcurrent } = this.#options;
    if (this.#running.size + requests.length > maxConcurrent) {
      return refuseTransport(429, `More than ${maxConcurrent} requests are under way`);
    }
    const name = `s${this.#nextStream++}`;
    const log = new EventLog(this.#options);
    this.#keep(name, log);
    const { principal } = post.context;
    Promise.all(requests.map((request) => this.#run(request, log, principal))).then(() =>
      log.end()
    );
    return requests.length === 1
      ? await this.#respond(name, log, post)
      : streamResponse(this.#read(log, 0), this.#bodyOptions(name, log, 0));
  }

  async #respond(name: string, log: EventLog, { accepted }: HandshakePost): Promise<Response> {
    const response = await toResponse(this.#read(log, 0), {
      ...this.#bodyOptions(name, log, 0),
      accepted,
      bodyOf: ({ data, isResponse }) => isResponse ? data : undefined,
      statusOf: () => 200,
    });
    // Nobody knows an event to come back for.
    if (response.headers.get("content-type") === "application/json") this.#streams.delete(name);
    return response;
  }

  /** Does the work of a request, whether the client is still there or not. */
  async #run(
    request: RpcRequest,
    log: EventLog,
    principal: Principal | undefined,
  ): Promise<void> {
    const { id } = request;
    if (this.#running.has(id)) {
      const message = "Invalid request: this id is under way";
      const error = { code: RpcErrorCode.InvalidRequest, message };
      return log.append(stringify(failure(id, error)), true);
    }
    const controller = new AbortController();
    this.#running.set(id, controller);
    try {
      const extras = { ...(principal && { principal }), release: () => log.release() };
      const messages = this.#session.exchange(request, controller.signal, extras);
      for await (const message of messages) log.append(stringify(message), isResponse(message));
    } catch {
      // Cancelled: there is no response.
    } finally {
      if (this.#running.get(id) === controller) this.#running.delete(id);
    }
  }

  #notice({ method, params }: RpcNotification): void {
    if (method !== Notice.Cancelled || !isRequestId(params?.requestId)) return;
    const reason = new DOMException("The client cancelled it", "AbortError");
    this.#running.get(params.requestId)?.abort(reason);
  }

  async *#read(log: EventLog, after: number): AsyncGenerator<LoggedEvent, void> {
    this.#readers++;
    try {
      yield* log.read(after);
    } finally {
      this.#readers--;
    }
  }

  #bodyOptions(
    name: string,
    log: EventLog,
    after: number,
  ): Pick<BodyOptions<LoggedEvent>, "format" | "prelude" | "keepAliveMs" | "abandon"> {
    const { retryMs, keepAliveMs } = this.#options;
    const priming = formatEvent({ id: `${name}-${after}`, retryMs, data: "" });
    return {
      format: ({ number, data }) => formatEvent({ id: `${name}-${number}`, data }),
      ...(this.#session.revision.hasPrimingEvents ? { prelude: priming } : {}),
      keepAliveMs,
      abandon: () => log.release(),
    };
  }

  /** Keeps a stream; forgets the oldest ones that are over. */
  #keep(name: string, log: EventLog): void {
    this.#streams.set(name, log);
    const over = [...this.#streams].filter(([, { isEnded }]) => isEnded);
    const tooMany = Math.max(over.length - this.#options.maxStreams, 0);
    for (const [old] of over.slice(0, tooMany)) this.#streams.delete(old);
  }
}
