/**
 * Requests from a legacy server to the client, and their responses.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation Elicitation}
 * @module
 */

import { handleInputRequest, type InputOptions } from "./input_handlers.ts";
import { McpError } from "../shared/error.ts";
import { Method } from "../protocol/methods.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import {
  failure,
  isRequestId,
  type RequestId,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
  success,
} from "../jsonrpc/message.ts";
import type { PipeConnection } from "../jsonrpc/contracts.ts";

/** Handlers and declared capabilities, which can change between requests. */
export type AcceptedInput = Pick<InputOptions, "handlers" | "capabilities">;

/**
 * Requests that the server sends to the client in a legacy session. While `maxInputRequests`
 * requests are in progress, the client responds to further requests with an error.
 */
export class ServerRequests {
  readonly #connection: PipeConnection;
  readonly #options: InputOptions;
  readonly #accepted: () => AcceptedInput;
  readonly #pending = new Map<RequestId, AbortController>();
  /** Number of unsent error responses to rejected requests. */
  #refusals = 0;

  /**
   * Creates a request handler that sends its responses over a connection.
   *
   * @param connection Connection to the server.
   * @param options Limits, and the callback for errors.
   * @param accepted Returns the handlers for the next request, and the declared capabilities.
   */
  constructor(
    connection: PipeConnection,
    options: InputOptions,
    accepted: () => AcceptedInput = () => options,
  ) {
    this.#connection = connection;
    this.#options = options;
    this.#accepted = accepted;
  }

  /**
   * Handles a server request. Resolves when the response has been sent or the request was
   * cancelled. A request counts as in progress until its response has been sent, because a server
   * might stop accepting responses.
   *
   * @param request Request from the server.
   * @param onHandling Called with a promise that settles when the handler has finished.
   * @throws {McpError} With code `core` if so many responses are unsent that the request is
   * dropped.
   */
  async answer(
    request: RpcRequest,
    onHandling: (until: Promise<unknown>) => void,
  ): Promise<void> {
    const { maxInputRequests } = this.#options;
    if (this.#pending.has(request.id)) {
      return await this.#refuse(request.id, '"id" is already in use');
    }
    if (this.#pending.size >= maxInputRequests) {
      return await this.#refuse(request.id, "Too many requests are in progress");
    }
    const controller = new AbortController();
    this.#pending.set(request.id, controller);
    try {
      const handling = this.#respond(request, controller.signal);
      if (request.method !== Method.Ping) onHandling(handling);
      const response = await handling;
      if (!controller.signal.aborted) await this.#connection.send(response);
    } finally {
      this.#pending.delete(request.id);
    }
  }

  async #refuse(id: RequestId, message: string): Promise<void> {
    if (this.#refusals >= this.#options.maxInputRequests) {
      throw McpError.core("a server request was dropped because too many responses are unsent");
    }
    this.#refusals++;
    try {
      await this.#connection.send(failure(id, { code: RpcErrorCode.InternalError, message }));
    } finally {
      this.#refusals--;
    }
  }

  /** Cancels a server request, as requested by `notifications/cancelled`. */
  cancel({ params }: RpcNotification): void {
    if (isRequestId(params?.requestId)) this.#pending.get(params.requestId)?.abort();
  }

  /** Cancels all server requests in progress. */
  cancelAll(reason: unknown): void {
    for (const controller of this.#pending.values()) controller.abort(reason);
  }

  async #respond(request: RpcRequest, signal: AbortSignal): Promise<RpcResponse> {
    const { id, method, params = {} } = request;
    if (method === Method.Ping) return success(id, {});
    try {
      const options = { ...this.#options, ...this.#accepted() };
      return success(id, await handleInputRequest(options, method, params, signal));
    } catch (error) {
      if (error instanceof McpError && error.rpcCode !== undefined) {
        const message = "reason" in error.details ? error.details.reason : error.message;
        return failure(id, { code: error.rpcCode, message });
      }
      // `onError` has already received the error. The server must not receive details about errors
      // on the client side.
      return failure(id, { code: RpcErrorCode.InternalError, message: "Internal error" });
    }
  }
}
