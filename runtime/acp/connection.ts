/**
 * JSON-RPC 2.0 in both directions over lines.
 *
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import type { UnknownRecord } from "@parley/internal/json";
import type { Line } from "@parley/internal/split-lines";
import { AgentError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { createAbortReason } from "../shared/platform.ts";
import { readMessage, type RequestId, type RpcErrorObject } from "./read_message.ts";
import { AcpErrorCode, RpcError } from "./rpc_error.ts";

/** Handles the messages of the editor. */
export interface RpcHandler {
  /** Handles a request. The signal aborts if the editor cancels it, or the connection ends. */
  handle(method: string, params: UnknownRecord, signal: AbortSignal): Promise<JsonObject>;
  /** Handles a notification. */
  notify(method: string, params: UnknownRecord): void;
}

/** Settings of a connection. */
export interface ConnectionSettings {
  /** Maximum number of requests in progress, in each direction. */
  readonly maxRequests: number;
  /** Maximum time for which the editor may leave a message unread, in milliseconds. */
  readonly unreadTimeoutMs: number;
  /** Receives errors that no caller receives. */
  readonly report: (error: unknown) => void;
}

/** Options for a request to the editor. */
export interface EditorRequestOptions {
  /** Cancels the request. */
  readonly signal?: AbortSignal | undefined;
  /** Maximum time to wait for the response, in milliseconds. If omitted, unlimited. */
  readonly timeoutMs?: number | undefined;
}

/** Writes text. Returns `undefined` if the text was written synchronously. */
export type WriteText = (text: string) => Promise<void> | undefined;

/** Maximum time for writing each message after the end of the input, in milliseconds. */
const DRAIN_MS = 2000;

interface PendingRequest {
  readonly method: string;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A connection to an editor. Messages are written in the order of the calls, each after the one
 * before was written. Every sender waits until its message is written, so the number of unwritten
 * messages is limited by the number of requests and prompts in progress.
 */
export class Connection {
  readonly #write: WriteText;
  readonly #settings: ConnectionSettings;
  readonly #pending = new Map<number, PendingRequest>();
  readonly #inFlight = new Map<RequestId, AbortController>();
  readonly #responding = new Set<Promise<void>>();
  readonly #ended = new AbortController();
  readonly #inputEnded = new AbortController();
  #failure: AgentError | undefined;
  /** The timer of the message that is being written. */
  #unread: ReturnType<typeof setTimeout> | undefined;
  #lastWrite: Promise<void> = Promise.resolve();
  #nextId = 0;

  constructor(write: WriteText, settings: ConnectionSettings) {
    this.#write = write;
    this.#settings = settings;
  }

  /** Aborts when nothing can be written anymore. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** The error if the editor does not read. `undefined` if it has only closed the output. */
  get failure(): AgentError | undefined {
    return this.#failure;
  }

  /**
   * Writes a message after all earlier ones. Rejects if the connection has ended, or the editor
   * does not read.
   */
  send(message: JsonObject): Promise<void> {
    const line = `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
    const written = this.#lastWrite.then(() => this.#writeLine(line));
    this.#lastWrite = written.catch(() => {});
    return written;
  }

  /**
   * Sends a request to the editor, and returns its result.
   *
   * @throws {AgentError} With code `core` if the editor responds with an error or not in time, or
   * the connection ends.
   * @throws {AgentError} With code `capacity_exceeded` if too many requests are in progress.
   * @throws The signal's reason if the signal aborts.
   */
  async request(
    method: string,
    params: JsonObject,
    { signal, timeoutMs }: EditorRequestOptions = {},
  ): Promise<unknown> {
    signal?.throwIfAborted();
    this.#inputEnded.signal.throwIfAborted();
    const { maxRequests } = this.#settings;
    if (this.#pending.size >= maxRequests) {
      throw AgentError.capacityExceeded("requests to the editor", maxRequests);
    }
    const id = this.#nextId++;
    const { promise, reject, resolve } = Promise.withResolvers<unknown>();
    // The connection may end while the request is being written.
    promise.catch(() => {});
    this.#pending.set(id, { method, resolve, reject });
    const late = (): void => reject(failure(method, `no response after ${timeoutMs} ms`));
    const timer = timeoutMs === undefined ? undefined : setTimeout(late, timeoutMs);
    try {
      await abortable(this.send({ id, method, params }), signal);
      return await abortable(promise, signal);
    } finally {
      clearTimeout(timer);
      // The editor has not responded: it need not complete the request.
      if (this.#pending.delete(id)) this.#cancel(id);
    }
  }

  /**
   * Handles a line. Returns a promise if the next line must wait for the response to a line that is
   * not a message.
   */
  receive(line: Line, handler: RpcHandler): Promise<boolean> | undefined {
    const message = readMessage(line);
    switch (message.kind) {
      case "response":
        this.#take(message.id)?.resolve(message.result);
        return undefined;
      case "failure": {
        const { code, message: text } = message.error;
        const pending = this.#take(message.id);
        pending?.reject(failure(pending.method, `the editor returned error ${code}: ${text}`));
        return undefined;
      }
      case "notification":
        this.#notify(message, handler);
        return undefined;
      case "request":
        return this.#accept(message, handler);
      case "invalid":
        return this.#refuse(message.id, message.error);
      default:
        return message satisfies never;
    }
  }

  /**
   * Ends the input: cancels the requests in progress, in both directions, and waits until the
   * requests of the editor are responded to.
   */
  async endInput(): Promise<void> {
    const reason = createAbortReason("The input has ended", "AbortError");
    this.#inputEnded.abort(reason);
    if (this.#unread !== undefined) this.#limitUnread();
    // The requests of a prompt then end with the reason of the prompt.
    for (const controller of this.#inFlight.values()) controller.abort(reason);
    for (const { method, reject } of this.#pending.values()) {
      reject(failure(method, "the connection has ended"));
    }
    this.#pending.clear();
    await Promise.all(this.#responding);
    await this.#lastWrite;
  }

  #take(id: unknown): PendingRequest | undefined {
    // The editor may respond to a request that was cancelled, or with an unknown id.
    if (typeof id !== "number") return undefined;
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }

  #cancel(id: number): void {
    if (this.#ended.signal.aborted || this.#inputEnded.signal.aborted) return;
    // If the notification cannot be written, the connection has ended.
    this.send({ method: "$/cancel_request", params: { requestId: id } }).catch(() => {});
  }

  #notify(
    { method, params }: { readonly method: string; readonly params: UnknownRecord },
    handler: RpcHandler,
  ): void {
    if (method !== "$/cancel_request") return handler.notify(method, params);
    const { requestId } = params;
    if (typeof requestId !== "string" && typeof requestId !== "number") return;
    this.#inFlight.get(requestId)?.abort(
      createAbortReason("The editor cancelled the request", "AbortError"),
    );
  }

  #accept(
    { id, method, params }: {
      readonly id: RequestId;
      readonly method: string;
      readonly params: UnknownRecord;
    },
    handler: RpcHandler,
  ): Promise<boolean> | undefined {
    const { maxRequests } = this.#settings;
    if (this.#inFlight.has(id)) {
      const message = 'Invalid Request: "id" is already in use';
      return this.#refuse(id, { code: AcpErrorCode.InvalidRequest, message });
    }
    if (this.#inFlight.size >= maxRequests) {
      const message = `Too many requests are in progress: the maximum is ${maxRequests}`;
      return this.#refuse(id, { code: AcpErrorCode.InternalError, message });
    }
    const controller = new AbortController();
    this.#inFlight.set(id, controller);
    const responding = this.#respond(id, handler.handle(method, params, controller.signal))
      .finally(() => {
        this.#inFlight.delete(id);
        this.#responding.delete(responding);
      });
    this.#responding.add(responding);
    return undefined;
  }

  /** Sends the response to a request. Never rejects. */
  async #respond(id: RequestId, work: Promise<JsonObject>): Promise<void> {
    let response: JsonObject;
    try {
      response = { id, result: await work };
    } catch (error) {
      const isKnown = error instanceof RpcError;
      if (!isKnown && error !== this.#ended.signal.reason) this.#settings.report(error);
      const code = isKnown ? error.code : AcpErrorCode.InternalError;
      response = { id, error: { code, message: isKnown ? error.message : "Internal error" } };
    }
    // If the response cannot be written, the connection has ended.
    await this.send(response).catch(() => {});
  }

  /** Responds with an error before the next line is read. */
  async #refuse(id: RequestId | null, { code, message }: RpcErrorObject): Promise<boolean> {
    await this.send({ id, error: { code, message } }).catch(() => {});
    return !this.#ended.signal.aborted;
  }

  async #writeLine(line: string): Promise<void> {
    const { signal } = this.#ended;
    signal.throwIfAborted();
    this.#limitUnread();
    try {
      await abortable(this.#tryWrite(line), signal);
    } finally {
      clearTimeout(this.#unread);
      this.#unread = undefined;
    }
  }

  /** Limits the time for which the editor may leave the current message unread. */
  #limitUnread(): void {
    clearTimeout(this.#unread);
    const { unreadTimeoutMs } = this.#settings;
    const hasEnded = this.#inputEnded.signal.aborted;
    const timeoutMs = hasEnded ? Math.min(unreadTimeoutMs, DRAIN_MS) : unreadTimeoutMs;
    this.#unread = setTimeout(() => {
      const reason = `the editor has not read a message for ${timeoutMs} ms`;
      const error = AgentError.core(`Cannot write to the editor: ${reason}`);
      // The editor may have disappeared.
      if (!hasEnded) this.#failure = error;
      this.#ended.abort(error);
    }, timeoutMs);
  }

  async #tryWrite(line: string): Promise<void> {
    try {
      await this.#write(line);
    } catch (cause) {
      const error = AgentError.core("Cannot write to the editor: the output is closed", { cause });
      // An editor that disappears closes both directions.
      if (!this.#inputEnded.signal.aborted) this.#settings.report(error);
      this.#ended.abort(error);
      throw error;
    }
  }
}

function failure(method: string, reason: string): AgentError {
  return AgentError.core(`Cannot complete the request "${method}": ${reason}`);
}
