/**
 * Requests that this agent has sent, and their replies.
 *
 * @module
 */

import { AgentCommMessage } from "../message/message.ts";
import { MAX_TIMER_MS } from "@parley/internal/timers";
import { type CommError, timedOut } from "../shared/error.ts";
import { formatValue, quote } from "@parley/internal/format-value";
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
import { readErrorPayload, requestFailed, tooManyRequests } from "./peer_error.ts";

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
   * Called with the payload of each update. An error that the function throws is reported to the
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
  /** Signs and sends a message within the peer's send timeout. */
  readonly send: (message: AgentCommMessage, signal?: AbortSignal) => Promise<void>;
  readonly report: (error: unknown) => void;
}

/** The pending requests of a peer. */
export class OutgoingRequests {
  readonly #init: OutgoingInit;
  readonly #pending = new Map<string, PendingRequest>();
  readonly #sends = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  #cancels = 0;
  #end: CommError | undefined;

  constructor(init: OutgoingInit) {
    this.#init = init;
  }

  /** Sends a request and waits for its response. */
  async request(
    recipient: string,
    payload: JsonValue,
    { timeoutMs, maxTotalMs, messageType, onUpdate, signal }: RequestSettings,
  ): Promise<JsonValue> {
    signal?.throwIfAborted();
    const { did, protocol, maxPending } = this.#init;
    if (this.#end !== undefined) throw this.#end;
    const message = new AgentCommMessage({
      sender: did,
      recipient,
      protocol,
      messageType,
      payload,
    });
    if (this.#pending.size >= maxPending) throw tooManyRequests(maxPending);
    const pending = new PendingRequest(recipient, { timeoutMs, maxTotalMs, onUpdate });
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
    }
  }

  /** Returns the recipient of a pending request. Returns `undefined` if the request has ended. */
  recipientOf(id: string | undefined): string | undefined {
    return this.#pending.get(id ?? "")?.recipient;
  }

  /** Handles a verified reply from the recipient of the request. */
  answer(message: AgentCommMessage): void {
    const pending = this.#pending.get(message.correlationId ?? "");
    // The request might have ended while the reply was being verified.
    if (pending === undefined) return;
    const { messageType, payload } = message;
    if (messageType === RESPONSE) pending.resolve(payload);
    else if (messageType === ERROR) pending.reject(readErrorPayload(payload));
    else this.#update(pending, payload);
  }

  /** Ends all pending requests and rejects later requests. */
  end(error: CommError): void {
    this.#end ??= error;
    for (const pending of this.#pending.values()) pending.abandon(error);
  }

  /**
   * Waits until the `cancel` messages of requests that timed out or were aborted have been sent.
   * Drops `cancel` messages that are not sent in time. Call `flush` after
   * {@linkcode OutgoingRequests.end}.
   */
  async flush(timeoutMs: number): Promise<void> {
    await settlesWithin(Promise.all(this.#sends), timeoutMs);
    this.#stopping.abort(this.#end);
  }

  async #update(pending: PendingRequest, payload: JsonValue): Promise<void> {
    try {
      await pending.update(payload);
    } catch (error) {
      this.#init.report(error);
    }
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
    if (!pending.needsCancel || this.#cancels >= maxPending) return;
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

/** A request that is waiting for its response. */
class PendingRequest {
  readonly recipient: string;
  readonly response: Promise<JsonValue>;
  /** Whether a `cancel` message must be sent to the recipient when the request ends. */
  needsCancel = true;
  readonly #timeoutMs: number;
  readonly #onUpdate: PeerRequestOptions["onUpdate"];
  readonly #settle: PromiseWithResolvers<JsonValue> = Promise.withResolvers();
  readonly #ended = new AbortController();
  readonly #totalTimer: ReturnType<typeof setTimeout>;
  #silenceTimer: ReturnType<typeof setTimeout>;

  constructor(
    recipient: string,
    { timeoutMs, maxTotalMs, onUpdate }: {
      readonly timeoutMs: number;
      readonly maxTotalMs: number;
      readonly onUpdate: PeerRequestOptions["onUpdate"];
    },
  ) {
    this.recipient = recipient;
    this.response = this.#settle.promise;
    this.#timeoutMs = timeoutMs;
    this.#onUpdate = onUpdate;
    this.#totalTimer = this.#failAfter(maxTotalMs);
    this.#silenceTimer = this.#failAfter(timeoutMs);
  }

  /** Aborts when the request ends. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  resolve(payload: JsonValue): void {
    this.needsCancel = false;
    this.#settle.resolve(payload);
    this.#stop();
  }

  reject(failure: ReturnType<typeof readErrorPayload>): void {
    this.needsCancel = false;
    this.fail(requestFailed(this.recipient, failure));
  }

  /** Ends the request because the peer is closed. */
  abandon(error: unknown): void {
    if (this.ended.aborted) return;
    this.needsCancel = false;
    this.fail(error);
  }

  fail(error: unknown): void {
    this.#settle.reject(error);
    this.#stop(error);
  }

  async update(payload: JsonValue): Promise<void> {
    if (this.ended.aborted) return;
    clearTimeout(this.#silenceTimer);
    this.#silenceTimer = this.#failAfter(this.#timeoutMs);
    await this.#onUpdate?.(payload);
  }

  #failAfter(ms: number): ReturnType<typeof setTimeout> {
    const fail = (): void =>
      this.fail(timedOut(`complete request to ${quote(this.recipient)}`, ms));
    return setTimeout(fail, Math.min(ms, MAX_TIMER_MS));
  }

  #stop(reason?: unknown): void {
    clearTimeout(this.#totalTimer);
    clearTimeout(this.#silenceTimer);
    this.#ended.abort(reason);
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
