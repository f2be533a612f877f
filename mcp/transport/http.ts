/**
 * HTTP transports: {@linkcode HttpTransport} and {@linkcode SseTransport}. A client can connect to
 * any HTTP server with either transport. The two HTTP transports differ only in the protocol that
 * the client tries first.
 *
 * @module
 */

import { McpError, McpErrorCode } from "../shared/error.ts";
import type { McpRequest, McpResponse } from "../jsonrpc/message.ts";
import type { McpTransport, Pipe } from "../jsonrpc/contracts.ts";
import { PipeTransport } from "./pipe_transport.ts";
import { openSsePipe } from "./sse.ts";
import { StreamableHttpPipe } from "./streamable_http.ts";
import { type HttpEndpoint, httpEndpoint, type HttpTransportOptions } from "./http_request.ts";

/**
 * A transport over Streamable HTTP. Each JSON-RPC request is sent as an HTTP POST request, and the
 * server responds with JSON or with an event stream.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http Streamable HTTP}
 *
 * @example Create a client for an HTTP server
 * ```ts
 * import { HttpTransport, McpClient } from "@parley/mcp/client";
 * import { assertEquals } from "@std/assert";
 *
 * const transport = new HttpTransport("https://example.com/mcp", {
 *   headers: { "x-api-key": "..." },
 * });
 * const client = new McpClient({ transport });
 * assertEquals(client.connected, false);
 * ```
 */
export class HttpTransport implements McpTransport {
  /** Server URL and transport options. */
  readonly endpoint: HttpEndpoint;
  readonly #pipe: PipeTransport;

  /**
   * Creates a transport without sending a request.
   *
   * @param url URL of the MCP endpoint.
   * @param options Headers, limits and a custom `fetch` function.
   * @throws {TypeError} If the URL is not an HTTP or HTTPS URL, or if a header or an option is
   * invalid.
   * @throws {RangeError} If a limit or a delay is out of range.
   */
  constructor(url: string, options: HttpTransportOptions = {}) {
    this.endpoint = httpEndpoint(url, "http", options);
    this.#pipe = new PipeTransport("http", () => new StreamableHttpPipe(this.endpoint));
  }

  /**
   * Sends a request. Resolves when the response has been received.
   *
   * @throws {TypeError} If the request id is not a string or an integer.
   * @throws {McpError} With code `transport_error` if the transport is closed, or if the server
   * sends no response or responds with an HTTP error.
   * @throws {McpError} With code `protocol_error` if the server responds with an HTTP error that
   * contains a JSON-RPC error, or with an invalid response.
   * @throws {McpError} With code `auth_error` if the server requires authorization.
   */
  send(request: McpRequest): Promise<void> {
    return this.#pipe.send(request);
  }

  /**
   * Waits for the next response and ignores all other messages.
   *
   * @throws {McpError} With code `transport_error` if the transport is closed.
   */
  receive(): Promise<McpResponse> {
    return this.#pipe.receive();
  }

  /** Closes the transport. Closing the transport rejects a pending `receive()`. */
  close(): Promise<void> {
    return this.#pipe.close();
  }

  /** Closes the transport. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * A transport over HTTP+SSE (protocol version 2024-11-05): requests are POST requests, and all
 * responses arrive on one event stream. If the server does not support HTTP+SSE, the transport uses
 * Streamable HTTP.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse HTTP with SSE}
 *
 * @example Create a client for a server with HTTP+SSE
 * ```ts
 * import { McpClient, SseTransport } from "@parley/mcp/client";
 * import { assertEquals } from "@std/assert";
 *
 * const client = new McpClient({ transport: new SseTransport("https://example.com/sse") });
 * assertEquals(client.connected, false);
 * ```
 */
export class SseTransport implements McpTransport {
  /** Server URL and transport options. */
  readonly endpoint: HttpEndpoint;
  readonly #pipe: PipeTransport;

  /**
   * Creates a transport without sending a request.
   *
   * @param url URL of the event stream.
   * @param options Headers, limits and a custom `fetch` function.
   * @throws {TypeError} If the URL is not an HTTP or HTTPS URL, or if a header or an option is
   * invalid.
   * @throws {RangeError} If a limit or a delay is out of range.
   */
  constructor(url: string, options: HttpTransportOptions = {}) {
    this.endpoint = httpEndpoint(url, "sse", options);
    this.#pipe = new PipeTransport("sse", (signal) => openEventPipe(this.endpoint, signal));
  }

  /**
   * Sends a request.
   *
   * @throws {TypeError} If the request id is not a string or an integer.
   * @throws {McpError} With code `transport_error` if the transport is closed, or if the server
   * sends no response or responds with an HTTP error.
   * @throws {McpError} With code `protocol_error` if the server responds with an HTTP error that
   * contains a JSON-RPC error.
   * @throws {McpError} With code `auth_error` if the server requires authorization.
   */
  send(request: McpRequest): Promise<void> {
    return this.#pipe.send(request);
  }

  /**
   * Waits for the next response and ignores all other messages.
   *
   * @throws {McpError} With code `transport_error` if the transport is closed or the connection is
   * lost.
   */
  receive(): Promise<McpResponse> {
    return this.#pipe.receive();
  }

  /** Closes the transport. Closing the transport rejects a pending `receive()`. */
  close(): Promise<void> {
    return this.#pipe.close();
  }

  /** Closes the transport. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

async function openEventPipe(endpoint: HttpEndpoint, signal: AbortSignal): Promise<Pipe> {
  try {
    return await openSsePipe(endpoint, { signal });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof McpError) || error.code === McpErrorCode.AuthError) throw error;
    return new StreamableHttpPipe(endpoint);
  }
}
