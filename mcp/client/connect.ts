/**
 * Opens a client session over the configured transport.
 *
 * @module
 */

import type { AuthConfig } from "../auth/config.ts";
import type { DetectedSession, DetectOptions } from "./detect_era.ts";
import { openHttpSession } from "./detect_http_era.ts";
import { openPipeSession } from "./detect_pipe_era.ts";
import { createTransportAt } from "../transport/create.ts";
import { formatValue } from "@parley/internal/format-value";
import { McpError } from "../shared/error.ts";
import type { McpTransport, PipeSource, TransportConfig } from "../jsonrpc/contracts.ts";
import { fromMcpTransport } from "../transport/custom_transport.ts";
import { type HttpEndpoint, withoutQuery } from "../transport/http_request.ts";

/**
 * Endpoint of an HTTP server, taken from an {@linkcode HttpTransport} or an
 * {@linkcode SseTransport}.
 */
export interface HttpSource {
  /** Server URL and transport options. */
  readonly endpoint: HttpEndpoint;
}

/** Any value that the `transport` option accepts. */
export type AnyTransport = TransportConfig | McpTransport | ServerSource;

/** A server that is reached over a pipe or over HTTP. */
export type ServerSource = PipeSource | HttpSource;

/**
 * Converts the `transport` option to a server source without opening a connection.
 *
 * @throws {TypeError} If the value is not a transport or its configuration is invalid.
 */
export function toSource(transport: AnyTransport): ServerSource {
  if (typeof transport !== "object" || transport === null) throw notATransport(transport);
  if ("endpoint" in transport || "openPipe" in transport) return transport;
  if ("type" in transport) return toSource(createTransportAt("transport", transport));
  for (const name of ["send", "receive", "close"] as const) {
    if (typeof transport[name] !== "function") throw notATransport(transport);
  }
  return {
    label: "custom",
    canReopen: false,
    openPipe: () => Promise.resolve(fromMcpTransport(transport)),
  };
}

/** Returns the URL of an HTTP server, without its query, or the command that starts a server. */
export function labelOf(source: ServerSource): string {
  return "endpoint" in source ? withoutQuery(source.endpoint.url) : source.label;
}

function notATransport(value: unknown): TypeError {
  const isUrl = value instanceof URL || (typeof value === "string" && /^https?:/.test(value));
  const hint = isUrl ? '; use { type: "http", url }' : "";
  return new TypeError(
    `"transport" must be a TransportConfig, an McpTransport or the result of spawnServer(), got ${
      formatValue(value)
    }${hint}`,
  );
}

/**
 * Adds authorization to the `fetch` function of an HTTP server. The `auth` folder is loaded on
 * first use, because most clients do not use authorization.
 *
 * @param onError Receives errors of the authorization that no caller receives, unless the
 * authorization settings have their own `onError`.
 * @throws {TypeError} If a required setting is missing or has the wrong type.
 * @throws {RangeError} If a limit is not a positive number.
 * @throws {McpError} With code `auth_error` if the server URL is not secure or the `auth` folder
 * cannot be loaded.
 */
export async function withAuth(
  source: ServerSource,
  auth: AuthConfig | undefined,
  onError: (error: unknown) => void,
): Promise<ServerSource> {
  if (auth === undefined || !("endpoint" in source)) return source;
  const { endpoint: { url, prefers, options } } = source;
  const { createAuthorizedFetch } = await import("../auth/authorized_fetch.ts").catch((cause) => {
    throw McpError.authError(String(cause), { cause });
  });
  const settings = { resource: url, fetch: options.fetch, onError };
  const fetch = createAuthorizedFetch(auth, "auth", settings);
  return { endpoint: { url, prefers, options: { ...options, fetch } } };
}

/**
 * Connects to a server and opens a session.
 *
 * @throws {McpError} If no session can be opened, with the same codes as
 * {@linkcode openHttpSession} or {@linkcode openPipeSession}.
 */
export async function openSession(
  source: ServerSource,
  options: DetectOptions,
): Promise<DetectedSession> {
  return "endpoint" in source
    ? await openHttpSession(source.endpoint, options)
    : await openPipeSession(source, options);
}
