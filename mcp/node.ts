/**
 * MCP over `node:http`, for Node.js and other runtimes that provide this module.
 *
 * ```ts ignore
 * import { createServer } from "node:http";
 * import { mcpHandler, McpServer } from "@parley/mcp/server";
 * import { toNodeListener } from "@parley/mcp/node";
 *
 * const handler = mcpHandler(new McpServer({ name: "adder", version: "1.0.0" }));
 * createServer(toNodeListener(handler)).listen(8000, "127.0.0.1");
 * ```
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { Readable } from "node:stream";
import { RpcErrorCode } from "./jsonrpc/error_codes.ts";
import type { McpErrorObject } from "./jsonrpc/message.ts";
import type { HttpContext } from "./serve/http/endpoint.ts";
import { encodeUtf8, isBodyless, readGivenBody } from "./serve/http/given_body.ts";
import { errorResponse } from "./serve/http/http_responses.ts";
import { readUrl } from "./serve/http/request_url.ts";
import { type MultiValueResponse, viaResponse } from "./serve/http/via_response.ts";
import type { Principal } from "./server/exchange_context.ts";
import { assertFunction } from "@parley/internal/assert-argument";
import { optionsReader } from "@parley/internal/options";
import { formatValue } from "@parley/internal/format-value";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { reportRejection } from "@parley/internal/report-rejection";
import type { HttpRequest, HttpResponse } from "./shared/http_types.ts";
import { assertPrincipal } from "./shared/principal.ts";
import { LazySignal } from "./server/lazy_signal.ts";

/** An HTTP request handler, such as the return value of `mcpHandler()`. */
export interface RequestHandler {
  /** Handles a request. */
  (request: Request, context?: HttpContext): Promise<Response>;
  /**
   * Handles a request without creating `Request` and `Response` objects, three times as fast on
   * Node.js.
   */
  readonly respond?: (request: HttpRequest, context?: HttpContext) => Promise<HttpResponse>;
}

/**
 * A request listener for `createServer` from `node:http` or `node:http2`, and for frameworks that
 * are based on them. The returned promise resolves when the response is sent, and never rejects.
 *
 * @param incoming Request from `node:http` or `node:http2`.
 * @param outgoing Response to write.
 * @param body Request body, if another component has already read it: the parsed JSON value, the
 * text or the bytes. If omitted, `incoming.body` is used if the body was read, otherwise the body
 * is read. A `body` that is a function is ignored, because Express passes `next` as the third
 * argument. A component that decodes a body can change it, so a text or parsed body that contains
 * U+FFFD, and a text without the received length, receive HTTP 400. Bytes are always processed as
 * they were received.
 */
export type NodeListener = (
  incoming: IncomingMessage | Http2ServerRequest,
  outgoing: ServerResponse | Http2ServerResponse,
  body?: unknown,
) => Promise<void>;

/** Options for {@linkcode toNodeListener}. */
export interface NodeListenerOptions {
  /**
   * Returns the principal that sent the request, as determined by middleware that runs before the
   * listener, such as `(_incoming, outgoing: express.Response) =>
   * outgoing.locals.principal`. Tools with `scopes` are checked against the scopes of the
   * principal. The handlers of the server receive the principal as `context.principal`. If omitted,
   * requests have no principal. A handler returned by `resourceServer()` ignores `principal`,
   * because `resourceServer()` determines the principal from the access token. If the function
   * returns a value that is neither `undefined` nor a principal, such as a promise, the error is
   * reported, and the request receives HTTP 500.
   */
  principal?(incoming: IncomingMessage, outgoing: ServerResponse): Principal | undefined;
  /**
   * Called with exceptions that the handler throws, which clients receive as HTTP 500 without
   * details, and with requests whose body was already read and is not available. If omitted, errors
   * are printed to standard error. Pass `() => {}` to ignore errors.
   */
  readonly onError?: (error: unknown) => void;
}

const readOptions = optionsReader<NodeListenerOptions>("options")({
  principal: assertFunction,
  onError: assertFunction,
});

/**
 * Creates a request listener for `createServer` from `node:http`.
 *
 * If a component such as `express.json()` has already parsed the request body, the listener uses
 * the parsed body from `incoming.body`. Fastify stores the parsed body elsewhere, so pass it as the
 * third argument to the listener. A parser replaces bytes that are not UTF-8 with U+FFFD, so a
 * parsed body that contains this character is rejected. To accept it, pass on the bytes, for
 * example with `express.raw({ type: "application/json" })`.
 *
 * @param handler HTTP request handler, such as the return value of `mcpHandler()`.
 * @param options Options for the principal of a request and for error reporting.
 * @throws {TypeError} If `handler`, `principal` or `onError` is not a function.
 *
 * @example Serve over node:http
 * ```ts
 * import { createServer } from "node:http";
 * import { mcpHandler, McpServer } from "@parley/mcp/server";
 * import { toNodeListener } from "@parley/mcp/node";
 * import { assertEquals } from "@std/assert";
 *
 * const handler = mcpHandler(new McpServer({ name: "quiet", version: "1.0.0" }));
 * const http = createServer(toNodeListener(handler));
 * await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
 * const address = http.address();
 * const port = typeof address === "object" ? address?.port : undefined;
 * const response = await fetch(`http://127.0.0.1:${port}/`, { method: "PUT" });
 * assertEquals(response.status, 405);
 * await response.body?.cancel();
 * await handler.close();
 * await new Promise((resolve) => http.close(resolve));
 * ```
 */
export function toNodeListener(
  handler: RequestHandler,
  options: NodeListenerOptions = {},
): NodeListener {
  if (typeof handler !== "function") {
    throw new TypeError(
      `"handler" must be a function such as the return value of mcpHandler(), got ${
        formatValue(handler)
      }`,
    );
  }
  const { principal, onError } = readOptions(options);
  const respond = handler.respond ?? viaResponse(handler);
  const report = createErrorReporter("toNodeListener", onError);
  const listener = async (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    body?: unknown,
  ): Promise<void> => {
    const url = readUrl(incoming);
    if (url === undefined) return sendError(outgoing, 400, INVALID_URL);
    try {
      const given = readGivenBody(incoming, body);
      if (given !== undefined && "error" in given) {
        const { status, error } = given;
        if (status === 500) report(new Error(`Cannot handle the request: ${error.message}`));
        return sendError(outgoing, status, error);
      }
      const request = new NodeRequest(incoming, outgoing, { url, body: given?.bytes });
      const context = principal === undefined
        ? {}
        : { principal: checked(principal(incoming, outgoing), report) };
      const response = await respond(request, context);
      await send(response, outgoing, request);
    } catch (error) {
      if (!isDisconnect(error)) report(error);
      sendError(outgoing, 500, INTERNAL_ERROR);
    }
  };
  // The compatibility API of node:http2 has all members of `IncomingMessage` and `ServerResponse`
  // that this module uses.
  return listener as NodeListener;
}

/**
 * Returns the principal of a request.
 *
 * @throws {TypeError} If the value is not a principal. The rejection of a promise is reported.
 */
function checked(
  principal: Principal | undefined,
  report: (error: unknown) => void,
): Principal | undefined {
  if (principal === undefined) return undefined;
  reportRejection(principal, report);
  assertPrincipal("principal", principal);
  return principal;
}

const INVALID_URL: McpErrorObject = {
  code: RpcErrorCode.InvalidRequest,
  message: "Invalid Request: the URL or the host of the request is not valid",
};
const INTERNAL_ERROR: McpErrorObject = {
  code: RpcErrorCode.InternalError,
  message: "Internal error",
};
/**
 * Sends an error response. If a response was interrupted, closes the connection, so that the client
 * does not treat the response as complete.
 */
function sendError(outgoing: ServerResponse, status: number, error: McpErrorObject): void {
  if (outgoing.headersSent) return void outgoing.destroy();
  const { headers, body } = errorResponse(status, error);
  outgoing.writeHead(status, headers);
  outgoing.end(body);
}

/** Returns `true` if an error means that the client has disconnected. */
function isDisconnect(error: unknown): boolean {
  try {
    return error instanceof Error &&
      (error.name === "AbortError" || ("code" in error && error.code === "ECONNRESET"));
  } catch {
    // A handler can throw a value that throws when it is inspected.
    return false;
  }
}

/** Properties of a request that are determined before it is handled. */
interface NodeRequestInit {
  /** Absolute URL. */
  readonly url: string;
  /** The body, if another component has read it. */
  readonly body: Uint8Array | undefined;
}

/**
 * A request received from `node:http`. The body stream and the abort signal are created on first
 * access.
 */
class NodeRequest implements HttpRequest {
  readonly url: string;
  readonly headers: NodeHeaders;
  readonly #incoming: IncomingMessage;
  readonly #body: Uint8Array | undefined;
  readonly #gone = new LazySignal();

  constructor(incoming: IncomingMessage, outgoing: ServerResponse, { url, body }: NodeRequestInit) {
    this.url = url;
    // A serialized body can differ in length from the body that was received.
    this.headers = new NodeHeaders(
      body === undefined
        ? incoming.headers
        : { ...incoming.headers, "content-length": String(body.byteLength) },
    );
    this.#incoming = incoming;
    this.#body = body;
    // Register the listener immediately, because some runtimes do not let a later check detect that
    // the response was closed.
    outgoing.once("close", () => {
      if (outgoing.writableFinished) return;
      this.#gone.abort(new DOMException("The client disconnected", "AbortError"));
    });
  }

  /** Whether the client has disconnected. */
  get isGone(): boolean {
    return this.#gone.aborted;
  }

  get method(): string {
    return this.#incoming.method ?? "GET";
  }

  get body(): ReadableStream<Uint8Array> | null {
    if (this.#body !== undefined) return new Blob([join([this.#body])]).stream();
    return isBodyless(this.method) ? null : bodyOf(this.#incoming);
  }

  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  /**
   * Reads the body through events, because reading a web stream takes longer than all other steps
   * of handling the request combined.
   */
  arrayBuffer(): Promise<ArrayBuffer> {
    if (this.#body !== undefined) return Promise.resolve(join([this.#body]));
    const incoming = this.#incoming;
    return new Promise((resolve, reject) => {
      // A destroyed request no longer emits events.
      if (incoming.destroyed) throw new Error("Request body ended unexpectedly");
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer | string) => chunks.push(toBytes(chunk, incoming)));
      incoming.once("end", () => resolve(join(chunks)));
      incoming.once("error", reject);
      incoming.once("close", () => {
        if (!incoming.complete) reject(new Error("Request body ended unexpectedly"));
      });
    });
  }
}

/**
 * Copies chunks to a new buffer. `Buffer.concat()` does not suffice, because a `Buffer` can share
 * its memory with other buffers.
 */
function join(chunks: readonly Uint8Array[]): ArrayBuffer {
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, end);
    end += chunk.length;
  }
  return bytes.buffer;
}

class NodeHeaders {
  readonly #headers: IncomingMessage["headers"];

  constructor(headers: IncomingMessage["headers"]) {
    this.#headers = headers;
  }

  /** Returns the value of a header, whose name must be in lower case. */
  get(name: string): string | null {
    const value = this.#headers[name];
    return Array.isArray(value) ? value.join(", ") : value ?? null;
  }

  *[Symbol.iterator](): Generator<[string, string]> {
    // Every tool call reads all headers.
    for (const name of Object.keys(this.#headers)) {
      const value = this.#headers[name];
      // The names of HTTP/2 pseudo-header fields are not valid header names.
      if (value === undefined || name.startsWith(":")) continue;
      if (typeof value === "string") yield [name, value];
      else for (const each of value) yield [name, each];
    }
  }
}

/**
 * Returns a chunk as bytes. Chunks are strings if middleware has set the encoding of the request,
 * which `readGivenBody()` has checked.
 */
function toBytes<Bytes extends Uint8Array>(
  chunk: Bytes | string,
  { readableEncoding }: IncomingMessage,
): Bytes | Buffer {
  if (typeof chunk !== "string") return chunk;
  return readableEncoding === "utf8"
    ? Buffer.from(encodeUtf8(chunk))
    : Buffer.from(chunk, readableEncoding ?? "utf8");
}

function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks = Readable.toWeb(incoming).getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.read();
      if (done) controller.close();
      else controller.enqueue(toBytes(value, incoming));
    },
    // Cancelling would destroy the connection before the response is sent.
    cancel: () => void discardRest(chunks).catch(() => {}),
  });
}

/** Reads the rest of a body and discards it. */
async function discardRest(chunks: ReadableStreamDefaultReader<unknown>): Promise<void> {
  while (!(await chunks.read()).done);
}

async function send(
  { status, headers, body }: MultiValueResponse,
  outgoing: ServerResponse,
  request: NodeRequest,
): Promise<void> {
  if (body === null || typeof body === "string") {
    // Pass the response headers as an array. On Node.js 20, a headers object would retain memory
    // until the next full garbage collection.
    const fields: (string | string[] | number)[] = Object.entries(headers).flat();
    if (status !== 204) fields.push("content-length", Buffer.byteLength(body ?? ""));
    outgoing.writeHead(status, fields);
    return void outgoing.end(body ?? "");
  }
  // If the client has disconnected, the `close` event has already been emitted, so a listener would
  // never be called.
  if (request.isGone) return await body.cancel();
  outgoing.writeHead(status, headers);
  const reader = body.getReader();
  const cancel = (): void => void reader.cancel().catch(() => {});
  outgoing.once("close", cancel);
  outgoing.flushHeaders();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    if (!outgoing.write(next.value) && !request.isGone) await drained(outgoing);
  }
  outgoing.off("close", cancel);
  outgoing.end();
}

/** Waits until the response can accept more data or is closed. */
function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      outgoing.off("drain", done);
      outgoing.off("close", done);
      resolve();
    };
    outgoing.once("drain", done);
    outgoing.once("close", done);
  });
}
