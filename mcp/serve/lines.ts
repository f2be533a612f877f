/**
 * Serves one client over a pipe: the same core, many exchanges interleaved on one channel.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio stdio}
 * @module
 */

import { McpError, McpErrorCode } from "../error.ts";
import { RpcErrorCode } from "../rpc/codes.ts";
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
} from "../rpc/message.ts";
import type { Frame, MessageFrame } from "../rpc/parse.ts";
import type { Pipe } from "../rpc/transport.ts";
import { Method, Notice } from "../protocol/methods.ts";
import { readPeer } from "../protocol/stateless.ts";
import type { Peer } from "../protocol/peer.ts";
import type { ServerCore } from "../server/core.ts";
import { dressStateless } from "../server/dress.ts";
import { LazySignal } from "../server/lazy_signal.ts";
import type { HandshakeSession, OpenSession, SessionCall } from "./session.ts";
import { Slots } from "../stream/slots.ts";

/** How a client on a pipe is served. */
export interface ServePipeOptions {
  /** Ends the serving when it aborts. */
  readonly signal?: AbortSignal;
  /** How many requests are worked on at once; others wait. Default 100. */
  readonly maxConcurrent?: number;
  /** How many requests may wait; others are refused. Default 1000. */
  readonly maxQueued?: number;
  /** How long work goes on after the end of the input, in milliseconds. Default 2000. */
  readonly drainMs?: number;
}

/** How a client on a pipe is served, of whatever era. */
export interface ServeLinesOptions extends ServePipeOptions {
  /** Serves clients that begin with a handshake. */
  readonly openSession: OpenSession;
}

/** Serves a pipe until its input ends, then finishes what is under way and closes it. */
export async function serveLines(
  server: ServerCore,
  pipe: Pipe,
  options: ServeLinesOptions,
): Promise<void> {
  const serving = new LineServing(server, pipe, options);
  const stop = (): void => {
    serving.stop(options.signal?.reason);
    // Ends the frames; whether that went well shows below.
    pipe.close().catch(() => {});
  };
  options.signal?.addEventListener("abort", stop, { once: true });
  try {
    if (options.signal?.aborted) return stop();
    for await (const frame of pipe.frames) await serving.receive(frame);
    await serving.drain();
  } finally {
    options.signal?.removeEventListener("abort", stop);
    serving.stop(new DOMException("The connection has ended", "AbortError"));
    await pipe.close();
  }
}

type Reply = (message: RpcMessage) => Promise<void>;

/** Answers one request. */
type Exchange = (call: SessionCall) => Promise<RpcResponse>;

class LineServing {
  readonly #server: ServerCore;
  readonly #pipe: Pipe;
  readonly #options: ServeLinesOptions;
  readonly #slots: Slots;
  readonly #running = new Map<RequestId, LazySignal>();
  /** Those of them that last until somebody ends them. */
  readonly #listening = new Set<LazySignal>();
  readonly #tasks = new Set<Promise<void>>();
  #session: HandshakeSession | undefined;

  constructor(server: ServerCore, pipe: Pipe, options: ServeLinesOptions) {
    const { maxConcurrent = 100, maxQueued = 1000 } = options;
    this.#server = server;
    this.#pipe = pipe;
    this.#options = options;
    this.#slots = new Slots(maxConcurrent, maxQueued);
  }

  /** Takes one frame in. Requests are answered later, in any order. */
  async receive(frame: Frame): Promise<void> {
    if (frame.kind !== "batch") return await this.#receiveOne(frame, this.#send);
    if (this.#session?.revision.hasBatches) return await this.#receiveBatch(frame.frames);
    await this.#send(invalidRequest(null, "batches are not part of this revision"));
  }

  /** Waits for the work that is under way, but not for ever. */
  async drain(): Promise<void> {
    const { drainMs = 2000 } = this.#options;
    // Nobody is left who could answer a question, or who wants news.
    this.#session?.close();
    const reason = new DOMException("The input has ended", "AbortError");
    for (const signal of this.#listening) signal.abort(reason);
    const late = setTimeout(() => this.stop(new DOMException("Too late", "TimeoutError")), drainMs);
    while (this.#tasks.size > 0) await Promise.allSettled(this.#tasks);
    clearTimeout(late);
  }

  /** Cancels everything that is under way. */
  stop(reason: unknown): void {
    this.#session?.close();
    for (const signal of this.#running.values()) signal.abort(reason);
  }

  async #receiveOne(frame: MessageFrame, reply: Reply): Promise<void> {
    switch (frame.kind) {
      case "request":
        return await this.#start(frame.message, reply);
      case "notification":
        return this.#notice(frame.message);
      case "response":
        return this.#session?.answer(frame.message);
      case "invalid":
        if (frame.isAnswer) return;
        return await reply(failure(frame.id, { code: frame.code, message: frame.reason }));
      default:
        frame satisfies never;
    }
  }

  /** Answers a batch by one batch, once everything in it is answered. */
  async #receiveBatch(frames: readonly MessageFrame[]): Promise<void> {
    const answers: RpcResponse[] = [];
    const collect = (message: RpcMessage): Promise<void> => {
      if (!isResponse(message)) return this.#send(message);
      answers.push(message);
      return Promise.resolve();
    };
    const before = new Set(this.#tasks);
    for (const frame of frames) await this.#receiveOne(frame, collect);
    const own = [...this.#tasks].filter((task) => !before.has(task));
    this.#keep(Promise.all(own).then(() => this.#send(answers)));
  }

  async #start(request: RpcRequest, reply: Reply): Promise<void> {
    const { id, params } = request;
    if (this.#running.has(id)) return await reply(invalidRequest(id, "this id is under way"));
    const claim = readPeer(params);
    if (claim.kind === "invalid") return await reply(failure(id, claim.error));
    const exchange = claim.kind === "peer"
      ? this.#stateless(request, claim.peer)
      : await this.#inSession(request);
    const slot = this.#slots.take();
    if (slot === undefined) return await reply(internalError(id, "Too many requests are waiting"));
    const signal = new LazySignal();
    this.#running.set(id, signal);
    if (request.method === Method.Listen) this.#listening.add(signal);
    this.#keep(this.#run(id, signal, reply, async (call) => {
      if (slot !== "taken") await slot;
      return await exchange(call);
    }));
  }

  #stateless(request: RpcRequest, peer: Peer): Exchange {
    const { identity } = this.#server;
    return async (call) =>
      dressStateless(
        await this.#server.exchange(request, { ...call, peer }),
        request.method,
        identity,
      );
  }

  async #inSession(request: RpcRequest): Promise<Exchange> {
    const session = this.#session ??= await this.#options.openSession(
      this.#server,
      (news) => this.#keep(this.#send(news)),
    );
    return (call) => session.exchange(request, call);
  }

  async #run(
    id: RequestId,
    signal: LazySignal,
    reply: Reply,
    exchange: Exchange,
  ): Promise<void> {
    const emit = async (message: RpcMessage): Promise<boolean> => {
      if (!signal.aborted) await reply(message);
      return !signal.aborted;
    };
    try {
      const response = await exchange({ signal, emit });
      this.#forget(id, signal);
      // A late cancellation wins over what is already there.
      if (!signal.aborted) await reply(response);
    } catch {
      // The core turns failures into responses: what is left is a cancellation, which has no answer.
      if (!signal.aborted) await reply(internalError(id, "Internal error"));
    } finally {
      this.#forget(id, signal);
      this.#slots.give();
    }
  }

  #notice({ method, params }: RpcNotification): void {
    if (method !== Notice.Cancelled || !isRequestId(params?.requestId)) return;
    const signal = this.#running.get(params.requestId);
    if (signal === undefined) return;
    const reason = typeof params.reason === "string" ? params.reason : "The client cancelled it";
    signal.abort(new DOMException(reason, "AbortError"));
    this.#forget(params.requestId, signal);
  }

  /** Frees the id of a request that is over, unless another request has it by now. */
  #forget(id: RequestId, signal: LazySignal): void {
    if (this.#running.get(id) === signal) this.#running.delete(id);
    this.#listening.delete(signal);
  }

  readonly #send = async (message: RpcMessage | readonly RpcMessage[]): Promise<void> => {
    if (Array.isArray(message) && message.length === 0) return;
    try {
      await this.#pipe.send(message);
    } catch (error) {
      if (!(error instanceof McpError) || error.code !== McpErrorCode.SerializationError) {
        return this.stop(error);
      }
      const id = "id" in message ? message.id : null;
      await this.#pipe.send(internalError(id, "The result is not JSON"));
    }
  };

  #keep(task: Promise<void>): void {
    const end = (): void => void this.#tasks.delete(task);
    this.#tasks.add(task);
    task.then(end, (error) => {
      end();
      this.stop(error);
    });
  }
}

function invalidRequest(id: McpRequestId, fact: string): RpcFailure {
  return failure(id, { code: RpcErrorCode.InvalidRequest, message: `Invalid request: ${fact}` });
}

function internalError(id: McpRequestId, message: string): RpcFailure {
  return failure(id, { code: RpcErrorCode.InternalError, message });
}
