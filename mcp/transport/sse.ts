/**
 * HTTP+SSE (protocol version 2024-11-05) as a pipe. One event stream carries all server messages;
 * its `endpoint` event contains the URL for client messages.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse HTTP with SSE}
 * @module
 */

import { connectPipe } from "./pipe_connection.ts";
import { formatValue } from "@parley/internal/format-value";
import { McpError } from "../shared/error.ts";
import { type RpcMessage, stringifyMessage } from "../jsonrpc/message.ts";
import type { Frame } from "../jsonrpc/read_frame.ts";
import type { ConnectionReports, Pipe, PipeConnection, SendOptions } from "../jsonrpc/contracts.ts";
import { Queue } from "../shared/bounded_queue.ts";
import { MAX_TIMER_MS } from "@parley/internal/timers";
import { ACCEPT_EVENTS, callHttp, type HttpEndpoint } from "./http_request.ts";
import { type HttpItem, readItems } from "./http_response.ts";
import { NegotiatedVersion } from "./negotiated_version.ts";

const LABEL = "sse";

/** Options for {@linkcode openSsePipe}. */
export interface OpenSseOptions extends SendOptions {
  /** Signal that aborts the attempt to open the pipe. */
  readonly signal: AbortSignal;
}

/** Options for {@linkcode openSseConnection}. */
export interface OpenSseConnectionOptions extends ConnectionReports {
  /** Signal that aborts the attempt to open the connection. */
  readonly signal: AbortSignal;
  /**
   * Timeout for the `endpoint` event, in milliseconds. Servers that use a different era may open a
   * stream but send nothing.
   */
  readonly probeTimeoutMs: number;
}

/**
 * Opens an HTTP+SSE connection.
 *
 * @throws {McpError} If the event stream cannot be opened, with the same codes as
 * {@linkcode openSsePipe}.
 * @throws {McpError} With code `protocol_error` if the `endpoint` event does not arrive in time.
 */
export async function openSseConnection(
  endpoint: HttpEndpoint,
  { signal, probeTimeoutMs, onError, tolerance }: OpenSseConnectionOptions,
): Promise<PipeConnection> {
  const late = new AbortController();
  const silence = McpError.protocolError(
    `the event stream did not start within ${probeTimeoutMs} ms`,
  );
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (): void => {
    if (isOver) return;
    timer = setTimeout(() => late.abort(silence), Math.min(probeTimeoutMs, MAX_TIMER_MS));
  };
  const pauseTimeout = (until: Promise<unknown>): void => {
    clearTimeout(timer);
    until.then(wait, wait);
  };
  let isOver = false;
  wait();
  try {
    const either = AbortSignal.any([signal, late.signal]);
    const pipe = await openSsePipe(endpoint, { signal: either, pauseTimeout });
    return connectPipe(pipe, { onError, tolerance });
  } finally {
    isOver = true;
    clearTimeout(timer);
  }
}

/**
 * Opens the event stream and waits for the `endpoint` event.
 *
 * @throws {McpError} If the event stream cannot be opened, with the same codes as
 * {@linkcode callHttp}.
 * @throws {McpError} With code `protocol_error` if the response is not an event stream, does not
 * start with an `endpoint` event, or contains a URL with a different origin.
 */
export async function openSsePipe(
  endpoint: HttpEndpoint,
  { signal, pauseTimeout }: OpenSseOptions,
): Promise<Pipe> {
  const closing = new AbortController();
  const give = (): void => closing.abort(signal.reason);
  signal.throwIfAborted();
  signal.addEventListener("abort", give, { once: true });
  try {
    const response = await callHttp(endpoint, {
      method: "GET",
      headers: { accept: ACCEPT_EVENTS },
      signal: closing.signal,
      ...(pauseTimeout === undefined ? {} : { pauseTimeout }),
    });
    const items = readItems(response, endpoint, { signal: closing.signal });
    const url = await readAddress(items, endpoint);
    return new SsePipe(endpoint, { url, items, closing });
  } catch (error) {
    closing.abort(error);
    throw error;
  } finally {
    signal.removeEventListener("abort", give);
  }
}

async function readAddress(
  items: AsyncGenerator<HttpItem, void>,
  endpoint: HttpEndpoint,
): Promise<string> {
  for (let next = await items.next(); !next.done; next = await items.next()) {
    const item = next.value;
    if (item.kind === "frame") break;
    if (item.kind !== "endpoint") continue;
    const url = URL.canParse(item.uri, endpoint.url) ? new URL(item.uri, endpoint.url) : undefined;
    // Only a same-origin URL is allowed, because messages and headers can contain secrets.
    if (url?.origin === new URL(endpoint.url).origin) return url.href;
    throw McpError.protocolError(
      `the "endpoint" event must contain a same-origin URL, got ${formatValue(item.uri)}`,
    );
  }
  throw McpError.protocolError('the event stream does not start with an "endpoint" event');
}

class SsePipe implements Pipe {
  readonly label = LABEL;
  readonly frames: Queue<Frame> = new Queue();
  readonly #endpoint: HttpEndpoint;
  readonly #url: string;
  readonly #closing: AbortController;
  readonly #negotiated = new NegotiatedVersion();
  readonly #reading: Promise<void>;

  constructor(endpoint: HttpEndpoint, stream: {
    readonly url: string;
    readonly items: AsyncGenerator<HttpItem, void>;
    readonly closing: AbortController;
  }) {
    this.#endpoint = endpoint;
    this.#url = stream.url;
    this.#closing = stream.closing;
    this.#reading = this.#read(stream.items).then(
      () => this.frames.end(McpError.transportError(LABEL, "the event stream ended")),
      (error) => this.frames.end(error),
    );
  }

  async send(
    message: RpcMessage | readonly RpcMessage[],
    { pauseTimeout }: SendOptions = {},
  ): Promise<void> {
    const { signal } = this.#closing;
    signal.throwIfAborted();
    this.#negotiated.sending(message);
    const response = await callHttp(this.#endpoint, {
      method: "POST",
      url: this.#url,
      headers: this.#negotiated.headers,
      body: stringifyMessage(message),
      signal,
      ...(pauseTimeout === undefined ? {} : { pauseTimeout }),
    });
    await response.body?.cancel();
  }

  async close(): Promise<void> {
    this.frames.end();
    this.#closing.abort(McpError.transportError(LABEL, "closed"));
    await this.#reading;
  }

  async #read(items: AsyncGenerator<HttpItem, void>): Promise<void> {
    for await (const item of items) {
      if (item.kind !== "frame") continue;
      this.#negotiated.received(item.frame);
      await this.frames.push(item.frame);
    }
  }
}
