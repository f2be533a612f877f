/**
 * HTTP in the modern era (2026-07-28): each request is a POST, its response holds everything that belongs to it,
 * and to close the response is to cancel.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http Streamable HTTP}
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
import type { Connection, ExchangeOptions } from "../jsonrpc/contracts.ts";
import { ACCEPT_ANY, callHttp, HTTP_LABEL, type HttpEndpoint, readItems } from "./http_request.ts";
import { ToolHeaders } from "./tool_headers.ts";

/** A connection without a connection: nothing lasts longer than a request. */
export class ModernHttpConnection implements Connection {
  /** What to call it in errors. */
  readonly label: string = HTTP_LABEL;
  /** Rings for those who wait for the server. */
  readonly timeouts: TimeoutScheduler = new TimeoutScheduler();
  /** A server of this era sends nothing of its own accord. */
  readonly unsolicited: AsyncIterable<RpcNotification> = nothing();
  readonly #endpoint: HttpEndpoint;
  readonly #tools: ToolHeaders;
  readonly #nameKeys: ReadonlyMap<string, string> | undefined;
  readonly #inFlight = new Set<AbortController>();
  #ended: McpError | undefined;

  /** Takes an endpoint; nothing is sent. */
  constructor(
    endpoint: HttpEndpoint,
    onError: (error: unknown) => void,
    nameKeys?: ReadonlyMap<string, string>,
  ) {
    this.#endpoint = endpoint;
    this.#nameKeys = nameKeys;
    this.#tools = new ToolHeaders(onError);
  }

  /** Why the connection has ended. */
  get ended(): Error | undefined {
    return this.#ended;
  }

  /** Sends a request and reads its response. */
  async exchange(
    request: RpcRequest,
    { signal, pauseTimeout, onNotification }: ExchangeOptions,
  ): Promise<RpcResponse> {
    if (this.#ended !== undefined) throw this.#ended;
    signal.throwIfAborted();
    // AbortSignal.any would leave a trace of each call at signals that live long.
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
      for await (const item of readItems(response, this.#endpoint)) {
        if (item.kind !== "frame" || item.frame.kind === "batch") continue;
        const message = this.#read(item.frame, request);
        if (message === undefined) continue;
        if (isResponse(message)) return message;
        onNotification?.(message);
      }
      throw McpError.transportError(HTTP_LABEL, `the response to "${request.method}" ended early`);
    } catch (error) {
      // Whoever gave up knows why.
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener("abort", abort);
      this.#inFlight.delete(stop);
    }
  }

  /** Sends a notification. */
  async send(message: RpcNotification | RpcResponse): Promise<void> {
    if (this.#ended !== undefined) throw this.#ended;
    const stop = new AbortController();
    this.#inFlight.add(stop);
    try {
      const response = await callHttp(this.#endpoint, {
        method: "POST",
        headers: { accept: ACCEPT_ANY, ...("method" in message ? this.#headers(message) : {}) },
        body: stringifyMessage(message),
        signal: stop.signal,
      });
      await response.body?.cancel();
    } finally {
      this.#inFlight.delete(stop);
    }
  }

  /** Ends every exchange. */
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

  /** What a frame means for the request; requests of a server have no place here and are passed over. */
  #read(frame: MessageFrame, request: RpcRequest): RpcNotification | RpcResponse | undefined {
    switch (frame.kind) {
      case "notification":
        return frame.message;
      case "response": {
        const { id } = frame.message;
        // Some servers write the number of a request as a string.
        if (id !== null && String(id) !== String(request.id)) return undefined;
        return this.#learn(frame.message, request);
      }
      case "invalid":
        throw McpError.protocolError(frame.reason);
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

async function* nothing(): AsyncGenerator<never, void> {}
