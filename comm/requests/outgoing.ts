/**
 * Requests that this agent has sent, and their replies.
 *
 * @module
 */

import { AgentCommMessage } from "../message/message.ts";
import type { CommError } from "../shared/error.ts";
import { formatMessage } from "../message/message_json.ts";
import { formatValue } from "@parley/internal/format-value";
import { ItemQuota } from "../shared/item_quota.ts";
import { replayDetected } from "../signing/verify_error.ts";
import type { JsonValue } from "../shared/json.ts";
import {
  assertObject,
  assertOptionalFunction,
  assertOptionalSignal,
  assertPositiveNumber,
} from "@parley/internal/assert-argument";
import { assertNames, namesOf, type Settings } from "@parley/internal/options";
import { settlesWithin } from "../transport/message_codec.ts";
import { CANCEL, ERROR, isReservedType, REQUEST, RESPONSE, UPDATE } from "./message_types.ts";
import { readErrorPayload, tooManyRequests } from "./peer_error.ts";
import { PendingRequest } from "./pending_request.ts";

/** Options for a single request. */
export interface PeerRequestOptions {
  /** Aborts the request. The recipient of an aborted request receives a `cancel` message. */
  readonly signal?: AbortSignal;
  /**
   * Maximum time without a reply, in milliseconds. Each update restarts the timer.
   *
   * @default {60_000}
   */
  readonly timeoutMs?: number;
  /**
   * Maximum duration of the request, in milliseconds, including all updates.
   *
   * @default {600_000}
   */
  readonly maxTotalMs?: number;
  /**
   * Called with the payload of each update, in order. While the promise that the function returns
   * is pending, further updates wait, within the peer's limits `maxQueuedUpdates` and
   * `maxQueuedUpdateBytes`. The request ends when all updates have been delivered, or
   * `updateTimeoutMs` after the response. An error that the function throws is reported to the
   * peer's `onError`.
   */
  readonly onUpdate?: (payload: JsonValue) => void | Promise<void>;
  /**
   * Message type of the request: any type except `update`, `response`, `error` and `cancel`.
   *
   * @default {"request"}
   */
  readonly messageType?: string;
}

/** Options for a single request, with default values filled in. */
export type RequestSettings = Settings<
  PeerRequestOptions,
  "timeoutMs" | "maxTotalMs" | "messageType"
>;

const NAMES = namesOf<PeerRequestOptions>({
  signal: true,
  timeoutMs: true,
  maxTotalMs: true,
  onUpdate: true,
  messageType: true,
});

/** Validates the options for a request and fills in default values. */
export function readRequestOptions(options: PeerRequestOptions = {}): RequestSettings {
  assertObject("options", options);
  assertNames("options", options, NAMES);
  const { signal, timeoutMs = 60_000, maxTotalMs = 600_000, onUpdate } = options;
  const { messageType = REQUEST } = options;
  assertPositiveNumber("timeoutMs", timeoutMs);
  assertPositiveNumber("maxTotalMs", maxTotalMs);
  assertRequestType(messageType);
  assertOptionalFunction("onUpdate", onUpdate);
  assertOptionalSignal("signal", signal);
  return { signal, timeoutMs, maxTotalMs, onUpdate, messageType };
}

/** Options for {@linkcode OutgoingRequests}. */
export interface OutgoingInit {
  readonly did: string;
  readonly protocol: string;
  readonly maxPending: number;
  readonly maxQueuedUpdates: number;
  readonly maxQueuedUpdateBytes: number;
  readonly updateTimeoutMs: number;
  /** Signs and sends a message within the peer's send timeout. */
  readonly send: (message: AgentCommMessage, signal?: AbortSignal) => Promise<void>;
  /** Called with each request that has ended, because it needs no further reply. */
  readonly onRequestEnd: (message: AgentCommMessage) => void;
  readonly report: (error: unknown) => void;
}

/** Maximum share of the capacity for waiting updates per recipient of requests. */
const UPDATE_SHARE = 1 / 2;

/** The pending requests of a peer. */
export class OutgoingRequests {
  readonly #init: OutgoingInit;
  readonly #pending = new Map<string, PendingRequest>();
  readonly #sends = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  /** Updates of all requests that wait for `onUpdate`. */
  readonly #waiting: ItemQuota;
  #cancels = 0;
  #end: CommError | undefined;

  constructor(init: OutgoingInit) {
    const { maxQueuedUpdates: maxItems, maxQueuedUpdateBytes: maxBytes } = init;
    this.#init = init;
    this.#waiting = new ItemQuota({ maxItems, maxBytes, share: UPDATE_SHARE });
  }

  /** Sends a request and waits for its response. */
  async request(
    recipient: string,
    payload: JsonValue,
    { timeoutMs, maxTotalMs, messageType, onUpdate, signal }: RequestSettings,
  ): Promise<JsonValue> {
    signal?.throwIfAborted();
    const { did, protocol, maxPending, maxQueuedUpdates, updateTimeoutMs, report } = this.#init;
    if (this.#end !== undefined) throw this.#end;
    const message = new AgentCommMessage({
      sender: did,
      recipient,
      protocol,
      messageType,
      payload,
    });
    if (this.#pending.size >= maxPending) throw tooManyRequests(maxPending);
    const pending = new PendingRequest({
      ...{ recipient, timeoutMs, maxTotalMs, onUpdate, updateTimeoutMs, report },
      ...{ waiting: this.#waiting, capacity: maxQueuedUpdates },
    });
    const abort = (): void => pending.fail(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    this.#pending.set(message.id, pending);
    const sent = this.#send(message, pending).finally(() => this.#sends.delete(sent));
    this.#sends.add(sent);
    try {
      return await pending.response;
    } finally {
      this.#pending.delete(message.id);
      signal?.removeEventListener("abort", abort);
      this.#init.onRequestEnd(message);
    }
  }

  /**
   * Returns the recipient of a request that waits for replies. Returns `undefined` if the request
   * has ended or has received its response.
   */
  recipientOf(id: string | undefined): string | undefined {
    return this.#waitingFor(id)?.recipient;
  }

  /**
   * Handles a verified reply from the recipient of the request. Throws `replay_detected` for a
   * repeated update. A repeated `response` or `error` has no effect, because the first one has
   * ended the request.
   */
  answer(message: AgentCommMessage): void {
    const { id, sender, correlationId, messageType, payload } = message;
    const pending = this.#waitingFor(correlationId);
    // The request might have ended while the reply was being verified.
    if (pending === undefined) return;
    if (messageType === RESPONSE) pending.resolve(payload);
    else if (messageType === ERROR) pending.reject(readErrorPayload(payload));
    else if (!pending.update(id, payload, () => formatMessage(message).length)) {
      throw replayDetected(sender, id);
    }
  }

  #waitingFor(id: string | undefined): PendingRequest | undefined {
    const pending = this.#pending.get(id ?? "");
    return pending?.isFinished === false ? pending : undefined;
  }

  /** Ends all pending requests and rejects later requests. */
  end(error: CommError): void {
    this.#end ??= error;
    for (const pending of this.#pending.values()) pending.abandon(error);
  }

  /**
   * Waits until the `cancel` messages of requests that timed out or were aborted have been sent.
   * Drops `cancel` messages that are not sent in time, and updates that have not been delivered.
   * Call `flush` after {@linkcode OutgoingRequests.end}.
   */
  async flush(timeoutMs: number): Promise<void> {
    for (const pending of this.#pending.values()) pending.hurry();
    await settlesWithin(Promise.all(this.#sends), timeoutMs);
    this.#stopping.abort(this.#end);
  }

  /** Sends a request. If the request ends without a reply, sends a `cancel` message. */
  async #send(message: AgentCommMessage, pending: PendingRequest): Promise<void> {
    const { send, report, maxPending } = this.#init;
    try {
      await send(message, pending.ended);
    } catch (error) {
      pending.fail(error);
      return;
    }
    // Wait until the request has ended, and ignore its result, which the caller of `request`
    // receives.
    await pending.response.catch(() => {});
    if (!pending.needsCancel) return;
    if (this.#cancels >= maxPending) {
      report(new Error(`Cannot cancel request: ${maxPending} cancellations are being sent`));
      return;
    }
    this.#cancels++;
    try {
      await send(toCancel(message), this.#stopping.signal);
    } catch (error) {
      // The transport of a closed peer can no longer send.
      if (this.#end === undefined) report(error);
    } finally {
      this.#cancels--;
    }
  }
}

function assertRequestType(messageType: unknown): void {
  if (typeof messageType === "string" && messageType !== "" && !isReservedType(messageType)) return;
  const reserved =
    `a non-empty string other than "${UPDATE}", "${RESPONSE}", "${ERROR}" and "${CANCEL}"`;
  throw new TypeError(`"messageType" must be ${reserved}, got ${formatValue(messageType)}`);
}

function toCancel({ id, sender, recipient, protocol }: AgentCommMessage): AgentCommMessage {
  return new AgentCommMessage({
    correlationId: id,
    sender,
    recipient,
    protocol,
    messageType: CANCEL,
    payload: null,
  });
}
