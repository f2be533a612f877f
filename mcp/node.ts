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
import { Readable } from "node:stream";
import type { HttpRequest, HttpResponse } from "./shared/http_types.ts";
import { LazySignal } from "./server/lazy_signal.ts";

/** An HTTP request handler, such as the return value of `mcpHandler()`. */
export interface RequestHandler {
  /** Handles a request. */
  (request: Request): Promise<Response>;
  /** Handles a request without `Request` and `Response` objects, which takes a third of the time on Node.js. */
  readonly respond?: (request: HttpRequest) => Promise<HttpResponse>;
}

/** A request listener for `createServer` from `node:http`. The promise resolves when the response is sent. */
export type NodeListener = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;

/**
 * Creates a request listener for `createServer` from `node:http`.
 *
 * @param handler HTTP request handler, such as the return value of `mcpHandler()`.
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
export function toNodeListener(handler: RequestHandler): NodeListener {
  const respond = handler.respond ?? viaResponse(handler);
  return async (incoming, outgoing) => {
    try {
      const request = new NodeRequest(incoming, outgoing);
      await send(await respond(request), outgoing, request);
    } catch {
      // An error here means that the request URL is invalid or the connection was closed.
      if (!outgoing.headersSent) outgoing.writeHead(400);
      outgoing.end();
    }
  };
}

/** A response in which a header can have multiple values. */
interface NodeResponse extends Omit<HttpResponse, "headers"> {
  readonly headers: Readonly<Record<string, string | string[]>>;
}

/** Adapts a handler that supports only `Request` and `Response`. */
function viaResponse(handler: RequestHandler): (request: NodeRequest) => Promise<NodeResponse> {
  return async ({ method, url, headers, body, signal }) => {
    const response = await handler(
      new Request(url, {
        method,
        headers: [...headers],
        signal,
        // Node.js requires `duplex` for a stream body.
        ...(body === null ? {} : { body, duplex: "half" }),
      }),
    );
    const fields: Record<string, string | string[]> = Object.fromEntries(response.headers);
    // `Set-Cookie` is the only header whose values cannot be joined with commas.
    const cookies = response.headers.getSetCookie();
    if (cookies.length > 0) fields["set-cookie"] = cookies;
    return { status: response.status, headers: fields, body: response.body };
  };
}

/** A request received from `node:http`. The body stream and the abort signal are created on first access. */
class NodeRequest implements HttpRequest {
  readonly headers: NodeHeaders;
  readonly #incoming: IncomingMessage;
  readonly #gone = new LazySignal();

  constructor(incoming: IncomingMessage, outgoing: ServerResponse) {
    this.headers = new NodeHeaders(incoming.headers);
    this.#incoming = incoming;
    // Register the listener immediately, because some runtimes do not let a later check detect that the response was
    // closed.
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

  get url(): string {
    const { headers: { host = "localhost" }, url = "/" } = this.#incoming;
    return new URL(url, `http://${host}`).href;
  }

  get body(): ReadableStream<Uint8Array> | null {
    const { method } = this;
    return method === "GET" || method === "HEAD" ? null : bodyOf(this.#incoming);
  }

  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  /**
   * Reads the body with events, because reading a web stream takes longer than all other steps of handling the request.
   */
  text(): Promise<string> {
    const incoming = this.#incoming;
    return new Promise((resolve, reject) => {
      // A destroyed request no longer emits events.
      if (incoming.destroyed) throw new Error("Request body ended unexpectedly");
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.once("end", () => resolve(decode(chunks)));
      incoming.once("error", reject);
      incoming.once("close", () => {
        if (!incoming.complete) reject(new Error("Request body ended unexpectedly"));
      });
    });
  }
}

class NodeHeaders {
  readonly #headers: IncomingMessage["headers"];

  constructor(headers: IncomingMessage["headers"]) {
    this.#headers = headers;
  }

  /** Returns the value of a header. The name must be in lower case. */
  get(name: string): string | null {
    const value = this.#headers[name];
    return Array.isArray(value) ? value.join(", ") : value ?? null;
  }

  *[Symbol.iterator](): Generator<[string, string]> {
    for (const [name, values = []] of Object.entries(this.#headers)) {
      for (const value of [values].flat()) yield [name, value];
    }
  }
}

function decode(chunks: readonly Buffer[]): string {
  const [only = Buffer.alloc(0), ...others] = chunks;
  const text = (others.length === 0 ? only : Buffer.concat(chunks)).toString();
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

const BYTE_ORDER_MARK = "\ufeff";

function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks = Readable.toWeb(incoming).getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => chunks.cancel(),
  });
}

async function send(
  { status, headers, body }: NodeResponse,
  outgoing: ServerResponse,
  request: NodeRequest,
): Promise<void> {
  if (body === null || typeof body === "string") {
    // Pass the headers as an array. On Node.js 20, an object would retain memory until the next full garbage
    // collection.
    const fields: (string | string[] | number)[] = Object.entries(headers).flat();
    if (status !== 204) fields.push("content-length", Buffer.byteLength(body ?? ""));
    outgoing.writeHead(status, fields);
    return void outgoing.end(body ?? "");
  }
  // If the client has disconnected, the `close` event has already been emitted, so a listener would never be called.
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
