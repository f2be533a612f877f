/**
 * The kit's end of a JSON-RPC connection. Responses settle their requests; other messages are
 * queued until a step of the case reads them.
 *
 * @module
 */

import { isObject, type JsonObject, type JsonValue } from "../kit/json.ts";
import { show } from "../kit/match_value.ts";
import { TIMED_OUT, waitFor } from "./wait_for.ts";
import type { Trace } from "./trace.ts";

/** Sends messages over a transport. */
export interface RpcWire {
  /** Sends a message. */
  send(message: JsonValue): void;
  /** Sends a line, which may be malformed. */
  sendText(line: string): void;
  /** Sends bytes in chunks of the given sizes. */
  sendBytes(bytes: Uint8Array, chunks: readonly number[]): void | Promise<void>;
}

/** Result of a request to which the peer can no longer respond. */
export const NO_ANSWER: unique symbol = Symbol("no answer");

/** The response to a request, or {@linkcode NO_ANSWER}. */
export type RpcAnswer = RpcMessage | typeof NO_ANSWER;

/** A message from the peer, not validated. */
export type RpcMessage = Readonly<Record<string, unknown>>;

/**
 * Maximum number of recorded protocol violations. After `MAX_VIOLATIONS`, further messages are
 * ignored.
 */
const MAX_VIOLATIONS = 1000;
/** Maximum number of queued messages. */
const MAX_WAITING = 10_000;
/** Maximum total length of the queued messages of one case, in characters of JSON text. */
const MAX_WAITING_CHARACTERS = 64 * 1024 * 1024;

/** Number of round trips that are added to each timeout. */
const ROUND_TRIPS = 4;

/**
 * Shortest round trip that a cancellation and a response can overlap in, in milliseconds. On one
 * machine, they cannot be distinguished by the time of arrival.
 */
const MIN_ROUND_TRIP_MS = 50;

/** The kit's end of a connection during one case. */
export class RpcConnection {
  /** Message log. */
  readonly trace: Trace;
  /**
   * Called with each message before any other handling. Returns true if the message was handled and
   * must not be queued.
   */
  intercept: (message: RpcMessage) => boolean = () => false;
  /** Measured time between a request and its response, in milliseconds. 0 if it is unknown. */
  roundTripMs = 0;
  readonly #wire: RpcWire;
  readonly #firstId: number;
  readonly #gone: ReadonlySet<unknown>;
  readonly #pending: Map<unknown, (answer: RpcAnswer) => void> = new Map();
  /** Times at which requests were cancelled, keyed by request id. */
  readonly #cancelled: Map<unknown, number> = new Map();
  /** Ids of cancelled requests whose responses were sent before the cancellation arrived. */
  readonly #overtaken: Set<unknown> = new Set();
  readonly #violations: string[] = [];
  #waiting: RpcMessage[] = [];
  #waitingCharacters = 0;
  #refusal: string | undefined;
  #hasReceived = false;
  #isEnded = false;
  #wake: (() => void) | undefined;

  /**
   * Creates the kit's end of a connection.
   *
   * @param wire The transport.
   * @param trace Message log.
   * @param firstId First request id of this case. Responses with lower ids belong to earlier cases
   * and are ignored.
   * @param gone Ids of cancelled requests. Responses to these requests are ignored.
   */
  constructor(wire: RpcWire, trace: Trace, firstId = 0, gone: ReadonlySet<unknown> = new Set()) {
    this.#wire = wire;
    this.trace = trace;
    this.#firstId = firstId;
    this.#gone = gone;
  }

  /** Ids of cancelled requests, to which responses can still arrive. */
  get cancelled(): Iterable<unknown> {
    return this.#cancelled.keys();
  }

  /**
   * Returns true for a response that arrived sooner after the cancellation of its request than a
   * round trip takes, so that the peer cannot have known of the cancellation.
   */
  wasSentBeforeCancellation({ id }: RpcMessage): boolean {
    return this.#overtaken.has(id);
  }

  /** Violations of JSON-RPC 2.0 and of the transport found so far. */
  get violations(): readonly string[] {
    return this.#violations;
  }

  /** Whether the peer sent anything, valid or not. */
  get hasReceived(): boolean {
    return this.#hasReceived;
  }

  /** Queued messages that no step has received, except notifications. */
  get unclaimed(): readonly RpcMessage[] {
    return this.#waiting.filter((message) =>
      !isNotification(message) && !this.#cancelled.has(message.id)
    );
  }

  /** Sends a message. */
  send(message: JsonValue): void {
    this.trace.add("→", JSON.stringify(message));
    this.#wire.send(message);
  }

  /** Sends a line, which can be malformed. */
  sendText(line: string): void {
    this.trace.add("→", line);
    this.#wire.sendText(line);
  }

  /** Sends bytes. */
  async sendBytes(bytes: Uint8Array, chunks: readonly number[]): Promise<void> {
    this.trace.add("→", `${bytes.length} bytes`);
    await this.#wire.sendBytes(bytes, chunks);
  }

  /** Sends a request. Resolves to the response with the same id. */
  request(request: JsonObject & { readonly id: string | number }): Promise<RpcAnswer> {
    const response = new Promise<RpcAnswer>((resolve) => this.#pending.set(request.id, resolve));
    this.send(request);
    if (this.#isEnded) this.end();
    return response;
  }

  /**
   * Ends all waits for the peer, because the run was interrupted or because the peer has exited.
   */
  end(): void {
    this.#isEnded = true;
    for (const settle of this.#pending.values()) settle(NO_ANSWER);
    this.#pending.clear();
    this.#wake?.();
  }

  /**
   * Ends the wait for the response to a request, because the transport can no longer deliver it.
   *
   * @param id Id of the request.
   * @param reason What the peer sent instead of the response. Omitted if it sent nothing.
   */
  giveUp(id: unknown, reason?: string): void {
    const settle = this.#pending.get(id);
    if (settle === undefined) return;
    this.#pending.delete(id);
    if (reason !== undefined) {
      this.#hasReceived = true;
      this.trace.add("!", reason);
      this.#refusal ??= reason;
    }
    settle(NO_ANSWER);
  }

  /** Records that the transport delivered something that is not a valid message. */
  addViolation(violation: string): void {
    this.#hasReceived = true;
    this.trace.add("!", violation);
    if (this.#violations.length < MAX_VIOLATIONS) this.#violations.push(violation);
  }

  /** Records an HTTP response without a message, which explains a missing response. */
  addRefusal(text: string): void {
    this.#hasReceived = true;
    this.trace.add("←", text);
    this.#refusal = text;
  }

  /** Describes what the peer sent instead of a response. */
  describeSilence(): string {
    const [other] = this.unclaimed;
    if (other !== undefined) return `another message: ${show(other)}`;
    const reason = this.#violations[0] ?? this.#refusal;
    return reason === undefined ? "no response" : `no response, but ${reason}`;
  }

  /** Returns true while a request waits for its response. */
  isPending(id: unknown): boolean {
    return this.#pending.has(id);
  }

  /** Stops waiting for the response to a request. */
  forget(id: string | number): void {
    this.#pending.delete(id);
    this.#cancelled.set(id, Date.now());
  }

  /** Processes a value received from the peer. */
  take(value: unknown): void {
    this.#hasReceived = true;
    if (this.#violations.length >= MAX_VIOLATIONS) return;
    this.trace.add("←", show(value, 2000));
    if (!isObject(value)) {
      this.#violations.push(`sent ${show(value, 100)}, which is not a message`);
      return;
    }
    const violation = findRpcViolation(value);
    if (violation !== undefined) this.#violations.push(`${violation}: ${show(value, 200)}`);
    const cancelledMs = "method" in value ? undefined : this.#cancelled.get(value.id);
    if (cancelledMs !== undefined && this.roundTripMs >= MIN_ROUND_TRIP_MS) {
      if (Date.now() - cancelledMs < this.roundTripMs) this.#overtaken.add(value.id);
    }
    if (this.intercept(value)) return;
    const settle = "method" in value ? undefined : this.#pending.get(value.id);
    if (settle !== undefined) {
      this.#pending.delete(value.id);
      return settle(value);
    }
    if (!("method" in value) && this.#isLate(value.id)) return;
    this.#queue(value);
  }

  #queue(message: RpcMessage): void {
    this.#waitingCharacters += JSON.stringify(message).length;
    const isFull = this.#waiting.length >= MAX_WAITING ||
      this.#waitingCharacters > MAX_WAITING_CHARACTERS;
    if (!isFull) this.#waiting.push(message);
    this.#wake?.();
  }

  #isLate(id: unknown): boolean {
    return this.#gone.has(id) || (typeof id === "number" && id < this.#firstId);
  }

  /** Extends a timeout by the time that messages need on a slow network. */
  timeout(ms: number): number {
    return ms + ROUND_TRIPS * this.roundTripMs;
  }

  /**
   * Returns the first message that a predicate accepts and that the peer sends within a time, or
   * `undefined` if there is none.
   */
  async arrival(
    test: (message: RpcMessage) => boolean,
    ms: number,
  ): Promise<RpcMessage | undefined> {
    return await this.next(test, ms + this.roundTripMs);
  }

  /**
   * Removes and returns the first queued message that a predicate accepts, waiting for the message
   * if necessary.
   */
  async next(test: (message: RpcMessage) => boolean, ms: number): Promise<RpcMessage | undefined> {
    const until = performance.now() + ms;
    while (true) {
      const index = this.#waiting.findIndex(test);
      if (index >= 0) return this.#waiting.splice(index, 1)[0];
      const left = until - performance.now();
      if (left <= 0 || this.#isEnded) return undefined;
      const arrival = new Promise<void>((resolve) => this.#wake = resolve);
      if (await waitFor(arrival, left) === TIMED_OUT) return undefined;
    }
  }
}

/** Returns true if a message is a notification. */
export function isNotification(message: RpcMessage): boolean {
  return "method" in message && !("id" in message);
}

/** Finds the first violation of JSON-RPC 2.0 in a message. */
function findRpcViolation(message: RpcMessage): string | undefined {
  if (message.jsonrpc !== "2.0") return 'a message without "jsonrpc": "2.0"';
  if ("method" in message) {
    return typeof message.method === "string" ? undefined : "a method that is not a string";
  }
  const hasResult = "result" in message;
  if (hasResult === "error" in message) return "a response without exactly one of result and error";
  if (hasResult) return "id" in message ? undefined : "a result without an id";
  const { error } = message;
  const isError = isObject(error) && Number.isInteger(error.code) &&
    typeof error.message === "string";
  return isError ? undefined : "an error without an integer code and a message";
}
