/**
 * MCP over `node:http`, for Node, Bun and whatever else has it.
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

/** A function that answers a request, such as `mcpHandler` returns. */
export interface RequestHandler {
  /** Answers a request. */
  (request: Request): Promise<Response>;
  /** Answers a request without a `Request` and a `Response`, which are dear on Node: it takes a third of the time. */
  readonly respond?: (request: HttpRequest) => Promise<HttpResponse>;
}

/** A listener for `node:http`'s `createServer`; it settles when the response is sent. */
export type NodeListener = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;

/**
 * Makes a listener for `node:http` of a handler.
 *
 * @param handler answers requests
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
      // A request that makes no URL, or a connection that broke: there is nothing more to say on it.
      if (!outgoing.headersSent) outgoing.writeHead(400);
      outgoing.end();
    }
  };
}

/** A response whose headers may have several values. */
interface NodeResponse extends Omit<HttpResponse, "headers"> {
  readonly headers: Readonly<Record<string, string | string[]>>;
}

/** For handlers that know nothing but `Request` and `Response`. */
function viaResponse(handler: RequestHandler): (request: NodeRequest) => Promise<NodeResponse> {
  return async ({ method, url, headers, body, signal }) => {
    const response = await handler(
      new Request(url, {
        method,
        headers: [...headers],
        signal,
        // Node wants to be told that a stream is sent in one direction at a time.
        ...(body === null ? {} : { body, duplex: "half" }),
      }),
    );
    const fields: Record<string, string | string[]> = Object.fromEntries(response.headers);
    // The one header whose values no comma can join.
    const cookies = response.headers.getSetCookie();
    if (cookies.length > 0) fields["set-cookie"] = cookies;
    return { status: response.status, headers: fields, body: response.body };
  };
}

/** A request of `node:http`; what nobody asks for is not made. */
class NodeRequest implements HttpRequest {
  readonly headers: NodeHeaders;
  readonly #incoming: IncomingMessage;
  readonly #gone = new LazySignal();

  constructor(incoming: IncomingMessage, outgoing: ServerResponse) {
    this.headers = new NodeHeaders(incoming.headers);
    this.#incoming = incoming;
    // At once: not every runtime says afterwards that it is closed.
    outgoing.once("close", () => {
      if (outgoing.writableFinished) return;
      this.#gone.abort(new DOMException("The client disconnected", "AbortError"));
    });
  }

  /** Whether nobody waits for the response any more. */
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

  /** Without streams, which take longer than all the rest. */
  text(): Promise<string> {
    const incoming = this.#incoming;
    return new Promise((resolve, reject) => {
      // Then nothing will be heard of it any more.
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

  /** The value of a header, whose name is in lower case. */
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
    // Not spread into an object: on Node 20 each such object leaves something behind until the next full collection.
    const fields: (string | string[] | number)[] = Object.entries(headers).flat();
    if (status !== 204) fields.push("content-length", Buffer.byteLength(body ?? ""));
    outgoing.writeHead(status, fields);
    return void outgoing.end(body ?? "");
  }
  // Its end has been told already, and no more will be heard of it.
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

/** Waits until there is room for more, or nobody takes it any more. */
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
