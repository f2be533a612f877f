/**
 * From what leads to a server to a session with it. Loads what this server takes, and nothing else.
 *
 * @module
 */

import type { AuthConfig } from "../auth/config.ts";
import type { DetectedSession, DetectOptions } from "./detect_era.ts";
import { openHttpSession } from "./detect_http_era.ts";
import type { ClientExtension } from "./extension.ts";
import { createTransport } from "../transport/create.ts";
import { McpError } from "../shared/error.ts";
import type { McpTransport, PipeSource, TransportConfig } from "../jsonrpc/contracts.ts";
import type { HttpFetch } from "../shared/http_fetch.ts";
import { ModernHttpConnection } from "../transport/http_connection.ts";
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
    openPipe: async () => {
      const { bridgeTransport } = await onDemand();
      return bridgeTransport(transport);
    },
  };
}

/** Loads authorization with the first request, where it is wanted. */
export function withAuth(source: ServerSource, auth: AuthConfig | undefined): ServerSource {
  if (auth === undefined || !("endpoint" in source)) return source;
  const { endpoint: { url, prefers, options } } = source;
  let loading: Promise<HttpFetch> | undefined;
  const fetch: HttpFetch = async (target, init) => {
    loading ??= import("../auth/authorized_fetch.ts")
      .then(({ authorizedFetch }) => authorizedFetch(auth, { ...options, resource: url }))
      .catch((cause) => {
        throw cause instanceof McpError ? cause : McpError.authError(String(cause), { cause });
      });
    return await (await loading)(target, init);
  };
  return { endpoint: { url, prefers, options: { ...options, fetch } } };
}

/**
 * Connects to a server.
 *
 * @throws {McpError} as {@linkcode openHttpSession} and `openPipeSession`
 */
export async function openSession(
  source: ServerSource,
  settings: Omit<DetectOptions, "openLegacySession" | "listenTo" | "answerAll">,
): Promise<DetectedSession> {
  const options: DetectOptions = {
    ...settings,
    openLegacySession: async (...args) => await (await onDemand()).openClientSession(...args),
    answerAll: async (...args) => await (await onDemand()).answerAll(...args),
    listenTo: async (...args) => await (await onDemand()).listenTo(...args),
  };
  if (!("endpoint" in source)) {
    const { openPipeSession } = await onDemand();
    return await openPipeSession(source, options);
  }
  const { endpoint } = source;
  const { onError, extensions } = options;
  return await openHttpSession({
    ...options,
    url: endpoint.url,
    prefers: endpoint.prefers,
    openModern: () => new ModernHttpConnection(endpoint, onError, nameKeysOf(extensions)),
    openLegacy: async () => {
      const { openStreamableHttpConnection } = await onDemand();
      return openStreamableHttpConnection(endpoint, onError);
    },
    openLegacySse: async () => {
      const { openSseConnection } = await onDemand();
      return await openSseConnection(endpoint, options);
    },
  });
}

function nameKeysOf(extensions: readonly ClientExtension[]): ReadonlyMap<string, string> {
  return new Map(extensions.flatMap(({ nameKeys = {} }) => Object.entries(nameKeys)));
}

function onDemand(): Promise<typeof import("../client_on_demand.ts")> {
  return import("../client_on_demand.ts");
}
