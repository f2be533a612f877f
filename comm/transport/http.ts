/**
 * A transport over HTTP: each message is sent in its own POST request.
 *
 * @module
 */

import type { AgentCommMessage } from "../message/message.ts";
import { abortable } from "@parley/internal/abortable";
import { type Deadline, startDeadline } from "../shared/deadline.ts";
import {
  capacityExceeded,
  CommError,
  sendFailed,
  timedOut,
  transportClosed,
} from "../shared/error.ts";
import { formatValue, quote } from "@parley/internal/format-value";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { readBody } from "../shared/read_body.ts";
import { readSignal } from "@parley/internal/read-signal";
import { readLines } from "./http_lines.ts";
import { type HttpEndpointOptions, type HttpLimits, readOptions } from "./http_options.ts";
import { HeldReplies } from "./http_replies.ts";
import { readMessage, writeMessage } from "./message_codec.ts";
import { BoundedQueue } from "@parley/internal/bounded-queue";
import { type MessageTransport, receiveAll, type TransportOptions } from "./transport.ts";

/** A transport over HTTP, and the handler that receives its messages. */
export interface HttpEndpoint {
  /**
   * Sends messages with POST requests, and receives the messages that arrive at `handler` and in
   * responses. Messages to the same recipient are sent sequentially.
   */
  readonly transport: MessageTransport;
  /**
   * Handles a request. A POST request with one message receives status 202. Other statuses: 400 for
   * an invalid message, 405 for a method other than POST, 408 for a body that does not arrive in
   * time, 413 for a body that is too large, 415 for a content type other than `application/json`,
   * and 503 if the queue is full or the transport is closed.
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
 * (`application/x-ndjson`). The response ends after the first reply whose type is not `update`.
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

class HttpTransport implements MessageTransport {
  readonly #urlOf: HttpEndpointOptions["urlOf"];
  readonly #fetch: typeof fetch;
  readonly #report: (error: unknown) => void;
  readonly #limits: HttpLimits;
  readonly #inbound: BoundedQueue<Uint8Array | CommError, CommError>;
  readonly #held: HeldReplies;
  /** Aborted when the transport is closed; the abort reason is the error for later calls. */
  readonly #closed = new AbortController();
  readonly #reading = new Set<Promise<void>>();
  /** Pending send operation for the last message to each recipient. */
  readonly #lastByRecipient = new Map<string, Promise<void>>();
  #sending = 0;
  #sendingBytes = 0;

  constructor(options: HttpEndpointOptions) {
    const { urlOf, fetch = globalThis.fetch, onError, ...limits } = readOptions(options);
    const { capacity, maxQueuedBytes, replyWaitMs } = limits;
    this.#urlOf = urlOf;
    this.#fetch = fetch;
    this.#report = createErrorReporter("httpEndpoint", onError);
    this.#limits = limits;
    this.#held = new HeldReplies({ waitMs: replyWaitMs, capacity, maxBytes: maxQueuedBytes });
    this.#inbound = new BoundedQueue({
      capacity,
      maxBytes: maxQueuedBytes,
      sizeOf: (item) => item instanceof Uint8Array ? item.length : 0,
    });
  }

  async send(message: AgentCommMessage, options?: TransportOptions): Promise<void> {
    const signal = readSignal(options);
    signal?.throwIfAborted();
    this.#closed.signal.throwIfAborted();
    const { maxBodyBytes, capacity, maxQueuedBytes } = this.#limits;
    const text = writeMessage(message, maxBodyBytes);
    const isOverBytes = this.#sending > 0 && this.#sendingBytes + text.length > maxQueuedBytes;
    if (this.#sending >= capacity || isOverBytes) throw capacityExceeded(capacity, maxQueuedBytes);
    const deadline = this.#startDeadline(`send message to ${quote(message.recipient)}`, signal);
    this.#sending++;
    this.#sendingBytes += text.length;
    try {
      await this.#sendText(message, text, deadline.signal);
    } finally {
      deadline.stop();
      this.#sending--;
      this.#sendingBytes -= text.length;
    }
  }

  /** Posts a message, or writes it to the response that is held for its recipient. */
  async #sendText(message: AgentCommMessage, text: string, signal: AbortSignal): Promise<void> {
    const { recipient } = message;
    await this.#inOrder(recipient, signal, async () => {
      const url = await abortable(this.#findUrl(recipient), signal);
      if (url !== undefined) return await this.#post(url, text, signal);
      if (!this.#held.deliver(message, text)) {
        throw sendFailed(`recipient ${quote(recipient)} has no URL and is not waiting for a reply`);
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

  async #post(url: URL, body: string, signal: AbortSignal): Promise<void> {
    const response = await this.#request(url, body, signal);
    const { capacity } = this.#limits;
    const hasReplies = response.ok &&
      REPLIES_TYPE.test(response.headers.get("content-type") ?? "");
    if (hasReplies && this.#reading.size < capacity) {
      const reading = this.#readReplies(response).finally(() => this.#reading.delete(reading));
      this.#reading.add(reading);
      return;
    }
    await response.body?.cancel();
    if (!response.ok) throw sendFailed(`server returned HTTP status ${response.status}`);
    if (hasReplies) this.#report(tooManyResponses(capacity));
  }

  async #request(url: URL, body: string, signal: AbortSignal): Promise<Response> {
    try {
      const fetched = this.#fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/x-ndjson" },
        body,
        // A redirect could lead to a server that `urlOf` did not return.
        redirect: "manual",
        signal,
      });
      return await abortable(fetched, signal);
    } catch (cause) {
      signal.throwIfAborted();
      const { origin, pathname } = url;
      // A query can contain a secret.
      const reason = innermostMessage(cause).replaceAll(url.href, `${origin}${pathname}`);
      throw sendFailed(`HTTP request to ${quote(`${origin}${pathname}`)} failed: ${reason}`, {
        cause,
      });
    }
  }

  /** Queues the replies in a response. The returned promise never rejects. */
  async #readReplies(response: Response): Promise<void> {
    const { replyTimeoutMs: timeoutMs, maxBodyBytes: maxBytes } = this.#limits;
    const deadline = startDeadline([this.#closed.signal], {
      timeoutMs,
      reason: () => timedOut("read replies", timeoutMs),
    });
    const { signal } = deadline;
    try {
      for await (const line of readLines(response.body, { maxBytes, signal })) {
        const item = line instanceof Uint8Array ? line.slice() : line;
        // If the queue is full, the response is not read, so the server waits.
        if (this.#inbound.tryPush(item) === "full") await this.#inbound.waitToPush(item, signal);
      }
    } catch (error) {
      if (!this.#closed.signal.aborted) this.#report(error);
    } finally {
      deadline.stop();
    }
  }

  async receive(options?: TransportOptions): Promise<AgentCommMessage | undefined> {
    const signal = readSignal(options);
    signal?.throwIfAborted();
    const item = this.#inbound.tryShift() ?? await this.#inbound.waitToShift(signal);
    const message = item instanceof Uint8Array
      ? readMessage(item, this.#limits.maxBodyBytes)
      : item;
    if (message instanceof CommError) throw message;
    return message;
  }

  /** Handles a request to the endpoint. */
  async handle(request: Request): Promise<Response> {
    if (request.method !== "POST") {
      return respond(405, "Method not allowed", { allow: "POST" });
    }
    if (!MESSAGE_TYPE.test(request.headers.get("content-type") ?? "")) {
      return respond(415, "Unsupported media type: expected application/json");
    }
    if (this.#closed.signal.aborted) return respond(503, "Service unavailable: closed");
    const body = await this.#readRequest(request);
    if (body instanceof Response) return body;
    const message = readMessage(body, this.#limits.maxBodyBytes);
    if (message instanceof CommError) return respond(400, `Bad request: ${message.message}`);
    // Hold the response open before queuing the message, because a reply can follow immediately.
    const replies = await this.#holdResponse(message);
    if (this.#inbound.tryPush(body) !== undefined) {
      if (replies !== undefined) this.#held.release(message);
      return respond(503, "Service unavailable: queue is full", { "retry-after": "1" });
    }
    const headers: HeadersInit = replies === undefined
      ? {}
      : { "content-type": "application/x-ndjson", "cache-control": "no-store" };
    return new Response(replies ?? null, { status: 202, headers });
  }

  async #readRequest(request: Request): Promise<Uint8Array | Response> {
    const { maxBodyBytes: maxBytes } = this.#limits;
    const tooLarge = `Payload too large: maximum is ${maxBytes} bytes`;
    if (Number(request.headers.get("content-length") ?? 0) > maxBytes) {
      return respond(413, tooLarge);
    }
    const deadline = this.#startDeadline("read request", undefined);
    try {
      const body = await readBody(request.body, { maxBytes, signal: deadline.signal });
      return body ?? respond(413, tooLarge);
    } catch {
      // The body did not arrive in time, or the client has disconnected and will not read a
      // response.
      return deadline.signal.aborted
        ? respond(408, "Request timeout")
        : respond(400, "Bad request: incomplete body");
    } finally {
      deadline.stop();
    }
  }

  /**
   * Holds open the response to a message whose sender has no URL and that is not itself a reply.
   */
  async #holdResponse(
    message: AgentCommMessage,
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>> | undefined> {
    const { sender, correlationId } = message;
    if (this.#limits.replyWaitMs === 0 || correlationId !== undefined) return undefined;
    const deadline = this.#startDeadline(`find the URL of ${quote(sender)}`, undefined);
    try {
      const url = await abortable(this.#findUrl(sender), deadline.signal);
      return url === undefined ? this.#held.open(message) : undefined;
    } catch (error) {
      if (!this.#closed.signal.aborted) this.#report(error);
      return undefined;
    } finally {
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
    this.#held.closeAll();
    await Promise.all([...this.#reading, ...this.#lastByRecipient.values()]);
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<AgentCommMessage> {
    return receiveAll(this);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

const MESSAGE_TYPE = /^application\/json\s*(?:;|$)/i;
const REPLIES_TYPE = /^application\/x-ndjson\s*(?:;|$)/i;

function tooManyResponses(capacity: number): CommError {
  return new CommError({
    code: "capacity_exceeded",
    details: { capacity },
    message: `Cannot read replies: ${capacity} responses are already being read`,
  });
}

function respond(status: number, text: string, headers: HeadersInit = {}): Response {
  return new Response(text, { status, headers });
}

/** Maximum number of nested causes to follow. */
const MAX_CAUSES = 10;

/**
 * Returns the message of the innermost cause, which names the failure: `fetch` itself only reports
 * that it failed.
 */
function innermostMessage(error: unknown): string {
  let innermost = error;
  for (let depth = 0; depth < MAX_CAUSES; depth++) {
    if (!(innermost instanceof Error) || !(innermost.cause instanceof Error)) break;
    innermost = innermost.cause;
  }
  return innermost instanceof Error ? innermost.message || innermost.name : String(innermost);
}
