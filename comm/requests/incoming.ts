/**
 * Requests that other agents have sent to this agent.
 *
 * @module
 */

import type { AgentCommMessage } from "../message/message.ts";
import { formatMessage } from "../message/message_json.ts";
import { abortable } from "@parley/internal/abortable";
import { Quota } from "@parley/internal/quota";
import { startDeadline } from "@parley/internal/deadline";
import { type CommError, timedOut } from "../shared/error.ts";
import type { JsonValue } from "../shared/json.ts";
import type { Reservation } from "../signing/replay_store.ts";
import { ownerOf } from "../shared/party.ts";
import { ERROR, RESPONSE, UPDATE } from "./message_types.ts";
import { PeerError, toErrorPayload } from "./peer_error.ts";

/** A verified request. */
export interface PeerRequest {
  /** DID of the requester. */
  readonly sender: string;
  /** Message type of the request. */
  readonly messageType: string;
  /** Payload of the request, deeply frozen. */
  readonly payload: JsonValue;
  /** The message that contains the request. */
  readonly message: AgentCommMessage;
}

/** Context of a call to a {@linkcode PeerHandler}. */
export interface PeerContext {
  /**
   * Aborts when the requester cancels the request, the transport ends or the peer is closed. The
   * reason is an `AbortError` if the requester cancels the request, and otherwise a `CommError`.
   */
  readonly signal: AbortSignal;
  /**
   * Sends an interim result to the requester, which restarts the requester's timeout.
   *
   * @param payload Any JSON value.
   * @throws {CommError} With the transport's error code if the update cannot be sent, or with code
   *   "timeout" if the transport does not accept the update within `sendTimeoutMs`.
   * @throws {TypeError} If the handler has already returned.
   * @throws The signal's reason if `signal` is aborted.
   */
  update(payload: JsonValue): Promise<void>;
}

/**
 * Handles a request. The JSON value that the handler returns is the response. To inform the
 * requester of a failure, throw a `PeerError`. If the handler throws an error that is not a
 * `PeerError`, the requester receives the code `internal_error`, and the error is reported to the
 * peer's `onError`.
 */
export type PeerHandler = (
  request: PeerRequest,
  context: PeerContext,
) => JsonValue | Promise<JsonValue>;

/** Options for {@linkcode IncomingRequests}. */
export interface IncomingInit {
  readonly maxServing: number;
  readonly maxServingPerSender: number;
  readonly maxServingBytes: number;
  /** Timeout for a call to the replay store, in milliseconds. */
  readonly storeTimeoutMs: number;
  /** Called with each request that receives no further reply. */
  readonly onEnd: (message: AgentCommMessage) => void;
  /** Signs and sends a message within the peer's send timeout. */
  readonly send: (message: AgentCommMessage, signal?: AbortSignal) => Promise<void>;
  readonly report: (error: unknown) => void;
}

const BUSY = new PeerError("busy", "Too many requests in progress");
const INTERNAL = new PeerError("internal_error", "Internal error");
const NOT_SERVING = new PeerError("not_serving", "This agent does not serve requests");

/** Maximum share of `maxServingBytes` per sender. */
const BYTES_SHARE = 1 / 2;

/** The requests that a peer is serving. */
export class IncomingRequests {
  readonly #init: IncomingInit;
  /** The set contains at most `maxServing` requests, so searching the set is fast. */
  readonly #serving = new Set<ServedRequest>();
  /** Rejections that are being sent. */
  readonly #rejections: Quota;
  #isEnded = false;
  /** The handler of requests, or `undefined` until `serve` is called. */
  handler: PeerHandler | undefined;

  constructor(init: IncomingInit) {
    const { maxServing, maxServingPerSender } = init;
    this.#init = init;
    this.#rejections = new Quota(maxServing, (maxServingPerSender + 0.5) / maxServing);
  }

  /** Whether a request with the same sender and id is in progress. */
  has({ sender, id }: AgentCommMessage): boolean {
    return this.#find(sender, id) !== undefined;
  }

  /**
   * Starts serving a verified request, or rejects the request. A rejected request is released from
   * the replay store before the rejection is sent, so that the requester can send the same message
   * again.
   */
  async accept(
    message: AgentCommMessage,
    reservation: Reservation,
    signal: AbortSignal,
  ): Promise<void> {
    const { handler } = this;
    const bytes = formatMessage(message).length;
    const rejection = handler === undefined ? NOT_SERVING : this.#findExcess(message, bytes);
    if (handler === undefined || rejection !== undefined || this.#isEnded) {
      await abortable(reservation.abort(), signal);
      if (rejection === undefined) this.#init.onEnd(message);
      else this.#rejectAndEnd(message, rejection);
      return;
    }
    const served = new ServedRequest(message, { bytes, reservation });
    this.#serving.add(served);
    served.finished = this.#serve(served, handler).finally(() => {
      this.#serving.delete(served);
      this.#init.onEnd(message);
    });
  }

  /** Handles a verified `cancel` message. Only the requester can cancel its request. */
  cancel({ correlationId = "", sender }: AgentCommMessage): void {
    this.#find(sender, correlationId)?.cancel();
  }

  /** Whether a `cancel` message refers to a request in progress. */
  isCancellable({ correlationId = "", sender }: AgentCommMessage): boolean {
    return this.#find(sender, correlationId) !== undefined;
  }

  #find(sender: string, id: string): ServedRequest | undefined {
    for (const served of this.#serving) {
      const { message, isReleased } = served;
      if (message.id === id && message.sender === sender && !isReleased) return served;
    }
    return undefined;
  }

  /** Aborts all handlers; their responses are not sent. */
  end(error: CommError): void {
    this.#isEnded = true;
    for (const served of this.#serving) served.controller.abort(error);
  }

  /** Waits until all handlers have returned. */
  async settle(): Promise<void> {
    await Promise.all(Array.from(this.#serving, ({ finished }) => finished));
  }

  /**
   * Returns the error `busy` if serving the request would exceed a limit; otherwise, returns
   * `undefined`.
   */
  #findExcess({ sender }: AgentCommMessage, bytes: number): PeerError | undefined {
    const { maxServing, maxServingPerSender, maxServingBytes } = this.#init;
    const all = [...this.#serving];
    if (all.length === 0) return undefined;
    const owner = ownerOf(sender);
    const ofOwner = all.filter(({ message }) => ownerOf(message.sender) === owner);
    const isWithin = all.length < maxServing && ofOwner.length < maxServingPerSender &&
      sizeOf(all) + bytes <= maxServingBytes &&
      (ofOwner.length === 0 || sizeOf(ofOwner) + bytes <= maxServingBytes * BYTES_SHARE);
    return isWithin ? undefined : BUSY;
  }

  /**
   * Sends a rejection and ends the request. Receiving does not wait for the rejection to be sent:
   * otherwise, two peers that wait for each other would never read.
   */
  async #rejectAndEnd(message: AgentCommMessage, error: PeerError): Promise<void> {
    await this.#reject(message, error);
    this.#init.onEnd(message);
  }

  /**
   * Sends a rejection. At most `maxServing` rejections are sent concurrently, and at most
   * `maxServingPerSender` to the requesters of one owner.
   */
  async #reject(message: AgentCommMessage, error: PeerError): Promise<void> {
    const { send, report } = this.#init;
    const owner = ownerOf(message.sender);
    if (!this.#rejections.has(1, owner)) {
      report(new Error("Cannot reject request: too many rejections are waiting to be sent"));
      return;
    }
    this.#rejections.take(1, owner);
    try {
      await send(message.reply(ERROR, toErrorPayload(error)));
    } catch (failure) {
      if (!this.#isEnded) report(failure);
    } finally {
      this.#rejections.take(-1, owner);
    }
  }

  /**
   * Calls the handler, settles the replay store and sends the reply. The returned promise never
   * rejects.
   */
  async #serve(served: ServedRequest, handler: PeerHandler): Promise<void> {
    const { report, send } = this.#init;
    const outcome = await this.#call(served, handler);
    await this.#settleStore(served, outcome.isFinal || served.isCancelled);
    const { signal } = served.controller;
    if (signal.aborted) return;
    try {
      await served.inOrder(() => send(outcome.reply, signal));
    } catch (error) {
      if (signal.aborted) return;
      report(error);
      await this.#reject(served.message, INTERNAL);
    }
  }

  /**
   * Commits or releases the request in the replay store. If the store does not respond in time, the
   * reply is sent nevertheless, because the handler has finished. Never rejects.
   */
  async #settleStore(served: ServedRequest, isFinal: boolean): Promise<void> {
    const { report, storeTimeoutMs } = this.#init;
    const verb = isFinal ? "commit request in replay store" : "release request in replay store";
    const deadline = startDeadline([], {
      timeoutMs: storeTimeoutMs,
      reason: () => timedOut(verb, storeTimeoutMs),
    });
    try {
      const settled = isFinal ? served.reservation.commit() : served.release();
      await abortable(settled, deadline.signal);
    } catch (error) {
      report(error);
    } finally {
      deadline.stop();
    }
  }

  async #call(served: ServedRequest, handler: PeerHandler): Promise<Outcome> {
    const { message, controller: { signal } } = served;
    const { sender, messageType, payload } = message;
    const update = (update: JsonValue): Promise<void> => {
      const sending = this.#sendUpdate(served, update);
      // A handler that does not await its update must not cause an unhandled rejection when the
      // requester cancels. If the connection fails, sending the response fails too.
      sending.catch(() => {});
      return sending;
    };
    try {
      const request = { sender, messageType, payload, message };
      return { isFinal: true, reply: await callHandler(handler, request, { signal, update }) };
    } catch (error) {
      // An error that the handler throws after an abort is a consequence of the abort.
      if (!signal.aborted) this.#init.report(error);
      return { isFinal: false, reply: message.reply(ERROR, toErrorPayload(INTERNAL)) };
    } finally {
      served.hasReturned = true;
    }
  }

  async #sendUpdate(served: ServedRequest, payload: JsonValue): Promise<void> {
    if (served.hasReturned) {
      throw new TypeError("Cannot send update: the handler has already returned");
    }
    const { signal } = served.controller;
    signal.throwIfAborted();
    const update = served.message.reply(UPDATE, payload);
    await served.inOrder(() => this.#init.send(update, signal));
  }
}

/** Returns the total size of requests. */
function sizeOf(requests: readonly ServedRequest[]): number {
  return requests.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** The result of a handler. */
interface Outcome {
  /**
   * Whether the handler has returned a response or thrown a `PeerError`. If the handler throws an
   * error that is not a `PeerError`, the request can be delivered again.
   */
  readonly isFinal: boolean;
  readonly reply: AgentCommMessage;
}

/**
 * Calls a handler. Returns a `response` message with the handler's result, or an `error` message
 * for its `PeerError`.
 */
async function callHandler(
  handler: PeerHandler,
  request: PeerRequest,
  context: PeerContext,
): Promise<AgentCommMessage> {
  const { message } = request;
  try {
    return message.reply(RESPONSE, await handler(request, context));
  } catch (error) {
    if (error instanceof PeerError) return message.reply(ERROR, toErrorPayload(error));
    throw error;
  }
}

/** A request whose handler is running, or whose reply is being sent. */
class ServedRequest {
  readonly message: AgentCommMessage;
  readonly bytes: number;
  readonly reservation: Reservation;
  readonly controller = new AbortController();
  finished: Promise<void> = Promise.resolve();
  hasReturned = false;
  isCancelled = false;
  /** Whether the message can be served again because the handler crashed. */
  isReleased = false;
  #sending: Promise<void> = Promise.resolve();

  constructor(
    message: AgentCommMessage,
    { bytes, reservation }: { readonly bytes: number; readonly reservation: Reservation },
  ) {
    this.message = message;
    this.bytes = bytes;
    this.reservation = reservation;
  }

  cancel(): void {
    this.isCancelled = true;
    this.controller.abort();
  }

  async release(): Promise<void> {
    await this.reservation.abort();
    this.isReleased = true;
  }

  /**
   * Sends updates and the reply sequentially, because signing can take a different amount of time
   * for each message.
   */
  inOrder(send: () => Promise<void>): Promise<void> {
    const sent = this.#sending.then(send);
    this.#sending = sent.catch(() => {});
    return sent;
  }
}
