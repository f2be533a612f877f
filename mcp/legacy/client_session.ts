/**
 * The handshake era (up to 2025-11-25) from the client's side: `initialize`, and answers to what the server asks.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle Lifecycle}
 * @module
 */

import { answerInput, capabilitiesOf } from "../client/input.ts";
import type { HandshakeOptions } from "../client/detect.ts";
import { type RequestOptions, sendRequest } from "../client/request.ts";
import type { Session, SessionOptions } from "../client/session.ts";
import { McpError } from "../error.ts";
import type { JsonObject } from "../json.ts";
import {
  initializeParams,
  readInitializeResult,
  type ServerDescription,
} from "../protocol/handshake.ts";
import { MetaKey, metaOf } from "../protocol/meta.ts";
import { Method, Notice } from "../protocol/methods.ts";
import { LATEST_HANDSHAKE_VERSION } from "../protocol/revisions.ts";
import { RpcErrorCode } from "../rpc/codes.ts";
import {
  failure,
  isRequest,
  isRequestId,
  notification,
  request as makeRequest,
  type RequestId,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
  success,
} from "../rpc/message.ts";
import type { Connection } from "../rpc/transport.ts";

/** How many questions of the server are worked on at once; more are refused. */
const MAX_QUESTIONS = 100;

/**
 * Opens a session: `initialize`, its answer, `notifications/initialized`.
 *
 * @throws {McpError} `protocol_error` when the answer is an error, is not valid or names an unknown version
 */
export async function openClientSession(
  connection: Connection,
  options: SessionOptions & HandshakeOptions,
): Promise<Session> {
  const { version = LATEST_HANDSHAKE_VERSION, info, handlers, nextId, timeoutMs, signal } = options;
  const params = initializeParams(version, capabilitiesOf(handlers), info);
  const request = makeRequest(nextId(), Method.Initialize, params);
  const server = readInitializeResult(
    await sendRequest(connection, request, { timeoutMs, signal }),
  );
  if (typeof server === "string") throw McpError.protocolError(`cannot initialize: ${server}`);
  await connection.send(notification(Notice.Initialized));
  return new ClientSession(connection, server, options);
}

class ClientSession implements Session {
  readonly server: ServerDescription;
  readonly #connection: Connection;
  readonly #options: SessionOptions;
  readonly #questions = new Map<RequestId, AbortController>();

  constructor(connection: Connection, server: ServerDescription, options: SessionOptions) {
    this.server = server;
    this.#connection = connection;
    this.#options = options;
    this.#listen();
  }

  get ended(): Error | undefined {
    return this.#connection.ended;
  }

  request(method: string, params: JsonObject, options: RequestOptions = {}): Promise<JsonObject> {
    const id = this.#options.nextId();
    const all = options.progress === undefined
      ? params
      : { ...params, _meta: { ...metaOf(params), [MetaKey.ProgressToken]: id } };
    return sendRequest(this.#connection, makeRequest(id, method, all), options);
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  async #listen(): Promise<void> {
    for await (const message of this.#connection.unsolicited) {
      if (isRequest(message)) this.#answer(message);
      else if (message.method === Notice.Cancelled) this.#cancel(message);
      else this.#options.notified(message);
    }
    for (const controller of this.#questions.values()) controller.abort(this.ended);
  }

  #cancel({ params }: RpcNotification): void {
    if (isRequestId(params?.requestId)) this.#questions.get(params.requestId)?.abort();
  }

  async #answer(request: RpcRequest): Promise<void> {
    const controller = new AbortController();
    const isKnown = this.#questions.has(request.id);
    if (!isKnown) this.#questions.set(request.id, controller);
    const isTooMuch = isKnown || this.#questions.size > MAX_QUESTIONS;
    const response = isTooMuch
      ? failure(request.id, { code: RpcErrorCode.InternalError, message: "Too many questions" })
      : await this.#respond(request, controller.signal);
    if (!isKnown) this.#questions.delete(request.id);
    // Who has asked is told nothing more once it does not want to know, or is gone.
    if (!controller.signal.aborted) await this.#connection.send(response).catch(() => {});
  }

  async #respond(request: RpcRequest, signal: AbortSignal): Promise<RpcResponse> {
    const { id, method, params = {} } = request;
    if (method === Method.Ping) return success(id, {});
    try {
      return success(id, await answerInput(this.#options.handlers, method, params, signal));
    } catch (error) {
      if (error instanceof McpError && error.rpcCode !== undefined) {
        const message = "reason" in error.details ? error.details.reason : error.message;
        return failure(id, { code: error.rpcCode, message });
      }
      return failure(id, { code: RpcErrorCode.InternalError, message: "Internal error" });
    }
  }
}
