/**
 * The kit's end of a JSON-RPC wire: requests find their responses, everything else waits to be looked at.
 *
 * @module
 */

import { isObject, type JsonObject, type JsonValue } from "../kit/json.ts";
import { show } from "../kit/match_value.ts";
import { TIMED_OUT, waitFor } from "./wait_for.ts";
import type { Trace } from "./trace.ts";

/** Carries what the kit sends. */
export interface RpcWire {
  /** Sends one message. */
  send(message: JsonValue): void;
  /** Sends a line that may be no message at all. */
  sendText(line: string): void;
  /** Sends bytes as they are, cut into pieces of the sizes given. */
  sendBytes(bytes: Uint8Array, chunks: readonly number[]): void | Promise<void>;
}

/** What the other side sent, as far as it is a message. */
export type RpcMessage = Readonly<Record<string, unknown>>;

/** After so many breaches nothing more is listened to: the wire is flooded. */
const MAX_BREACHES = 1000;
/** How many messages nobody has asked for are kept. */
const MAX_WAITING = 10_000;

/** One side of a conversation, for one case. */
export class RpcConnection {
  /** Where what goes over the wire is noted. */
  readonly trace: Trace;
  /** Sees every message first; what it takes, no step has to wait for. */
  intercept: (message: RpcMessage) => boolean = () => false;
  readonly #wire: RpcWire;
  readonly #firstId: number;
  readonly #gone: ReadonlySet<unknown>;
  readonly #pending: Map<unknown, (message: RpcMessage) => void> = new Map();
  readonly #cancelled: Set<unknown> = new Set();
  readonly #violations: string[] = [];
  #waiting: RpcMessage[] = [];
  #wake: (() => void) | undefined;

  /**
   * Makes the kit's end of a wire.
   *
   * @param wire carries what it sends
   * @param trace where it notes what goes over the wire
   * @param firstId responses with a lower id answer an earlier case and are passed over
   * @param gone responses with these ids too
   */
  constructor(wire: RpcWire, trace: Trace, firstId = 0, gone: ReadonlySet<unknown> = new Set()) {
    this.#wire = wire;
    this.trace = trace;
    this.#firstId = firstId;
    this.#gone = gone;
  }

  /** The requests that were cancelled; their responses may still come. */
  get cancelled(): ReadonlySet<unknown> {
    return this.#cancelled;
  }

  /** What broke the rules of JSON-RPC so far. */
  get violations(): readonly string[] {
    return this.#violations;
  }

  /** Messages that nobody has asked for, notifications left out. */
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

  /** Sends a line that may be no message at all. */
  sendText(line: string): void {
    this.trace.add("→", line);
    this.#wire.sendText(line);
  }

  /** Sends bytes. */
  async sendBytes(bytes: Uint8Array, chunks: readonly number[]): Promise<void> {
    this.trace.add("→", `${bytes.length} bytes`);
    await this.#wire.sendBytes(bytes, chunks);
  }

  /** Sends a request; the promise resolves with the response that has its id. */
  request(request: JsonObject & { readonly id: string | number }): Promise<RpcMessage> {
    const response = new Promise<RpcMessage>((resolve) => this.#pending.set(request.id, resolve));
    this.send(request);
    return response;
  }

  /** No longer waits for the response to a request; it may still come. */
  forget(id: string | number): void {
    this.#pending.delete(id);
    this.#cancelled.add(id);
  }

  /** Takes a value that came over the wire. */
  take(value: unknown): void {
    if (this.#violations.length >= MAX_BREACHES) return;
    this.trace.add("←", show(value, 2000));
    if (!isObject(value)) {
      this.#violations.push(`sent ${show(value, 100)}, which is not a message`);
      return;
    }
    const violation = findRpcViolation(value);
    if (violation !== undefined) this.#violations.push(`${violation}: ${show(value, 200)}`);
    if (this.intercept(value)) return;
    const settle = "method" in value ? undefined : this.#pending.get(value.id);
    if (settle !== undefined) {
      this.#pending.delete(value.id);
      return settle(value);
    }
    if (!("method" in value) && this.#isLate(value.id)) return;
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push(value);
    this.#wake?.();
  }

  #isLate(id: unknown): boolean {
    return this.#gone.has(id) || (typeof id === "number" && id < this.#firstId);
  }

  /** Takes out the first waiting message that a test accepts, waiting for it if need be. */
  async next(test: (message: RpcMessage) => boolean, ms: number): Promise<RpcMessage | undefined> {
    const until = performance.now() + ms;
    while (true) {
      const index = this.#waiting.findIndex(test);
      if (index >= 0) return this.#waiting.splice(index, 1)[0];
      const left = until - performance.now();
      if (left <= 0) return undefined;
      const arrival = new Promise<void>((resolve) => this.#wake = resolve);
      if (await waitFor(arrival, left) === TIMED_OUT) return undefined;
    }
  }
}

/** Whether a message asks for no answer. */
export function isNotification(message: RpcMessage): boolean {
  return "method" in message && !("id" in message);
}

/** Finds the first breach of JSON-RPC 2.0 in a message. */
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
