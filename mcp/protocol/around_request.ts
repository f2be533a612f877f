/**
 * Middleware for requests, on both the client and the server.
 *
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import type { McpRequestId, RpcRequest } from "../jsonrpc/message.ts";

/** Description of a request, for an {@linkcode AroundRequest} function. */
export interface RequestDescription {
  /** Whether the client sends the request or the server handles it. */
  readonly side: "client" | "server";
  /** JSON-RPC method of the request, such as `tools/call`. */
  readonly method: string;
  /**
   * Name of the called tool or prompt, or URI of the resource. Requests that refer to no tool,
   * prompt or resource have no `target`.
   */
  readonly target?: string;
  /**
   * Unvalidated parameters of the request. On the server, `params` is an untrusted value from the
   * client.
   */
  readonly params: JsonObject;
  /**
   * The `_meta` object of the request as set by the caller. On the server, `meta` is an untrusted
   * value from the client.
   */
  readonly meta: Readonly<JsonObject>;
  /** Negotiated protocol version of the request, such as `2026-07-28`. */
  readonly protocolVersion: string;
  /** Transport of the request: HTTP, or a pipe such as the standard streams of a process. */
  readonly transport: "http" | "pipe";
  /**
   * JSON-RPC id of the request. On the client, `id` is absent, because each round trip of a request
   * has its own id.
   */
  readonly id?: McpRequestId;
}

/**
 * A function that wraps each request, for example to measure, trace, reject or repeat requests.
 *
 * The function must call `next`, which sends or handles the request, and return the result. If
 * `next` rejects, the request has failed, and the function should rethrow the error. On the client,
 * the members of the `meta` argument of `next` are added to the `_meta` object of the request. On
 * the server, the `meta` argument is ignored.
 *
 * If the server requests input, one call to the function covers all round trips of the request.
 *
 * @example Measure the requests of a client
 * ```ts
 * import { type AroundRequest, createMemoryTransport, McpClient, McpServer, servePipe } from "@parley/mcp";
 * import { assertEquals } from "@std/assert";
 *
 * const methods: string[] = [];
 * const around: AroundRequest = async ({ method }, next) => {
 *   const startedAt = performance.now();
 *   try {
 *     return await next();
 *   } finally {
 *     methods.push(`${method}: ${performance.now() - startedAt < 60_000 ? "fast" : "slow"}`);
 *   }
 * };
 * const server = new McpServer({ name: "greeter", version: "1.0.0" });
 * server.registerTool({ name: "greet", description: "Greets" }, () => "hello");
 * const transport = createMemoryTransport((pipe) => servePipe(server, pipe));
 * await using client = new McpClient({ transport, around });
 * await client.connect();
 * await client.callTool("greet", {});
 * assertEquals(methods, ["tools/call: fast"]);
 * ```
 */
export type AroundRequest<Description extends RequestDescription = RequestDescription> = (
  request: Description,
  next: (meta?: JsonObject) => Promise<JsonObject>,
) => Promise<JsonObject>;

/** Returns the name of the tool or prompt, or the URI of the resource, that a request is for. */
export function targetOf({ params }: Pick<RpcRequest, "params">): string | undefined {
  const target = params?.name ?? params?.uri;
  return typeof target === "string" ? target : undefined;
}
