/**
 * From a description of a transport to the transport.
 *
 * @module
 */

import type { McpTransport, TransportConfig } from "../jsonrpc/contracts.ts";
import { HttpTransport, SseTransport } from "./http.ts";
import { StdioTransport } from "./stdio.ts";

/**
 * Makes the transport that a configuration describes.
 *
 * @param config which transport
 * @throws {TypeError} when there is no transport of that type, or the URL is not one of HTTP
 *
 * @example Standard streams
 * ```ts
 * import { createTransport, StdioTransport } from "@parley/mcp";
 * import { assertInstanceOf } from "@std/assert";
 *
 * assertInstanceOf(createTransport({ type: "stdio" }), StdioTransport);
 * ```
 */
export function createTransport(config: TransportConfig): McpTransport {
  switch (config.type) {
    case "stdio":
      return new StdioTransport();
    case "sse":
      return new SseTransport(config.url);
    case "http":
      return new HttpTransport(config.url);
    default:
      throw new TypeError(
        `"type" must be "stdio", "sse" or "http", got "${Reflect.get(config, "type")}"`,
      );
  }
}
