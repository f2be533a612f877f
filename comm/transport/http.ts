/**
 * A transport over HTTP: each message is sent in its own POST request.
 *
 * @module
 */

import type { AgentCommMessage } from "../message/message.ts";
import { abortable } from "@parley/internal/abortable";
import { type Deadline, startDeadline } from "@parley/internal/deadline";
import { createDropReporter } from "../shared/drop_reporter.ts";
import {
  capacityExceeded,
  CommError,
  sendFailed,
  timedOut,
  transportClosed,
} from "../shared/error.ts";
import { ItemQuota } from "../shared/item_quota.ts";
import { isSelfContained, partyOf } from "../shared/party.ts";
import { formatValue, quote } from "@parley/internal/format-value";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { readSignal } from "@parley/internal/read-signal";
import { noUrl, tooManyHeld } from "./http_error.ts";
import { RequestBodies } from "./http_bodies.ts";
import { createInbound, type Inbound, type Posted, REPLY } from "./http_inbound.ts";
import { discardBody, postText } from "./http_fetch.ts";
import { type HttpEndpointOptions, type HttpLimits, readOptions } from "./http_options.ts";
import { HELD_SHARE, HeldReplies, type HeldReply, type OpenedReply } from "./http_replies.ts";
import { HttpResponses } from "./http_responses.ts";
import { rejectHeaders, respond } from "./http_request.ts";
import { readMessage, writeMessage } from "./message_codec.ts";
import { type MessageTransport, receiveAll, type TransportOptions } from "./transport.ts";

/** A transport over HTTP, and the handler that receives its messages. */
export interface HttpEndpoint {
  /**
   * Sends messages with POST requests, and receives the messages that arrive at `handler` and in
   * responses. Messages to the same recipient are sent sequentially. Messages of one sender are
   * received in the order in which they arrived, and senders take turns.
   */
  readonly transport: MessageTransport;
  /**
   * Handles a request. A POST request with one message receives status 202. Other statuses: 400 for
   * an invalid message, 405 for a method other than POST, 408 for a body that does not arrive in
   * time, 413 for a body that is too large, 415 for a content type other than `application/json`, a
   * charset other than UTF-8 or a content coding, and 503 if the queue is full, if the sender has
   * used its half of the queue, if too many bodies are being received, or if the transport is
   * closed.
   */
  readonly handler: (request: Request) => Promise<Response>;
}

/**
 * Creates a transport over HTTP and the handler that receives its messages.
 *
 * `send` resolves when the recipient's server has accepted the message. `send` rejects with
 * `send_failed` if the recipient has no URL and no response is held open for it, if the connection
 * fails, or if the server returns a status other than 2xx; with `timeout` after `timeoutMs`; and
 * with `capacity_exceeded` if too many messages are being sent.
 *
 * With `replyWaitMs`, an agent without a URL can receive replies: the response to its POST request
 * stays open and contains the replies to its message as newline-delimited JSON
 * (`application/x-ndjson`). The response ends after the first reply whose type is not `update`, and
 * when the message fails verification or its processing has ended: a peer reports both with the
 * transport's `release` method. A program that receives messages without a peer should call
 * `release` with each message that it does not reply to. At most `capacity` responses are held
 * open, and at most a tenth of `capacity` for all senders with the same DID or the same did:web
 * domain. If no response can be held open, the message is received nevertheless, and `onError` is
 * called.
 *
 * @param options URLs of agents, and limits.
 * @throws {TypeError} If `urlOf`, `fetch` or `onError` is not a function, or an option is unknown.
 * @throws {RangeError} If a limit or timeout is invalid.
 *
 * @example Receive a message
 * ```ts
 * import { AgentCommMessage, formatMessage } from "@parley/comm";
 * import { httpEndpoint } from "@parley/comm/http";
 * import { assertEquals } from "@std/assert";
 *
 * const { handler, transport } = httpEndpoint({ urlOf: () => undefined });
 * const message = new AgentCommMessage({
 *   sender: "did:web:ann.example",
 *   recipient: "did:web:bob.example",
 *   protocol: "agent.heartbeat.v1",
 *   messageType: "notification",
 *   payload: "ping",
 * });
 * const response = await handler(
 *   new Request("https://bob.example/messages", {
 *     method: "POST",
 *     headers: { "content-type": "application/json" },
 *     body: formatMessage(message),
 *   }),
 * );
 * assertEquals(response.status, 202);
 * assertEquals((await transport.receive())?.payload, "ping");
 * await transport.close();
 * ```
 */
export function httpEndpoint(options: HttpEndpointOptions): HttpEndpoint {
  const transport = new HttpTransport(options);
  return { transport, handler: (request) => transport.handle(request) };
}

/** Maximum share of the capacity per sender or recipient. */
const SHARE = 1 / 2;

/** Bodies that can be received at the same time, as a multiple of the limits of the queue. */
const FULL_BODIES = 8;

class HttpTransport implements MessageTransport {
  readonly #urlOf: HttpEndpointOptions["urlOf"];
  readonly #fetch: typeof fetch;
  readonly #report: (error: unknown) => void;
  readonly #limits: HttpLimits;
  readonly #reportDrop: (error: Error) => void;
  readonly #inbound: Inbound;
  readonly #bodies: RequestBodies;
  readonly #received: ItemQuota;
  /** Received messages that wait for the URL of their sender, which is as slow as its keys. */
  readonly #lookups: { readonly selfContained: ItemQuota; readonly other: ItemQuota };
  readonly #held: HeldReplies;
  /** The messages that `receive` has returned, with the responses that are held open for them. */
  readonly #heldFor = new WeakMap<AgentCommMessage, HeldReply | undefined>();
  /** Aborted when the transport is closed; the abort reason is the error for later calls. */
  readonly #closed = new AbortController();
  /** Pending send operation for the last message to each recipient. */
  readonly #lastByRecipient = new Map<string, Promise<void>>();
  readonly #sending: ItemQuota;
  readonly #responses: HttpResponses;

  constructor(options: HttpEndpointOptions) {
    const { urlOf, fetch = globalThis.fetch, onError, ...limits } = readOptions(options);
    const { capacity, maxQueuedBytes, replyWaitMs } = limits;
    this.#urlOf = urlOf;
    this.#fetch = fetch;
    this.#report = createErrorReporter("httpEndpoint", onError);
    this.#reportDrop = createDropReporter(this.#report);
    this.#limits = limits;
    this.#bodies = new RequestBodies({
      maxBodies: capacity * FULL_BODIES,
      maxBytes: Math.max(maxQueuedBytes * FULL_BODIES, limits.maxBodyBytes),
    });
    const quota = { maxItems: capacity, maxBytes: maxQueuedBytes, share: SHARE };
    this.#received = new ItemQuota(quota);
    const createLookups = (): ItemQuota => new ItemQuota({ ...quota, share: HELD_SHARE });
    this.#lookups = { selfContained: createLookups(), other: createLookups() };
    this.#sending = new ItemQuota(quota);
    this.#responses = new HttpResponses({
      limits,
      share: SHARE,
      closed: this.#closed.signal,
      onQueued: () => this.#inbound.tryPush(REPLY),
      report: this.#report,
    });
    this.#held = new HeldReplies({ waitMs: replyWaitMs, capacity, maxBytes: maxQueuedBytes });
    this.#inbound = createInbound(limits);
  }

  /** A bound method, because a program can wrap the transport in an object that inherits it. */
  readonly release = (message: AgentCommMessage): void => {
    const held = this.#heldFor.get(message);
    if (held !== undefined) this.#held.close(held);
    // A received message can be forged, with the id of a message that this agent has sent.
    if (!this.#heldFor.has(message)) this.#responses.stop(message);
  };

  get unread(): number {
    return this.#inbound.size;
  }

  whenUnread(): Promise<void> {
    return this.#inbound.whenQueued();
  }

  async send(message: AgentCommMessage, options?: TransportOptions): Promise<void> {
    const signal = readSignal(options);
    signal?.throwIfAborted();
    this.#closed.signal.throwIfAborted();
    const { maxBodyBytes, capacity, maxQueuedBytes } = this.#limits;
    const text = writeMessage(message, maxBodyBytes);
    const taken = this.#sending.take(message.recipient, text.length);
    if (typeof taken === "string") throw capacityExceeded(capacity, maxQueuedBytes);
    const deadline = this.#startDeadline(`send message to ${quote(message.recipient)}`, signal);
    try {
      await this.#sendText(message, text, deadline.signal);
    } finally {
      deadline.stop();
      taken();
    }
  }

  /** Posts a message, or writes it to the response that is held for its recipient. */
  async #sendText(message: AgentCommMessage, text: string, signal: AbortSignal): Promise<void> {
    const { recipient } = message;
    await this.#inOrder(recipient, signal, async () => {
      const url = await abortable(this.#findUrl(recipient), signal);
      if (url !== undefined) return await this.#post(url, text, { message, signal });
      if (!this.#held.deliver(message, text)) {
        throw noUrl(recipient, this.#limits.replyWaitMs);
      }
    });
  }

  async #findUrl(did: string): Promise<URL | undefined> {
    const url = await this.#urlOf(did);
    if (url === undefined) return undefined;
    if (url instanceof URL && /^https?:$/.test(url.protocol)) return url;
    const got = url instanceof URL ? quote(url.href) : formatValue(url);
    throw new TypeError(`"urlOf" must return an http or https URL, got ${got}`);
  }

  /** Sends a message after the previous message to the same recipient. */
  async #inOrder(
    recipient: string,
    signal: AbortSignal,
    send: () => Promise<void>,
  ): Promise<void> {
    const previous = this.#lastByRecipient.get(recipient) ?? Promise.resolve();
    const sent = abortable(previous, signal).then(send);
    // A message that is aborted while it waits settles before the previous message does, so the
    // next message must wait for both messages.
    const last: Promise<void> = sent.catch(() => {}).then(() => previous).then(() => {
      if (this.#lastByRecipient.get(recipient) === last) this.#lastByRecipient.delete(recipient);
    });
    this.#lastByRecipient.set(recipient, last);
    await sent;
  }

  async #post(
    url: URL,
    body: string,
    { message, signal }: { readonly message: AgentCommMessage; readonly signal: AbortSignal },
  ): Promise<void> {
    const response = await postText(this.#fetch, url, { body, signal });
    const hasReplies = response.ok &&
      REPLIES_TYPE.test(response.headers.get("content-type") ?? "");
    if (hasReplies && this.#responses.hasCapacity(message.recipient)) {
      this.#responses.read(response, message);
      return;
    }
    await discardBody(response, signal);
    if (!response.ok) throw sendFailed(`server returned HTTP status ${response.status}`);
    if (hasReplies) this.#report(this.#responses.full(message.recipient));
  }

  async receive(options?: TransportOptions): Promise<AgentCommMessage | undefined> {
    const signal = readSignal(options);
    signal?.throwIfAborted();
    for (;;) {
      const item = this.#inbound.tryShift() ?? await this.#inbound.waitToShift(signal);
      if (item === undefined) return undefined;
      const message = item === REPLY ? this.#shiftReply() : this.#open(item);
      if (message instanceof CommError) throw message;
      if (message !== undefined) return message;
    }
  }

  #open({ body, held, release }: Posted): AgentCommMessage | CommError {
    release();
    const message = readMessage(body, this.#limits.maxBodyBytes);
    if (!(message instanceof CommError)) this.#heldFor.set(message, held);
    return message;
  }

  /** Returns the oldest reply in a response, or `undefined` if it is no longer needed. */
  #shiftReply(): AgentCommMessage | CommError | undefined {
    const reply = this.#responses.shift();
    if (reply === undefined) return undefined;
    const { line } = reply;
    const message = line instanceof CommError ? line : readMessage(line, this.#limits.maxBodyBytes);
    if (!(message instanceof CommError)) this.#heldFor.set(message, undefined);
    this.#responses.check(reply, message);
    return message;
  }

  /** Handles a request to the endpoint. */
  async handle(request: Request): Promise<Response> {
    const rejection = rejectHeaders(request);
    if (rejection !== undefined) return rejection;
    if (this.#closed.signal.aborted) return respond(503, "Service unavailable: closed");
    const body = await this.#readRequest(request);
    if (body instanceof Response) return body;
    const message = readMessage(body, this.#limits.maxBodyBytes);
    if (message instanceof CommError) return respond(400, `Bad request: ${message.message}`);
    // Hold the response open before queuing the message, because a reply can follow immediately.
    const reply = await this.#holdResponse(message, body.length);
    if (!this.#queue(message, body, reply?.held)) {
      if (reply !== undefined) this.#held.close(reply.held);
      return respond(503, "Service unavailable: queue is full", { "retry-after": "1" });
    }
    if (reply === undefined) return new Response(null, { status: 202 });
    this.#discardOnAbort(reply.held, request.signal);
    return new Response(reply.body, {
      status: 202,
      headers: { "content-type": "application/x-ndjson", "cache-control": "no-store" },
    });
  }

  /** Queues a received message. Returns `false` if the queue has no capacity for its sender. */
  #queue({ sender }: AgentCommMessage, body: Uint8Array, held: HeldReply | undefined): boolean {
    const party = partyOf(sender);
    const release = this.#received.take(party, body.length);
    if (typeof release === "string") return false;
    if (this.#inbound.tryPush({ party, body, held, release }) === undefined) return true;
    release();
    return false;
  }

  /** Ends a response when its client disconnects. */
  #discardOnAbort(held: HeldReply, signal: AbortSignal): void {
    const discard = (): void => this.#held.discard(held);
    if (signal.aborted) discard();
    else signal.addEventListener("abort", discard, { once: true });
  }

  async #readRequest(request: Request): Promise<Uint8Array | Response> {
    const deadline = this.#startDeadline("read request", undefined);
    const { maxBodyBytes: maxBytes } = this.#limits;
    try {
      return await this.#bodies.read(request, { maxBytes, signal: deadline.signal });
    } finally {
      deadline.stop();
    }
  }

  /**
   * Holds open the response to a message whose sender has no URL and that is not itself a reply.
   */
  async #holdResponse(
    message: AgentCommMessage,
    bytes: number,
  ): Promise<OpenedReply | undefined> {
    const { sender, correlationId } = message;
    const { replyWaitMs, capacity } = this.#limits;
    if (replyWaitMs === 0 || correlationId !== undefined) return undefined;
    const { selfContained, other } = this.#lookups;
    const release = (isSelfContained(sender) ? selfContained : other).take(partyOf(sender), bytes);
    if (typeof release === "string") {
      this.#reportDrop(tooManyHeld(sender, capacity));
      return undefined;
    }
    const deadline = this.#startDeadline(`find the URL of ${quote(sender)}`, undefined);
    try {
      const url = await abortable(this.#findUrl(sender), deadline.signal);
      if (url !== undefined || this.#held.has(message)) return undefined;
      const opened = this.#held.open(message);
      if (opened === undefined) this.#reportDrop(tooManyHeld(sender, capacity));
      return opened;
    } catch (error) {
      if (!this.#closed.signal.aborted) this.#report(error);
      return undefined;
    } finally {
      release();
      deadline.stop();
    }
  }

  #startDeadline(verb: string, signal: AbortSignal | undefined): Deadline {
    const { timeoutMs } = this.#limits;
    return startDeadline([this.#closed.signal, signal], {
      timeoutMs,
      reason: () => timedOut(verb, timeoutMs),
    });
  }

  async close(): Promise<void> {
    this.#closed.abort(transportClosed());
    this.#inbound.cancel();
    this.#responses.cancel();
    this.#held.closeAll();
    await Promise.all([this.#responses.settle(), ...this.#lastByRecipient.values()]);
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<AgentCommMessage> {
    return receiveAll(this);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

const REPLIES_TYPE = /^application\/x-ndjson\s*(?:;|$)/i;
