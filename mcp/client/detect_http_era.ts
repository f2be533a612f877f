/**
 * Era detection over HTTP: modern Streamable HTTP, then legacy Streamable HTTP, then HTTP+SSE.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#backward-compatibility Backward compatibility}
 * @module
 */

import { McpError, McpErrorCode } from "../shared/error.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import type { PipeConnection } from "../jsonrpc/contracts.ts";
import { ModernHttpConnection } from "../transport/http_connection.ts";
import { type HttpEndpoint, withoutQuery } from "../transport/http_request.ts";
import { openSseConnection } from "../transport/sse.ts";
import { openStreamableHttpConnection } from "../transport/streamable_http.ts";
import {
  type DetectedSession,
  type DetectOptions,
  discover,
  eraOf,
  initializeSession,
  toConnectionError,
} from "./detect_era.ts";
import type { ClientExtension } from "./extension.ts";
import { ServerEra } from "./server_era.ts";
import { type Session, withoutSignal } from "./session.ts";
import { ModernSession } from "./modern_session.ts";

/**
 * Opens a session with an HTTP server.
 *
 * @throws {McpError} With code `connection_failed` if the server is unreachable or is not an MCP
 * server.
 * @throws {McpError} With code `auth_error` if the server requires authorization.
 * @throws {McpError} With code `protocol_error` if the client and the server have no protocol
 * version in common.
 */
export async function openHttpSession(
  endpoint: HttpEndpoint,
  options: DetectOptions,
): Promise<DetectedSession> {
  let first: McpError | undefined;
  const tried: string[] = [];
  try {
    for (const era of planAttempts(endpoint, options)) {
      tried.push(ATTEMPT_NAMES[era]);
      const outcome = await ATTEMPTS[era](endpoint, options);
      if (!(outcome instanceof McpError)) return { session: outcome, era };
      first ??= outcome;
    }
  } catch (error) {
    options.signal.throwIfAborted();
    const hint = isFromOtherEndpoint(error) ? urlHint(tried) : undefined;
    throw toConnectionError(error, withoutQuery(endpoint.url), hint);
  }
  throw toConnectionError(first, withoutQuery(endpoint.url), urlHint(tried));
}

function urlHint(tried: readonly string[]): string {
  return `tried ${tried.join(", ")}; check that the URL is an MCP endpoint`;
}

/**
 * Returns `true` for an HTTP response that an MCP endpoint does not send, such as a web page, JSON
 * that is not a JSON-RPC message, or HTTP 501 (Not Implemented).
 */
function isFromOtherEndpoint(error: unknown): boolean {
  if (!(error instanceof McpError) || error.code === McpErrorCode.AuthError) return false;
  const { httpStatus, rpcCode } = error;
  if (httpStatus === undefined || rpcCode !== undefined) return false;
  return (httpStatus < 500 || httpStatus === 501) && !NO_EVIDENCE.has(httpStatus);
}

/**
 * Probes the server for one era. Resolves with a session, or with an error if the server uses a
 * different era. Rejects if an error does not indicate the server's era.
 */
type HttpEraAttempt = (
  endpoint: HttpEndpoint,
  options: DetectOptions,
) => Promise<Session | McpError>;

const ATTEMPTS: Readonly<Record<ServerEra, HttpEraAttempt>> = {
  modern: tryModern,
  legacy: tryLegacy,
  legacy_sse: tryLegacySse,
};

/** Request that each connection attempt sends, as named in error messages. */
const ATTEMPT_NAMES: Readonly<Record<ServerEra, string>> = {
  modern: 'POST "server/discover"',
  legacy: 'POST "initialize"',
  legacy_sse: "GET for an event stream",
};

/**
 * Returns the eras to probe, in order: the previously detected era, if any, followed by the other
 * eras in the order that the transport prefers.
 */
function planAttempts(
  { prefers }: HttpEndpoint,
  { protocol, era: found }: DetectOptions,
): readonly ServerEra[] {
  const { Modern, Legacy, LegacySse } = ServerEra;
  const pinned = eraOf(protocol);
  if (pinned === "modern") return [Modern];
  const posts = pinned === "legacy" ? [Legacy] : [Modern, Legacy];
  const plan = prefers === "sse" ? [LegacySse, ...posts] : [...posts, LegacySse];
  return [...plan.filter((era) => era === found), ...plan.filter((era) => era !== found)];
}

function nameKeysOf(extensions: readonly ClientExtension[]): ReadonlyMap<string, string> {
  return new Map(extensions.flatMap(({ nameKeys = {} }) => Object.entries(nameKeys)));
}

async function tryModern(
  endpoint: HttpEndpoint,
  options: DetectOptions,
): Promise<Session | McpError> {
  const connection = new ModernHttpConnection(
    endpoint,
    options,
    nameKeysOf(options.extensions),
  );
  try {
    const finding = await discover(connection, options);
    if (finding.kind === "modern") {
      return new ModernSession(connection, finding.server, withoutSignal(options));
    }
    await connection.close();
    return McpError.protocolError("the server does not support a modern protocol version");
  } catch (error) {
    await connection.close();
    return asOtherKind(error, options);
  }
}

async function tryLegacy(
  endpoint: HttpEndpoint,
  options: DetectOptions,
): Promise<Session | McpError> {
  const connection = openStreamableHttpConnection(endpoint, options);
  try {
    return await initializeSession(connection, options);
  } catch (error) {
    await connection.close();
    return asOtherKind(error, options);
  }
}

async function tryLegacySse(
  endpoint: HttpEndpoint,
  options: DetectOptions,
): Promise<Session | McpError> {
  const connection = await openLegacySse(endpoint, options);
  if (connection instanceof McpError) return connection;
  try {
    return await initializeSession(connection, options);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/**
 * Opens an HTTP+SSE connection. Resolves with an error if the server does not support HTTP+SSE or
 * sends no `endpoint` event in time.
 */
async function openLegacySse(
  endpoint: HttpEndpoint,
  options: DetectOptions,
): Promise<PipeConnection | McpError> {
  try {
    return await openSseConnection(endpoint, options);
  } catch (error) {
    options.signal.throwIfAborted();
    const isUnfit = error instanceof McpError && error.code === McpErrorCode.ProtocolError;
    return isUnfit ? error : asOtherKind(error, options);
  }
}

/** HTTP status codes that do not indicate the server's era. */
const NO_EVIDENCE: ReadonlySet<number> = new Set([408, 429]);

/** JSON-RPC error codes that only modern servers return. */
const MODERN_ERRORS: ReadonlySet<number | undefined> = new Set([
  RpcErrorCode.HeaderMismatch,
  RpcErrorCode.MissingClientCapability,
  RpcErrorCode.UnsupportedVersion,
]);

/**
 * Returns the error if its HTTP status indicates that the server uses a different era; otherwise
 * throws the error.
 */
function asOtherKind(error: unknown, { era }: DetectOptions): McpError {
  if (!(error instanceof McpError) || error.code === McpErrorCode.AuthError) throw error;
  const { httpStatus = 0, rpcCode } = error;
  const isRefusal = httpStatus >= 400 && httpStatus < 500 && !NO_EVIDENCE.has(httpStatus);
  // A modern server returns a `MODERN_ERRORS` code to legacy requests too, so after a failed legacy
  // attempt, the modern era must still be tried.
  const isLast = MODERN_ERRORS.has(rpcCode) &&
    (era ?? ServerEra.Modern) === ServerEra.Modern;
  if (!isRefusal || isLast) throw error;
  return error;
}
