/**
 * Client connection over modern Streamable HTTP: each request is a POST request, and closing the
 * response cancels the request.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http Streamable HTTP}
 * @module
 */

import { McpError } from "../shared/error.ts";
import { encodeHeaderValue, HeaderName, nameOf } from "../protocol/headers.ts";
import { MetaKey, metaOf } from "../protocol/meta.ts";
import { Method } from "../protocol/methods.ts";
import {
  isResponse,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
  stringifyMessage,
} from "../jsonrpc/message.ts";
import type { MessageFrame } from "../jsonrpc/read_frame.ts";
import { TimeoutScheduler } from "../shared/timeout_scheduler.ts";
import type { Connection, ConnectionReports, ExchangeOptions } from "../jsonrpc/contracts.ts";
import type { Tolerance } from "../jsonrpc/deviation.ts";
import { ACCEPT_ANY, callHttp, type HttpEndpoint } from "./http_request.ts";
import { HTTP_LABEL, readItems } from "./http_response.ts";
import { ToolHeaders } from "./tool_headers.ts";

/**
 * A client connection to a modern HTTP server. No network connection stays open between requests.
 */
export class ModernHttpConnection implements Connection {
  /** Name of the connection in error messages. */
  readonly label: string = HTTP_LABEL;
  /** Scheduler for request timeouts. */
  readonly timeouts: TimeoutScheduler = new TimeoutScheduler();
  /**
   * Unsolicited messages from the server; always empty, because modern servers send messages only
   * in HTTP responses.
   */
  readonly unsolicited: AsyncIterable<RpcNotification> = nothing();
  readonly #endpoint: HttpEndpoint;
  readonly #tools: ToolHeaders;
  readonly #nameKeys: ReadonlyMap<string, string> | undefined;
  readonly #tolerance: Tolerance | undefined;
  readonly #inFlight = new Set<AbortController>();
  #ended: McpError | undefined;

  /** Creates a connection to an endpoint without sending a request. */
  constructor(
    endpoint: HttpEndpoint,
    { onError, tolerance }: ConnectionReports,
    nameKeys?: ReadonlyMap<string, string>,
  ) {
    this.#endpoint = endpoint;
    this.#nameKeys = nameKeys;
    this.#tolerance = tolerance;
    this.#tools = new ToolHeaders(onError);
  }

  /** Reason the connection has ended, or `undefined` while it is open. */
  get ended(): Error | undefined {
    return this.#ended;
  }

  /** Sends a request and returns its response. */
  async exchange(
    request: RpcRequest,
    options: ExchangeOptions,
  ): Promise<RpcResponse> {
    const { signal, pauseTimeout } = options;
    if (this.#ended !== undefined) throw this.#ended;
    signal.throwIfAborted();
    // Do not use `AbortSignal.any()` here: it would make long-lived signals keep a reference to
    // every call.
    const stop = new AbortController();
    const abort = (): void => stop.abort(signal.reason);
    signal.addEventListener("abort", abort);
    this.#inFlight.add(stop);
    try {
      const response = await callHttp(this.#endpoint, {
        method: "POST",
        headers: { accept: ACCEPT_ANY, ...this.#headers(request) },
        body: stringifyMessage(request),
        signal: stop.signal,
        ...(pauseTimeout === undefined ? {} : { pauseTimeout }),
      });
      const reading = {
        signal: stop.signal,
        method: request.method,
        tolerance: this.#tolerance,
      };
      for await (const item of readItems(response, this.#endpoint, reading)) {
        if (item.kind !== "frame" || item.frame.kind === "batch") continue;
        const message = this.#read(item.frame, request, response.status);
        if (message === undefined) continue;
        if (isResponse(message)) return message;
        options.onNotification?.(message);
      }
      throw McpError.transportError(
        HTTP_LABEL,
        `the response to "${request.method}" is incomplete`,
      );
    } catch (error) {
      // If the caller aborted the request, reject with the abort reason.
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener("abort", abort);
      this.#inFlight.delete(stop);
    }
  }

  /** Closes the connection and rejects every request in flight. */
  close(): Promise<void> {
    this.#ended ??= McpError.transportError(HTTP_LABEL, "closed");
    this.timeouts.stop();
    for (const stop of this.#inFlight) stop.abort(this.#ended);
    return Promise.resolve();
  }

  #headers({ method, params = {} }: RpcRequest | RpcNotification): Record<string, string> {
    const name = nameOf({ method, params }, this.#nameKeys);
    return {
      [HeaderName.ProtocolVersion]: String(metaOf(params)[MetaKey.ProtocolVersion]),
      [HeaderName.Method]: method,
      ...(name === undefined ? {} : { [HeaderName.Name]: encodeHeaderValue(name) }),
      ...(method === Method.CallTool ? this.#tools.headersFor(params) : {}),
    };
  }

  /**
   * Returns the message in a frame if the message belongs to the request. Server requests are
   * ignored, because modern servers do not send requests.
   */
  #read(
    frame: MessageFrame,
    request: RpcRequest,
    httpStatus: number,
  ): RpcNotification | RpcResponse | undefined {
    switch (frame.kind) {
      case "notification":
        return frame.message;
      case "response": {
        const { message: { id }, deviation } = frame;
        // Accepts a numeric request id that the server returns as a string, as some servers do.
        if (id !== null && String(id) !== String(request.id)) return undefined;
        if (id !== null && id !== request.id) this.#tolerance?.(TEXT_ID, request.method);
        if (deviation !== undefined) this.#tolerance?.(deviation, request.method);
        return this.#learn(frame.message, request);
      }
      case "invalid":
        throw McpError.protocolError(frame.reason, { httpStatus });
      case "request":
        return undefined;
      default:
        return frame satisfies never;
    }
  }

  #learn(message: RpcResponse, { method, params }: RpcRequest): RpcResponse {
    if (method !== Method.ListTools || !("result" in message)) return message;
    return { ...message, result: this.#tools.learn(message.result, params?.cursor === undefined) };
  }
}

/** The deviation of a response that contains a numeric request id as text. */
const TEXT_ID = { what: '"id" is text instead of a number' };

async function* nothing(): AsyncGenerator<never, void> {}
