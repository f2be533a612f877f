/**
 * Requests from a legacy server to the client, and their responses.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation Elicitation}
 * @module
 */

import { handleInputRequest } from "./input_handlers.ts";
import type { SessionOptions } from "./session.ts";
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
import type { Connection } from "../jsonrpc/contracts.ts";

/**
 * The server requests in a legacy session. The client responds to requests beyond `maxInputRequests` in progress with an
 * error.
 */
export class ServerRequests {
  readonly #connection: Connection;
  readonly #options: SessionOptions;
  readonly #pending = new Map<RequestId, AbortController>();

  /** Creates a request handler that sends its responses over a connection. */
  constructor(connection: Connection, options: SessionOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  /** Handles a server request. Resolves when the response has been sent or the request was cancelled. */
  async answer(request: RpcRequest): Promise<void> {
    if (this.#pending.has(request.id) || this.#pending.size >= this.#options.maxInputRequests) {
      const message = "Too many requests in progress or duplicate id";
      const error = { code: RpcErrorCode.InternalError, message };
      return await this.#connection.send(failure(request.id, error));
    }
    const controller = new AbortController();
    this.#pending.set(request.id, controller);
    const response = await this.#respond(request, controller.signal);
    this.#pending.delete(request.id);
    if (!controller.signal.aborted) await this.#connection.send(response);
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
      return success(id, await handleInputRequest(this.#options, method, params, signal));
    } catch (error) {
      if (error instanceof McpError && error.rpcCode !== undefined) {
        const message = "reason" in error.details ? error.details.reason : error.message;
        return failure(id, { code: error.rpcCode, message });
      }
      // `onError` has received the error. The server must not receive details about errors on the client side.
      return failure(id, { code: RpcErrorCode.InternalError, message: "Internal error" });
    }
  }
}
