/**
 * Creates a transport from a configuration.
 *
 * @module
 */

import type { McpTransport, TransportConfig } from "../jsonrpc/contracts.ts";
import { assertObject } from "@parley/internal/assert-argument";
import { formatValue } from "@parley/internal/format-value";
import { HttpTransport, SseTransport } from "./http.ts";
import { StdioTransport } from "./stdio.ts";

/**
 * Creates a transport from a configuration.
 *
 * @param config Transport configuration.
 * @throws {TypeError} If `type` is unknown or `url` is not an HTTP or HTTPS URL.
 *
 * @example Create a transport over the standard streams
 * ```ts
 * import { createTransport, StdioTransport } from "@parley/mcp";
 * import { assertInstanceOf } from "@std/assert";
 *
 * assertInstanceOf(createTransport({ type: "stdio" }), StdioTransport);
 * ```
 */
export function createTransport(config: TransportConfig): McpTransport {
  assertObject("config", config);
  switch (config.type) {
    case "stdio":
      return new StdioTransport();
    case "sse":
      return new SseTransport(config.url);
    case "http":
      return new HttpTransport(config.url);
    default:
      throw new TypeError(
        `"type" must be "stdio", "sse" or "http", got ${formatValue(Reflect.get(config, "type"))}`,
      );
  }
}
