/**
 * The two HTTP transports of the specification. Both lead a client to any server on the web; they differ in what is
 * tried first.
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
 * Each request is an HTTP POST, its response comes as the HTTP response (as JSON or as an event stream).
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http Streamable HTTP}
 *
 * @example A client of a server on the web
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
  /** Where the server is and how it is reached. */
  readonly endpoint: HttpEndpoint;
  readonly #pipe: PipeTransport;

  /**
   * Takes the address; nothing is sent.
   *
   * @param url where the server is
   * @param options headers, limits, another `fetch`
   * @throws {TypeError} when the URL is not one of HTTP, or a header cannot be sent
   */
  constructor(url: string, options: HttpTransportOptions = {}) {
    this.endpoint = httpEndpoint(url, "http", options);
    this.#pipe = new PipeTransport("http", () => new StreamableHttpPipe(this.endpoint));
  }

  /**
   * Sends one request; resolves once its response has come.
   *
   * @throws {TypeError} when its id is not a string or an integer
   * @throws {McpError} `transport_error` when the transport is closed, there is no response or it is a refusal
   */
  send(request: McpRequest): Promise<void> {
    return this.#pipe.send(request);
  }

  /**
   * Waits for the next response. Whatever else comes in is skipped.
   *
   * @throws {McpError} `transport_error` when the transport is closed
   */
  receive(): Promise<McpResponse> {
    return this.#pipe.receive();
  }

  /** Ends the transport. A waiting `receive` rejects. */
  close(): Promise<void> {
    return this.#pipe.close();
  }

  /** Ends the transport. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * Requests go out as HTTP POST, responses arrive on an event stream: on one for all of them where the server has that
 * (revision 2024-11-05), otherwise on one for each.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse HTTP with SSE}
 *
 * @example A client of an older server on the web
 * ```ts
 * import { McpClient, SseTransport } from "@parley/mcp/client";
 * import { assertEquals } from "@std/assert";
 *
 * const client = new McpClient({ transport: new SseTransport("https://example.com/sse") });
 * assertEquals(client.connected, false);
 * ```
 */
export class SseTransport implements McpTransport {
  /** Where the server is and how it is reached. */
  readonly endpoint: HttpEndpoint;
  readonly #pipe: PipeTransport;
  readonly #closing = new AbortController();

  /**
   * Takes the address; nothing is sent.
   *
   * @param url where the server is
   * @param options headers, limits, another `fetch`
   * @throws {TypeError} when the URL is not one of HTTP, or a header cannot be sent
   */
  constructor(url: string, options: HttpTransportOptions = {}) {
    this.endpoint = httpEndpoint(url, "sse", options);
    this.#pipe = new PipeTransport("sse", () => openEventPipe(this.endpoint, this.#closing.signal));
  }

  /**
   * Sends one request.
   *
   * @throws {TypeError} when its id is not a string or an integer
   * @throws {McpError} `transport_error` when the transport is closed, or the server refuses
   */
  send(request: McpRequest): Promise<void> {
    return this.#pipe.send(request);
  }

  /**
   * Waits for the next response. Whatever else comes in is skipped.
   *
   * @throws {McpError} `transport_error` when the transport is closed or broken
   */
  receive(): Promise<McpResponse> {
    return this.#pipe.receive();
  }

  /** Ends the transport. A waiting `receive` rejects. */
  close(): Promise<void> {
    this.#closing.abort();
    return this.#pipe.close();
  }

  /** Ends the transport. */
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
