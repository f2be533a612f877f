/**
 * Creates a transport from a configuration.
 *
 * @module
 */

import type { McpTransport, TransportConfig } from "../jsonrpc/contracts.ts";
import { assertObject, assertString } from "@parley/internal/assert-argument";
import { formatValue } from "@parley/internal/format-value";
import { optionsReader, required } from "@parley/internal/options";
import { HttpTransport, SseTransport } from "./http.ts";
import { StdioTransport } from "./stdio.ts";

/**
 * Creates a transport from a configuration.
 *
 * @param config Transport configuration.
 * @throws {TypeError} If `type` is unknown, `url` is not an HTTP or HTTPS URL, or the configuration
 * has a member that transports of the type do not have.
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
  return createTransportAt("config", config);
}

type ConfigOf<Type> = Extract<TransportConfig, { readonly type: Type }>;

const readStdio = optionsReader<ConfigOf<"stdio">>("config")({ type: required(assertString) });

// The transports check the URL.
const readSse = optionsReader<ConfigOf<"sse">>("config")({
  type: required(assertString),
  url: required(() => {}),
});

const readHttp = optionsReader<ConfigOf<"http">>("config")({
  type: required(assertString),
  url: required(() => {}),
});

/** Same as {@linkcode createTransport}, for a configuration that the caller spells `at`. */
export function createTransportAt(at: string, config: TransportConfig): McpTransport {
  assertObject(at, config);
  switch (config.type) {
    case "stdio":
      readStdio(config, at);
      return new StdioTransport();
    case "sse":
      return new SseTransport(readSse(config, at).url);
    case "http":
      return new HttpTransport(readHttp(config, at).url);
    default:
      throw new TypeError(
        `"type" must be "stdio", "sse" or "http", got ${formatValue(Reflect.get(config, "type"))}`,
      );
  }
}
