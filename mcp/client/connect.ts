/**
 * From the transport of a configuration to a session with a server.
 *
 * @module
 */

import type { AuthConfig } from "../auth/config.ts";
import type { DetectedSession, DetectOptions } from "./detect_era.ts";
import { openHttpSession } from "./detect_http_era.ts";
import { openPipeSession } from "./detect_pipe_era.ts";
import { createTransport } from "../transport/create.ts";
import { McpError } from "../shared/error.ts";
import type { McpTransport, PipeSource, TransportConfig } from "../jsonrpc/contracts.ts";
import { fromMcpTransport } from "../transport/custom_transport.ts";
import type { HttpEndpoint } from "../transport/http_request.ts";

/** Something that leads to a server on the web: an {@linkcode HttpTransport} or an {@linkcode SseTransport}. */
export interface HttpSource {
  /** Where the server is and how it is reached. */
  readonly endpoint: HttpEndpoint;
}

/** Whatever leads to a server. */
export type AnyTransport = TransportConfig | McpTransport | ServerSource;

/** What can be connected to: messages both ways, or an address on the web. */
export type ServerSource = PipeSource | HttpSource;

/** Looks at what leads to a server. Nothing is opened. */
export function toSource(transport: AnyTransport): ServerSource {
  if ("endpoint" in transport || "openPipe" in transport) return transport;
  if ("type" in transport) return toSource(createTransport(transport));
  return {
    label: "custom",
    canReopen: false,
    openPipe: () => Promise.resolve(fromMcpTransport(transport)),
  };
}

/**
 * Puts authorization before the `fetch` of a server on the web. Loads it, because most clients need none.
 *
 * @throws {McpError} `auth_error` if the configuration is not valid, or authorization cannot be loaded
 */
export async function withAuth(
  source: ServerSource,
  auth: AuthConfig | undefined,
): Promise<ServerSource> {
  if (auth === undefined || !("endpoint" in source)) return source;
  const { endpoint: { url, prefers, options } } = source;
  try {
    const { authorizedFetch } = await import("../auth/authorized_fetch.ts");
    const fetch = authorizedFetch(auth, { ...options, resource: url });
    return { endpoint: { url, prefers, options: { ...options, fetch } } };
  } catch (cause) {
    throw cause instanceof McpError ? cause : McpError.authError(String(cause), { cause });
  }
}

/**
 * Connects to a server.
 *
 * @throws {McpError} as {@linkcode openHttpSession} and {@linkcode openPipeSession}
 */
export async function openSession(
  source: ServerSource,
  options: DetectOptions,
): Promise<DetectedSession> {
  return "endpoint" in source
    ? await openHttpSession(source.endpoint, options)
    : await openPipeSession(source, options);
}
