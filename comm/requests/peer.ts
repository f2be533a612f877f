/**
 * A peer: an agent that sends requests and serves the requests of other agents.
 *
 * @module
 */

import type { AgentCommMessage } from "../message/message.ts";
import type { VerifyOptions } from "../signing/verifier.ts";
import { IncomingRequests, type PeerHandler } from "./incoming.ts";
import { ANSWER_TYPES, CANCEL } from "./message_types.ts";
import { OutgoingRequests, type PeerRequestOptions, readRequestOptions } from "./outgoing.ts";
import { createDropReporter } from "../shared/drop_reporter.ts";
import { notAccepted, watchUnread } from "./drops.ts";
import { OtherMessages } from "./other_messages.ts";
import {
  assertReplayProtection,
  type PeerOptions,
  type PeerSettings,
  readSettings,
} from "./peer_options.ts";
import { peerEnded } from "./peer_error.ts";
import { receiveMessages } from "./receiver.ts";
import { sendSigned } from "./send_signed.ts";
import { assertFunction } from "@parley/internal/assert-argument";
import { reportRejection } from "@parley/internal/report-rejection";
import { quote } from "@parley/internal/format-value";
import { replayDetected, senderRefused } from "../signing/verify_error.ts";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { timedOut } from "../shared/error.ts";
import type { JsonValue } from "../shared/json.ts";
import { settlesWithin } from "../transport/message_codec.ts";

/**
 * An agent that sends requests to other agents and serves their requests. On the first call to
 * `request` or `serve`, the peer starts to read from the transport. If the transport has received
 * messages and the peer does not read them for 10 seconds, this is reported to `onError`.
 */
export interface Peer extends AsyncDisposable {
  /** DID of the peer. */
  readonly did: string;
  /**
   * Sends a request and waits for the response. If the request is aborted or times out, the
   * recipient receives a `cancel` message.
   *
   * @param recipient DID of the agent that receives the request.
   * @param payload Payload of the request: any JSON value.
   * @param options Abort signal, timeouts, message type and a callback for updates.
   * @returns The payload of the response.
   * @throws {CommError} With code "request_failed" if the recipient replies with an error.
   *   `details` contains the `code`, `message` and `data` from the recipient.
   * @throws {CommError} With code "timeout" if no reply arrives within `timeoutMs`, if there is no
   *   response within `maxTotalMs`, or if the transport does not accept the request in time.
   * @throws {CommError} With code "capacity_exceeded" if `maxPending` requests are pending.
   * @throws {CommError} With code "transport_closed" if the transport ends or the peer is closed.
   * @throws {CommError} With code "invalid_message" or "serialization_failed" if `recipient` is not
   *   a DID or `payload` is not valid JSON, or with the transport's error code if the request
   *   cannot be sent.
   * @throws {RangeError} If `timeoutMs` or `maxTotalMs` is not positive.
   * @throws {TypeError} If `messageType` is empty or reserved, or an option is invalid or unknown.
   * @throws The signal's reason if the signal is aborted.
   */
  request(
    recipient: string,
    payload: JsonValue,
    options?: PeerRequestOptions,
  ): Promise<JsonValue>;
  /**
   * Serves requests. Until `serve` is called, requests are rejected with the error code
   * `not_serving`. A request is a message of the peer's protocol without a `correlationId`, of any
   * type except `update`, `response`, `error` and `cancel`.
   *
   * @param handler Called with each verified request.
   * @returns A promise that resolves when the transport has ended or failed, or the peer is closed.
   *   When the promise resolves, the signals of running handlers are aborted. A transport failure
   *   is reported to `onError`.
   * @throws {TypeError} If `handler` is not a function, if `serve` was already called, or if the
   *   verifier's `rejectsReplays` is not `true` and neither is `allowRepeatedRequests`.
   */
  serve(handler: PeerHandler): Promise<void>;
  /**
   * Closes the peer and its transport. Pending requests reject with `transport_closed`, and the
   * signals of running handlers are aborted. Waits for the handlers to return, for at most
   * `closeTimeoutMs`. The `cancel` messages of requests that timed out or were aborted are sent
   * first, within `closeTimeoutMs`. If the transport does not close within `closeTimeoutMs`, this
   * is reported to `onError`. Closing the peer again has no effect.
   */
  close(): Promise<void>;
}

/**
 * Creates a peer, which sends requests and serves the requests of other agents over a transport.
 *
 * Requests, updates, responses, errors and cancellations are signed messages of one protocol. A
 * reply has the request's `id` as its `correlationId`. Replies from other senders and replies to
 * requests that have ended are dropped. Messages that fail verification are reported to `onError`
 * and receive no reply.
 *
 * @param options Signer, verifier, transport, protocol and limits.
 * @throws {TypeError} If `signer`, `verifier` or `transport` lacks a method, if the signer's `did`
 *   is not a DID, if the verifier's `recipient` is a different DID, if `protocol` is not a
 *   non-empty string, if a callback is not a function, if an option is unknown, or if
 *   `onMessage` is set although the verifier's `rejectsReplays` is not `true`, unless
 *   `allowRepeatedRequests` is.
 * @throws {RangeError} If a limit is not a positive integer or a timeout is not positive.
 *
 * @example Cancel a request
 * ```ts
 * import { createChannelPair, generateSigner } from "@parley/comm";
 * import { createVerifier, ReplayGuard } from "@parley/comm/policy";
 * import { createPeer } from "@parley/comm/requests";
 * import { assertEquals, assertRejects } from "@std/assert";
 *
 * const [ann, bob] = [await generateSigner(), await generateSigner()];
 * const [annSide, bobSide] = createChannelPair();
 * await using annPeer = createPeer({
 *   signer: ann,
 *   verifier: createVerifier({ recipient: ann.did, replayGuard: new ReplayGuard() }),
 *   transport: annSide,
 *   protocol: "agent.task.v1",
 * });
 * await using bobPeer = createPeer({
 *   signer: bob,
 *   verifier: createVerifier({ recipient: bob.did, replayGuard: new ReplayGuard() }),
 *   transport: bobSide,
 *   protocol: "agent.task.v1",
 * });
 *
 * const controller = new AbortController();
 * const canceled = Promise.withResolvers<string>();
 * bobPeer.serve((_request, { signal }) =>
 *   new Promise((_resolve, reject) => {
 *     signal.addEventListener("abort", () => {
 *       canceled.resolve("bob stopped");
 *       reject(signal.reason);
 *     });
 *     controller.abort();
 *   })
 * );
 * await assertRejects(() => annPeer.request(bob.did, "count", { signal: controller.signal }));
 * assertEquals(await canceled.promise, "bob stopped");
 * ```
 */
export function createPeer(options: PeerOptions): Peer {
  return new MessagePeer(options);
}

class MessagePeer implements Peer {
  readonly did: string;
  readonly #settings: PeerSettings;
  readonly #report: (error: unknown) => void;
  readonly #reportDrop: (error: Error) => void;
  readonly #incoming: IncomingRequests;
  readonly #outgoing: OutgoingRequests;
  readonly #others?: OtherMessages;
  /** Aborted when the peer has ended. */
  readonly #ended = new AbortController();
  readonly #stopWatching: () => void;
  #reading: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: PeerOptions) {
    const settings = readSettings(options);
    const { signer, transport, protocol, verifier, onMessage, verifyTimeoutMs } = settings;
    const report = createErrorReporter("createPeer", settings.onError);
    this.did = signer.did;
    this.#settings = settings;
    this.#report = report;
    this.#reportDrop = createDropReporter(report);
    const send = (message: AgentCommMessage, signal = this.#ended.signal): Promise<void> =>
      sendSigned(message, { signer, transport, signal, timeoutMs: settings.sendTimeoutMs });
    const onEnd = (message: AgentCommMessage): void => this.#release(message);
    const common = { ...settings, send, report };
    this.#incoming = new IncomingRequests({ ...common, storeTimeoutMs: verifyTimeoutMs, onEnd });
    const { did } = this;
    this.#outgoing = new OutgoingRequests({ ...common, did, protocol, onRequestEnd: onEnd });
    this.#stopWatching = watchUnread(transport, this.#reportDrop);
    if (onMessage === undefined) return;
    this.#others = new OtherMessages({ ...common, verifier, onMessage, onEnd });
    this.#start();
  }

  async request(
    recipient: string,
    payload: JsonValue,
    options?: PeerRequestOptions,
  ): Promise<JsonValue> {
    const settings = readRequestOptions(options);
    this.#start();
    return await this.#outgoing.request(recipient, payload, settings);
  }

  serve(handler: PeerHandler): Promise<void> {
    assertFunction("handler", handler);
    if (this.#incoming.handler !== undefined) {
      throw new TypeError("Cannot serve: the peer is already serving");
    }
    assertReplayProtection("serve", this.#settings);
    this.#incoming.handler = handler;
    return this.#start();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    const { transport, closeTimeoutMs } = this.#settings;
    this.#end();
    const finished = Promise.all([this.#reading, this.#incoming.settle()]);
    await this.#outgoing.flush(closeTimeoutMs);
    const closed = transport.close();
    try {
      if (await settlesWithin(closed, closeTimeoutMs)) await closed;
      else this.#report(timedOut("close transport", closeTimeoutMs));
    } finally {
      await settlesWithin(finished, closeTimeoutMs);
    }
  }

  #start(): Promise<void> {
    this.#stopWatching();
    if (!this.#ended.signal.aborted) this.#reading ??= this.#read();
    return this.#reading ?? Promise.resolve();
  }

  async #read(): Promise<void> {
    const { maxVerifying, maxVerifyingBytes, verifyTimeoutMs, transport } = this.#settings;
    try {
      await receiveMessages({
        transport,
        maxMessages: maxVerifying,
        maxBytes: maxVerifyingBytes,
        timeoutMs: verifyTimeoutMs,
        signal: this.#ended.signal,
        process: (message, signal) => this.#process(message, signal),
        isExpected: (message) => this.#isExpected(message),
        onUnverified: (message) => this.#release(message),
        report: this.#report,
      });
      this.#end();
    } catch (error) {
      if (!this.#ended.signal.aborted) this.#report(error);
      this.#end(error);
    }
  }

  #end(cause?: unknown): void {
    if (this.#ended.signal.aborted) return;
    this.#stopWatching();
    const error = peerEnded(cause);
    this.#ended.abort(error);
    this.#outgoing.end(error);
    this.#incoming.end(error);
  }

  #release(message: AgentCommMessage): void {
    try {
      const returned: unknown = this.#settings.transport.release?.(message);
      reportRejection(returned, this.#report);
    } catch (error) {
      this.#report(error);
    }
  }

  /** Returns `true` if a message claims to be a reply to a pending request. */
  #isExpected({ protocol, messageType, correlationId, sender }: AgentCommMessage): boolean {
    return protocol === this.#settings.protocol && ANSWER_TYPES.has(messageType) &&
      this.#outgoing.recipientOf(correlationId) === sender;
  }

  /** Processes a message. Returns `true` if the message was verified. */
  async #process(message: AgentCommMessage, signal: AbortSignal): Promise<boolean> {
    const { messageType, correlationId, protocol } = message;
    if (protocol !== this.#settings.protocol) return await this.#processOther(message, signal);
    if (ANSWER_TYPES.has(messageType)) return await this.#processAnswer(message, signal);
    if (messageType === CANCEL) return await this.#processCancel(message, signal);
    if (correlationId === undefined) return await this.#processRequest(message, signal);
    return await this.#processOther(message, signal);
  }

  async #processRequest(message: AgentCommMessage, signal: AbortSignal): Promise<boolean> {
    // Without a replay store, the verifier would accept a copy of a request in progress.
    if (this.#incoming.has(message)) throw replayDetected(message.sender, message.id);
    const result = await this.#settings.verifier.begin(message, { signal });
    if (result.ok !== true) throw result.error;
    await this.#incoming.accept(message, result, signal);
    return true;
  }

  async #processAnswer(message: AgentCommMessage, signal: AbortSignal): Promise<boolean> {
    // Verification is expensive, and any agent can send replies to unknown requests.
    const asked = this.#outgoing.recipientOf(message.correlationId);
    if (asked === undefined) return false;
    if (asked !== message.sender) {
      throw senderRefused(message.sender, `the request was sent to ${quote(asked)}`);
    }
    // The pending request itself recognizes repeated replies. The number of updates is unlimited,
    // so with an entry for each one, the replay store would eventually reject the response.
    await this.#verify(message, { signal, replays: "accept" });
    this.#outgoing.answer(message);
    this.#release(message);
    return true;
  }

  async #processCancel(message: AgentCommMessage, signal: AbortSignal): Promise<boolean> {
    if (!this.#incoming.isCancellable(message)) return false;
    await this.#verify(message, { signal });
    this.#incoming.cancel(message);
    this.#release(message);
    return true;
  }

  async #processOther(message: AgentCommMessage, signal: AbortSignal): Promise<boolean> {
    if (this.#others === undefined) {
      this.#reportDrop(notAccepted(message, this.#settings.protocol));
      return false;
    }
    await this.#others.process(message, signal);
    return true;
  }

  async #verify(message: AgentCommMessage, options: VerifyOptions): Promise<void> {
    const result = await this.#settings.verifier.verify(message, options);
    if (result.ok !== true) throw result.error;
  }
}
