/**
 * From a description of a transport to the transport.
 *
 * @module
 */

import type { McpTransport, TransportConfig } from "./rpc/transport.ts";
import { StdioTransport } from "./transport/stdio.ts";

/**
 * Makes the transport that a configuration describes.
 *
 * @param config which transport
 * @throws {TypeError} when there is no transport of that type
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
    default:
      throw new TypeError(
        `Cannot create a transport of type "${String(Reflect.get(config, "type"))}"`,
      );
  }
}
