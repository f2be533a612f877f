/**
 * Serves one client over a pipe: the same core, many exchanges interleaved on one channel.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio stdio}
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
import { Method, Notice } from "../../protocol/methods.ts";
import { readPeer } from "../../protocol/modern.ts";
import type { ServerCore } from "../../server/server_core.ts";
import { dressStateless } from "../../server/encode_response.ts";
import { LazySignal } from "../../server/lazy_signal.ts";
import type { HandshakeSession, OpenSession, SessionCall } from "../session_contract.ts";
import { forEach } from "../../shared/bounded_queue.ts";
import { Semaphore } from "../../shared/semaphore.ts";

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
  /** How long a client may take to answer a question in a session, in milliseconds. Default 10 minutes. */
  readonly askTimeoutMs?: number;
  /** How many resources a session may follow. Default 1000. */
  readonly maxSubscriptions?: number;
}

/** How a client on a pipe is served, of whatever era. */
export interface ServeLinesOptions extends ServePipeOptions {
  /** Serves clients that begin with a handshake. */
  readonly openSession: OpenSession;
}

/**
 * Serves a pipe until its input ends, then finishes what is under way and closes it.
 *
 * @throws {McpError} `core` when the client takes so little that more may not wait: it would miss an answer
 */
export async function serveLines(
  server: ServerCore,
  pipe: Pipe,
  options: ServeLinesOptions,
): Promise<void> {
  let goOn = (): void => {};
  let overflow: unknown;
  const end = (reason: unknown): void => {
    goOn();
    serving.end(reason);
    // Ends the frames; whether that went well shows below.
    pipe.close().catch(() => {});
  };
  const serving = new LineServing(server, pipe, options, (error) => end(overflow ??= error));
  const stop = (): void => end(options.signal?.reason);
  options.signal?.addEventListener("abort", stop, { once: true });
  try {
    if (options.signal?.aborted) return stop();
    await forEach(pipe.frames, (frame) => {
      const waited = serving.receive(frame);
      // A client that takes no answer must not keep the serving. A race would leave something behind each time.
      return waited && new Promise<void>((resolve, reject) => {
        goOn = resolve;
        waited.then(resolve, reject);
        if (options.signal?.aborted) resolve();
      });
    });
    if (overflow !== undefined) throw overflow;
    await serving.drain();
  } finally {
    options.signal?.removeEventListener("abort", stop);
    serving.end(new DOMException("The connection has ended", "AbortError"));
    await pipe.close();
  }
}

type Reply = (message: RpcMessage) => Waited;

/** How a request is answered, and who waits for that. */
interface Ways {
  readonly reply: Reply;
  readonly tasks: Tasks;
}

/** Answers one request; what comes of it may have to be dressed. */
interface Exchange {
  readonly start: (call: Required<Pick<SessionCall, "signal" | "emit">>) => Promise<RpcResponse>;
  readonly dress?: (response: RpcResponse) => RpcResponse;
}

/** A request that is being answered. */
interface Work {
  readonly id: RequestId;
  readonly signal: LazySignal;
  readonly ways: Ways;
  readonly exchange: Exchange;
}

/** What comes before the next frame, if anything does. */
type Waited = Promise<void> | undefined;

class LineServing {
  readonly #server: ServerCore;
  readonly #pipe: Pipe;
  readonly #options: ServeLinesOptions;
  readonly #overflow: (error: unknown) => void;
  readonly #semaphore: Semaphore;
  readonly #running = new Map<RequestId, LazySignal>();
  /** Those of them that last until somebody ends them. */
  readonly #listening = new Set<LazySignal>();
  #session: HandshakeSession | undefined;
  #isOver = false;
  /** What has to end before the serving does. */
  readonly #tasks = new Tasks();
  readonly #ways: Ways = { reply: (message) => this.#send(message), tasks: this.#tasks };

  constructor(
    server: ServerCore,
    pipe: Pipe,
    options: ServeLinesOptions,
    overflow: (error: unknown) => void,
  ) {
    const { maxConcurrent = 100, maxQueued = 1000 } = options;
    this.#server = server;
    this.#pipe = pipe;
    this.#options = options;
    this.#overflow = overflow;
    this.#semaphore = new Semaphore(maxConcurrent, maxQueued);
  }

  /** Takes one frame in. Requests are answered later, in any order. */
  receive(frame: Frame): Waited {
    if (this.#isOver) return undefined;
    if (frame.kind !== "batch") {
      return this.#receiveOne(frame, this.#ways);
    }
    if (this.#session?.revision.hasBatches) return this.#receiveBatch(frame.frames);
    return this.#send(invalidRequest(null, "batches are not part of this revision"));
  }

  /** Waits for the work that is under way, but not for ever. */
  async drain(): Promise<void> {
    const { drainMs = 2000 } = this.#options;
    // Nobody is left who could answer a question, or who wants news.
    this.#session?.close();
    const reason = new DOMException("The input has ended", "AbortError");
    for (const signal of this.#listening) signal.abort(reason);
    let late: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      late = setTimeout(() => {
        this.#stop(new DOMException("Too late", "TimeoutError"));
        resolve();
      }, drainMs);
      this.#tasks.whenDone(resolve);
    });
    clearTimeout(late);
  }

  /** Cancels everything that is under way, and begins nothing more. */
  end(reason: unknown): void {
    this.#isOver = true;
    this.#stop(reason);
  }

  /** Cancels everything that is under way. */
  #stop(reason: unknown): void {
    this.#session?.close();
    for (const signal of this.#running.values()) signal.abort(reason);
  }

  #receiveOne(frame: MessageFrame, ways: Ways): Waited {
    switch (frame.kind) {
      case "request":
        return this.#start(frame.message, ways);
      case "notification":
        this.#notice(frame.message);
        return undefined;
      case "response":
        this.#session?.answer(frame.message);
        return undefined;
      case "invalid":
        if (frame.isAnswer) return undefined;
        return ways.reply(failure(frame.id, { code: frame.code, message: frame.reason }));
      default:
        return frame satisfies never;
    }
  }

  /** Answers a batch by one batch, once everything in it is answered. */
  async #receiveBatch(frames: readonly MessageFrame[]): Promise<void> {
    const answers: RpcResponse[] = [];
    const reply = (message: RpcMessage): Waited => {
      if (!isResponse(message)) return this.#send(message);
      answers.push(message);
      return undefined;
    };
    const tasks = new Tasks();
    for (const frame of frames) await this.#receiveOne(frame, { reply, tasks });
    this.#tasks.begin();
    tasks.whenDone(() => {
      this.#post(answers);
      this.#tasks.end();
    });
  }

  #start(request: RpcRequest, ways: Ways): Waited {
    const { id, method, params } = request;
    if (this.#running.get(id) !== undefined) {
      return ways.reply(invalidRequest(id, "this id is under way"));
    }
    const claim = readPeer(params);
    switch (claim.kind) {
      case "invalid":
        return ways.reply(failure(id, claim.error));
      case "peer": {
        const { peer } = claim;
        return this.#work(request, ways, {
          start: ({ signal, emit }) => this.#server.exchange(request, { peer, signal, emit }),
          dress: (response) => dressStateless(response, method, this.#server.identity),
        });
      }
      case "none":
        return this.#inSession((session) =>
          this.#work(request, ways, { start: (call) => session.exchange(request, call) })
        );
      default:
        return claim satisfies never;
    }
  }

  /** Uses the session. What comes after the frame that opens it waits until it is open. */
  #inSession(use: (session: HandshakeSession) => Waited): Waited {
    if (this.#session !== undefined) return use(this.#session);
    const push = (news: RpcNotification): void => this.#post(news);
    return this.#options.openSession(this.#server, push).then((session) => {
      this.#session = session;
      if (!this.#isOver) return use(session);
      session.close();
      return undefined;
    });
  }

  /** Sets out to answer a request, unless too many wait already. */
  #work({ id, method }: RpcRequest, ways: Ways, exchange: Exchange): Waited {
    const signal = new LazySignal();
    const slot = this.#semaphore.acquire(signal);
    if (slot === undefined) return ways.reply(internalError(id, "Too many requests are waiting"));
    const work: Work = { id, signal, ways, exchange };
    this.#running.set(id, signal);
    if (method === Method.Listen) this.#listening.add(signal);
    ways.tasks.begin();
    if (slot === "acquired") this.#run(work);
    else slot.then(() => this.#run(work), () => this.#leave(work));
    return undefined;
  }

  #run(work: Work): void {
    const { signal, ways: { reply }, exchange } = work;
    // The core tells nothing of a request that is cancelled, but that its questions are not wanted any more.
    const emit = async (message: RpcMessage): Promise<boolean> => {
      await reply(message);
      return !signal.aborted;
    };
    // The core turns failures into responses: what is left is a cancellation, which has no answer.
    const fail = (): void => this.#answer(work, internalError(work.id, "Internal error"));
    try {
      exchange.start({ signal, emit }).then((response) => {
        this.#answer(work, exchange.dress?.(response) ?? response);
      }, fail);
    } catch {
      fail();
    }
  }

  #answer({ id, signal, ways: { reply, tasks } }: Work, response: RpcResponse): void {
    this.#forget(id, signal);
    const end = (): void => {
      this.#semaphore.release();
      tasks.end();
    };
    // A late cancellation wins over what is already there.
    const sent = signal.aborted ? undefined : reply(response);
    if (sent === undefined) end();
    else sent.then(end);
  }

  /** Nobody wants the answer to a request that has waited for a slot. */
  #leave({ id, signal, ways: { tasks } }: Work): void {
    this.#forget(id, signal);
    tasks.end();
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

  /** Sends a message; what comes of it, if it takes time, does not reject. */
  #send(message: RpcMessage | readonly RpcMessage[]): Waited {
    if (Array.isArray(message) && message.length === 0) return undefined;
    try {
      const sent = this.#pipe.send(message);
      return sent === SENT ? undefined : this.#sent(message, sent);
    } catch (error) {
      this.#stop(error);
      return undefined;
    }
  }

  async #sent(message: RpcMessage | readonly RpcMessage[], sent: Promise<void>): Promise<void> {
    try {
      await sent;
    } catch (error) {
      const code = error instanceof McpError ? error.code : undefined;
      if (code === McpErrorCode.Core) return this.#overflow(error);
      if (code !== McpErrorCode.SerializationError) return this.#stop(error);
      const id = "id" in message ? message.id : null;
      await this.#send(internalError(id, "The result is not JSON"));
    }
  }

  /** Sends what nobody waits for but the end of the serving. */
  #post(message: RpcMessage | readonly RpcMessage[]): void {
    const sent = this.#send(message);
    if (sent === undefined) return;
    this.#tasks.begin();
    sent.then(() => this.#tasks.end());
  }
}

/** Counts what is under way. */
class Tasks {
  #running = 0;
  #done: (() => void) | undefined;

  begin(): void {
    this.#running++;
  }

  end(): void {
    if (--this.#running === 0) this.#done?.();
  }

  /** Calls back once nothing is under way: at once, or later. */
  whenDone(done: () => void): void {
    this.#done = done;
    if (this.#running === 0) done();
  }
}

function invalidRequest(id: McpRequestId, fact: string): RpcFailure {
  return failure(id, { code: RpcErrorCode.InvalidRequest, message: `Invalid request: ${fact}` });
}

function internalError(id: McpRequestId, message: string): RpcFailure {
  return failure(id, { code: RpcErrorCode.InternalError, message });
}
