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

import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";

/** A function that answers a request, such as `mcpHandler` returns. */
export type RequestHandler = (request: Request) => Promise<Response>;

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
  return async (incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.once("close", () => {
      if (!outgoing.writableFinished) {
        gone.abort(new DOMException("The client is gone", "AbortError"));
      }
    });
    try {
      await send(await handler(toRequest(incoming, gone.signal)), outgoing);
    } catch {
      // A request that makes no URL, or a connection that broke: there is nothing more to say on it.
      if (!outgoing.headersSent) outgoing.writeHead(400);
      outgoing.end();
    }
  };
}

function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = "GET", url = "/", headers } = incoming;
  const hasBody = method !== "GET" && method !== "HEAD";
  const list = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one])
  );
  return new Request(new URL(url, `http://${headers.host ?? "localhost"}`), {
    method,
    headers: list,
    signal,
    // Node wants to be told that a stream is sent in one direction at a time.
    ...(hasBody ? { body: bodyOf(incoming), duplex: "half" } : {}),
  });
}

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

async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  const reader = response.body?.getReader();
  if (reader === undefined) return void outgoing.end();
  const cancel = (): void => void reader.cancel().catch(() => {});
  outgoing.once("close", cancel);
  outgoing.flushHeaders();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    if (!outgoing.write(next.value)) await drained(outgoing);
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
