/**
 * A peer: an agent that sends requests and serves the requests of other agents.
 *
 * @module
 */

import type { AgentCommMessage } from "../message/message.ts";
import type { MessageVerifier } from "../signing/verifier.ts";
import { IncomingRequests, type PeerHandler } from "./incoming.ts";
import { ANSWER_TYPES, CANCEL } from "./message_types.ts";
import { OutgoingRequests, type PeerRequestOptions, readRequestOptions } from "./outgoing.ts";
import { PEER_LIMIT_RULES, type PeerLimits } from "./peer_limits.ts";
import { peerEnded, tooManyMessages } from "./peer_error.ts";
import { receiveMessages } from "./receiver.ts";
import { sendSigned } from "./send_signed.ts";
import {
  assertFunction,
  assertMethods,
  assertNonEmptyString,
} from "@parley/internal/assert-argument";
import { quote } from "@parley/internal/format-value";
import { optionsReader, required } from "@parley/internal/options";
import { replayDetected, senderRefused } from "../signing/verify_error.ts";
import { createErrorReporter } from "@parley/internal/error-reporter";
import type { JsonValue } from "../shared/json.ts";
import { assertSigner, type Signer } from "../signing/signer.ts";
import { settlesWithin } from "../transport/message_codec.ts";
import { assertTransport, type MessageTransport } from "../transport/transport.ts";

/** Options for {@linkcode createPeer}. */
export interface PeerOptions extends PeerLimits {
  /** Signs all messages that the peer sends. The signer's `did` is the peer's DID. */
  readonly signer: Signer;
  /**
   * Verifies received messages. The verifier's policy decides which senders are admitted, including
   * the agents that the peer sends requests to. With a replay store, a repeated request is not
   * served again, unless the request was rejected with the code `busy` or `not_serving`, or its
   * handler crashed.
   */
  readonly verifier: MessageVerifier;
  /**
   * Sends and receives messages. The peer must be the only reader of the transport. Closing the
   * peer closes the transport.
   */
  readonly transport: MessageTransport;
  /** Protocol of all requests and replies, such as `agent.task.v1`. */
  readonly protocol: string;
  /**
   * Called with each verified message that is not part of a request: messages of other protocols,
   * and messages of other types that have a `correlationId`. If omitted, messages that are not part
   * of a request are dropped without verification. At most `maxServing` calls run concurrently;
   * further messages are dropped without verification and reported to `onError`. An error that the
   * function throws is also reported to `onError`.
   */
  readonly onMessage?: (message: AgentCommMessage) => void | Promise<void>;
  /**
   * Called with errors that do not reject any call: messages that are invalid or fail verification,
   * replies from the wrong sender, errors that handlers and callbacks throw, replies that cannot be
   * sent, and transport failures. If omitted, errors are printed to standard error, each distinct
   * error once and at most 20 errors per minute. `() => {}` silences the errors.
   */
  readonly onError?: (error: unknown) => void;
}

/**
 * An agent that sends requests to other agents and serves their requests. On the first call to
 * `request` or `serve`, the peer starts to read from the transport.
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
   * @throws {TypeError} If `handler` is not a function, or if `serve` was already called.
   */
  serve(handler: PeerHandler): Promise<void>;
  /**
   * Closes the peer and its transport. Pending requests reject with `transport_closed`, and the
   * signals of running handlers are aborted. Waits for the handlers to return, for at most
   * `closeTimeoutMs`. The `cancel` messages of requests that timed out or were aborted are sent
   * first, within `closeTimeoutMs`. Closing the peer again has no effect.
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
 *   is not a DID, if `protocol` is not a non-empty string, if a callback is not a function, or if
 *   an option is unknown.
 * @throws {RangeError} If a limit is not a positive integer or a timeout is not positive.
 *
 * @example Cancel a request
 * ```ts
 * import { createChannelPair, generateSigner } from "@parley/comm";
 * import { createVerifier } from "@parley/comm/policy";
 * import { createPeer } from "@parley/comm/requests";
 * import { assertEquals, assertRejects } from "@std/assert";
 *
 * const [ann, bob] = [await generateSigner(), await generateSigner()];
 * const [annSide, bobSide] = createChannelPair();
 * await using annPeer = createPeer({
 *   signer: ann,
 *   verifier: createVerifier({ recipient: ann.did }),
 *   transport: annSide,
 *   protocol: "agent.task.v1",
 * });
 * await using bobPeer = createPeer({
 *   signer: bob,
 *   verifier: createVerifier({ recipient: bob.did }),
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
  readonly #verifier: MessageVerifier;
  readonly #transport: MessageTransport;
  readonly #limits: Required<PeerLimits>;
  readonly #onMessage: PeerOptions["onMessage"];
  readonly #report: (error: unknown) => void;
  readonly #protocol: string;
  readonly #incoming: IncomingRequests;
  readonly #outgoing: OutgoingRequests;
  /** Aborted when the peer has ended. */
  readonly #ended = new AbortController();
  /** Number of messages that are being verified for `onMessage` or processed by it. */
  #otherMessages = 0;
  #reading: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: PeerOptions) {
    const settings = readOptions(options);
    const { signer, verifier, transport, protocol, onMessage, onError, ...rest } = settings;
    const limits = { ...rest, maxServingPerSender: rest.maxServingPerSender ?? rest.maxServing };
    const report = createErrorReporter("createPeer", onError);
    this.did = signer.did;
    this.#verifier = verifier;
    this.#transport = transport;
    this.#protocol = protocol;
    this.#limits = limits;
    this.#onMessage = onMessage;
    this.#report = report;
    const send = (message: AgentCommMessage, signal = this.#ended.signal): Promise<void> =>
      sendSigned(message, { signer, transport, signal, timeoutMs: limits.sendTimeoutMs });
    this.#incoming = new IncomingRequests({ ...limits, send, report });
    this.#outgoing = new OutgoingRequests({ ...limits, did: this.did, protocol, send, report });
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
    this.#end();
    const finished = Promise.all([this.#reading, this.#incoming.settle()]);
    await this.#outgoing.flush(this.#limits.closeTimeoutMs);
    try {
      await this.#transport.close();
    } finally {
      await settlesWithin(finished, this.#limits.closeTimeoutMs);
    }
  }

  #start(): Promise<void> {
    if (!this.#ended.signal.aborted) this.#reading ??= this.#read();
    return this.#reading ?? Promise.resolve();
  }

  async #read(): Promise<void> {
    const { maxVerifying, maxVerifyingBytes, verifyTimeoutMs } = this.#limits;
    try {
      await receiveMessages({
        transport: this.#transport,
        maxMessages: maxVerifying,
        maxBytes: maxVerifyingBytes,
        timeoutMs: verifyTimeoutMs,
        signal: this.#ended.signal,
        process: (message, signal) => this.#process(message, signal),
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
    const error = peerEnded(cause);
    this.#ended.abort(error);
    this.#outgoing.end(error);
    this.#incoming.end(error);
  }

  async #process(message: AgentCommMessage, signal: AbortSignal): Promise<void> {
    const { messageType, correlationId, protocol } = message;
    if (protocol !== this.#protocol) await this.#processOther(message, signal);
    else if (ANSWER_TYPES.has(messageType)) await this.#processAnswer(message, signal);
    else if (messageType === CANCEL) await this.#processCancel(message, signal);
    else if (correlationId === undefined) await this.#processRequest(message, signal);
    else await this.#processOther(message, signal);
  }

  async #processRequest(message: AgentCommMessage, signal: AbortSignal): Promise<void> {
    // Without a replay store, the verifier would accept a copy of a request in progress.
    if (this.#incoming.has(message)) throw replayDetected(message.sender, message.id);
    const result = await this.#verifier.begin(message, { signal });
    if (!result.ok) throw result.error;
    await this.#incoming.accept(message, result, signal);
  }

  async #processAnswer(message: AgentCommMessage, signal: AbortSignal): Promise<void> {
    // Verification is expensive, and any agent can send replies to unknown requests.
    const asked = this.#outgoing.recipientOf(message.correlationId);
    if (asked === undefined) return;
    if (asked !== message.sender) {
      throw senderRefused(message.sender, `the request was sent to ${quote(asked)}`);
    }
    await this.#verify(message, signal);
    this.#outgoing.answer(message);
  }

  async #processCancel(message: AgentCommMessage, signal: AbortSignal): Promise<void> {
    if (!this.#incoming.isCancellable(message)) return;
    await this.#verify(message, signal);
    this.#incoming.cancel(message);
  }

  async #processOther(message: AgentCommMessage, signal: AbortSignal): Promise<void> {
    if (this.#onMessage === undefined) return;
    const { maxServing } = this.#limits;
    // An unverified message is not added to the replay store, so the sender can send it again.
    if (this.#otherMessages >= maxServing) throw tooManyMessages(maxServing);
    this.#otherMessages++;
    try {
      await this.#verify(message, signal);
    } catch (error) {
      this.#otherMessages--;
      throw error;
    }
    this.#callOnMessage(message);
  }

  async #verify(message: AgentCommMessage, signal: AbortSignal): Promise<void> {
    const result = await this.#verifier.verify(message, { signal });
    if (!result.ok) throw result.error;
  }

  /**
   * Calls `onMessage` without waiting for its promise, because the peer must continue to receive
   * messages.
   */
  async #callOnMessage(message: AgentCommMessage): Promise<void> {
    try {
      await this.#onMessage?.(message);
    } catch (error) {
      this.#report(error);
    } finally {
      this.#otherMessages--;
    }
  }
}

const readOptions = optionsReader<PeerOptions>("options")({
  ...PEER_LIMIT_RULES,
  signer: required(assertSigner),
  verifier: required((name, value) =>
    assertMethods(name, "a MessageVerifier", value, ["begin", "verify"])
  ),
  transport: required(assertTransport),
  protocol: required(assertNonEmptyString),
  onMessage: assertFunction,
  onError: assertFunction,
});
