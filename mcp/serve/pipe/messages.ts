/**
 * Serves one client over a pipe. Requests are handled concurrently.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio stdio}
 * @module
 */

import { McpError, McpErrorCode } from "../../shared/error.ts";
import { RpcErrorCode } from "../../jsonrpc/error_codes.ts";
import {
  failure,
  isRequestId,
  isResponse,
  type McpRequestId,
  type RequestId,
  type RpcFailure,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from "../../jsonrpc/message.ts";
import type { Frame, MessageFrame } from "../../jsonrpc/read_frame.ts";
import { type Pipe, SENT } from "../../jsonrpc/contracts.ts";
import { Method, NotificationMethod } from "../../protocol/methods.ts";
import type { ClientDescription } from "../../protocol/client_description.ts";
import { detectRequestEra } from "../../protocol/request_era.ts";
import type { ServerCore } from "../../server/server_core.ts";
import type { Emit } from "../../server/exchange_context.ts";
import { encodeModern } from "../../server/encode_response.ts";
import type { OpenSession, ServerSession } from "../session_contract.ts";
import type { PipeSettings } from "./pipe_options.ts";
import { forEach } from "../../shared/bounded_queue.ts";
import { Semaphore } from "@parley/internal/semaphore";

/** Options for {@linkcode serveMessages}. */
export interface ServeMessagesOptions
  extends Pick<PipeSettings, "signal" | "maxConcurrent" | "maxQueued" | "drainTimeoutMs"> {
  /** Opens a session for a legacy client. */
  readonly openSession: OpenSession;
}

/**
 * Serves a pipe until its input ends, then waits for in-flight requests and closes the pipe.
 *
 * @throws {McpError} With code `core` if the pipe's buffer overflows because the client reads too
 * slowly. The pipe is closed, because a response has been lost.
 */
export async function serveMessages(
  server: ServerCore,
  pipe: Pipe,
  options: ServeMessagesOptions,
): Promise<void> {
  let resume = (): void => {};
  let overflow: unknown;
  const end = (reason: unknown): void => {
    resume();
    messageServer.end(reason);
    // Ends the iteration over `pipe.frames`. The `finally` block below closes the pipe again and
    // reports any error.
    pipe.close().catch(() => {});
  };
  const messageServer = new MessageServer(
    server,
    pipe,
    options,
    (error) => end(overflow ??= error),
  );
  const stop = (): void => end(options.signal?.reason);
  options.signal?.addEventListener("abort", stop, { once: true });
  try {
    if (options.signal?.aborted) return stop();
    await forEach(pipe.frames, (frame) => {
      const pending = messageServer.receive(frame);
      // `end()` must stop the loop even if the client does not read. `Promise.race()` would leak
      // memory for every frame.
      return pending && new Promise<void>((resolve, reject) => {
        resume = resolve;
        pending.then(resolve, reject);
        if (options.signal?.aborted) resolve();
      });
    });
    if (overflow !== undefined) throw overflow;
    await messageServer.drain();
  } finally {
    options.signal?.removeEventListener("abort", stop);
    messageServer.end(new DOMException("The connection was closed", "AbortError"));
    await pipe.close();
  }
}

type SendResponse = (message: RpcMessage) => MaybePending;

/** Destination for a response, and the counter of pending responses. */
interface ReplyRoute {
  readonly reply: SendResponse;
  readonly pending: PendingCounter;
}

/** A queued or running request. */
interface InflightRequest {
  readonly message: RpcRequest;
  readonly route: ReplyRoute;
  readonly controller: AbortController;
  /** Modern client that sent the request, or `undefined` if the session handles the request. */
  readonly client: ClientDescription | undefined;
}

/**
 * A promise to await before the next frame is read, or `undefined` if there is nothing to wait for.
 */
type MaybePending = Promise<void> | undefined;

class MessageServer {
  readonly #server: ServerCore;
  readonly #pipe: Pipe;
  readonly #options: ServeMessagesOptions;
  readonly #onOverflow: (error: unknown) => void;
  readonly #semaphore: Semaphore;
  readonly #inFlight = new Map<RequestId, AbortController>();
  /** In-flight `subscriptions/listen` requests. */
  readonly #subscriptionStreams = new Set<AbortController>();
  #session: ServerSession | undefined;
  #isOver = false;
  /** Operations that must complete before `serveMessages()` resolves. */
  readonly #pending = new PendingCounter();
  readonly #route: ReplyRoute = { reply: (message) => this.#send(message), pending: this.#pending };

  constructor(
    server: ServerCore,
    pipe: Pipe,
    options: ServeMessagesOptions,
    overflow: (error: unknown) => void,
  ) {
    const { maxConcurrent, maxQueued } = options;
    this.#server = server;
    this.#pipe = pipe;
    this.#options = options;
    this.#onOverflow = overflow;
    this.#semaphore = new Semaphore(maxConcurrent, maxQueued);
  }

  /** Handles a frame. Responses are sent as they become available, in any order. */
  receive(frame: Frame): MaybePending {
    if (this.#isOver) return undefined;
    if (frame.kind !== "batch") {
      return this.#receiveOne(frame, this.#route);
    }
    if (this.#session?.revision.hasBatches) return this.#receiveBatch(frame.frames);
    return this.#send(invalidRequest(null, "batches are not supported in this protocol version"));
  }

  /** Waits for in-flight requests, and aborts them after the drain timeout. */
  async drain(): Promise<void> {
    const { drainTimeoutMs } = this.#options;
    // After the end of the input, the client can no longer respond to server requests.
    this.#session?.close();
    const reason = new DOMException("The input has ended", "AbortError");
    for (const controller of this.#subscriptionStreams) controller.abort(reason);
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        this.#stop(
          new DOMException("The request timed out after the end of the input", "TimeoutError"),
        );
        resolve();
      }, drainTimeoutMs);
      this.#pending.whenDone(resolve);
    });
    clearTimeout(timer);
  }

  /** Aborts all in-flight requests and ignores further frames. */
  end(reason: unknown): void {
    this.#isOver = true;
    this.#stop(reason);
  }

  /** Aborts all in-flight requests and closes the session. */
  #stop(reason: unknown): void {
    this.#session?.close();
    for (const controller of this.#inFlight.values()) controller.abort(reason);
  }

  #receiveOne(frame: MessageFrame, route: ReplyRoute): MaybePending {
    switch (frame.kind) {
      case "request":
        return this.#receiveRequest(frame.message, route);
      case "notification":
        this.#onNotification(frame.message);
        return undefined;
      case "response":
        // Only clients accept deviations.
        if (frame.deviation === undefined) this.#session?.onResponse(frame.message);
        return undefined;
      case "invalid":
        if (frame.isResponse) return undefined;
        return route.reply(failure(frame.id, { code: frame.code, message: frame.reason }));
      default:
        return frame satisfies never;
    }
  }

  /** Handles a JSON-RPC batch. The responses are sent as one batch. */
  async #receiveBatch(frames: readonly MessageFrame[]): Promise<void> {
    const responses: RpcResponse[] = [];
    const reply = (message: RpcMessage): MaybePending => {
      if (!isResponse(message)) return this.#send(message);
      responses.push(message);
      return undefined;
    };
    const pending = new PendingCounter();
    for (const frame of frames) await this.#receiveOne(frame, { reply, pending });
    this.#pending.begin();
    pending.whenDone(() => {
      this.#post(responses);
      this.#pending.end();
    });
  }

  #receiveRequest(request: RpcRequest, route: ReplyRoute): MaybePending {
    const { id } = request;
    if (this.#inFlight.get(id) !== undefined) {
      return route.reply(invalidRequest(id, '"id" is already in use'));
    }
    const claim = detectRequestEra(request);
    switch (claim.era) {
      case "unclear":
        return route.reply(failure(id, claim.error));
      case "modern":
        return this.#enqueue(request, route, claim.client);
      case "legacy":
        this.#openSession();
        return this.#enqueue(request, route);
      default:
        return claim satisfies never;
    }
  }

  /** Returns the legacy session, which the first legacy request opens. */
  #openSession(): ServerSession {
    const push = (notification: RpcNotification): void => this.#post(notification);
    return this.#session ??= this.#options.openSession(this.#server, push);
  }

  /** Runs or queues a request. Responds with an error if the queue is full. */
  #enqueue(message: RpcRequest, route: ReplyRoute, client?: ClientDescription): MaybePending {
    const { id, method } = message;
    const controller = new AbortController();
    const slot = this.#semaphore.acquire(controller.signal);
    if (slot === undefined) return route.reply(internalError(id, "Too many requests are queued"));
    const request: InflightRequest = { message, route, controller, client };
    this.#inFlight.set(id, controller);
    if (method === Method.Listen) this.#subscriptionStreams.add(controller);
    route.pending.begin();
    if (slot === "acquired") this.#run(request);
    // A request that is cancelled while it is queued receives no response.
    else slot.then(() => this.#run(request), () => route.pending.end());
    return undefined;
  }

  #run(request: InflightRequest): void {
    const { message: { method }, route: { reply }, controller: { signal }, client } = request;
    // Once the request is cancelled, the only message still sent is the cancellation of a pending
    // server request.
    const emit = async (message: RpcMessage): Promise<boolean> => {
      await reply(message);
      return !signal.aborted;
    };
    try {
      this.#exchange(request, emit).then((response) => {
        const isLegacy = client === undefined;
        this.#respond(
          request,
          isLegacy ? response : encodeModern(response, method, this.#server.identity),
        );
      }, () => this.#fail(request));
    } catch {
      this.#fail(request);
    }
  }

  #exchange(
    { message, controller: { signal }, client }: InflightRequest,
    emit: Emit,
  ): Promise<RpcResponse> {
    return client === undefined
      ? this.#openSession().exchange(message, { signal, emit })
      : this.#server.exchange(message, { client, signal, emit });
  }

  /**
   * Responds to a request whose promise was rejected. The server core converts errors to responses.
   * Its promise rejects only if the request is aborted, in which case no response is sent.
   */
  #fail(request: InflightRequest): void {
    this.#respond(request, internalError(request.message.id, "Internal error"));
  }

  #respond({ message, route, controller }: InflightRequest, response: RpcResponse): void {
    this.#untrack(message.id, controller);
    // No response is sent to a cancelled request, even if the response is available.
    const sent = controller.signal.aborted ? undefined : route.reply(response);
    if (sent === undefined) this.#release(route);
    else sent.then(() => this.#release(route));
  }

  #release({ pending }: ReplyRoute): void {
    this.#semaphore.release();
    pending.end();
  }

  #onNotification({ method, params }: RpcNotification): void {
    if (method !== NotificationMethod.Cancelled || !isRequestId(params?.requestId)) return;
    const controller = this.#inFlight.get(params.requestId);
    if (controller === undefined) return;
    const reason = typeof params.reason === "string"
      ? params.reason
      : "The client cancelled the request";
    controller.abort(new DOMException(reason, "AbortError"));
    this.#untrack(params.requestId, controller);
  }

  /** Releases the id of a completed request, unless a newer request uses the same id. */
  #untrack(id: RequestId, controller: AbortController): void {
    if (this.#inFlight.get(id) === controller) this.#inFlight.delete(id);
    this.#subscriptionStreams.delete(controller);
  }

  /** Sends a message. The returned promise never rejects. */
  #send(message: RpcMessage | readonly RpcMessage[]): MaybePending {
    if (Array.isArray(message) && message.length === 0) return undefined;
    try {
      const sent = this.#pipe.send(message);
      return sent === SENT ? undefined : this.#awaitSent(message, sent);
    } catch (error) {
      this.#stop(error);
      return undefined;
    }
  }

  async #awaitSent(
    message: RpcMessage | readonly RpcMessage[],
    sent: Promise<void>,
  ): Promise<void> {
    try {
      await sent;
    } catch (error) {
      const code = error instanceof McpError ? error.code : undefined;
      if (code === McpErrorCode.Core) return this.#onOverflow(error);
      if (code !== McpErrorCode.SerializationError) return this.#stop(error);
      const id = "id" in message ? message.id : null;
      await this.#send(internalError(id, "The result cannot be serialized as JSON"));
    }
  }

  /** Sends a message without applying backpressure. `drain()` waits until the message is sent. */
  #post(message: RpcMessage | readonly RpcMessage[]): void {
    const sent = this.#send(message);
    if (sent === undefined) return;
    this.#pending.begin();
    sent.then(() => this.#pending.end());
  }
}

/** Counts pending operations. */
class PendingCounter {
  #running = 0;
  #done: (() => void) | undefined;

  begin(): void {
    this.#running++;
  }

  end(): void {
    if (--this.#running === 0) this.#done?.();
  }

  /**
   * Calls `done` once no operation is pending. If no operation is pending now, `done` is called
   * synchronously.
   */
  whenDone(done: () => void): void {
    this.#done = done;
    if (this.#running === 0) done();
  }
}

function invalidRequest(id: McpRequestId, fact: string): RpcFailure {
  return failure(id, { code: RpcErrorCode.InvalidRequest, message: `Invalid Request: ${fact}` });
}

function internalError(id: McpRequestId, message: string): RpcFailure {
  return failure(id, { code: RpcErrorCode.InternalError, message });
}
