/**
 * Detects the server's era; shared by HTTP transports and pipes.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#backward-compatibility-with-initialization-based-versions Backward compatibility}
 * @module
 */

import { McpError, McpErrorCode } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
import type { ServerDescription } from "../protocol/initialize.ts";
import { MetaKey, metaOf } from "../protocol/meta.ts";
import { Method } from "../protocol/methods.ts";
import { readImplementation } from "../protocol/client_description.ts";
import { readServerCapabilities } from "../protocol/result_readers.ts";
import { findRevision, LATEST_VERSION, versionsOf } from "../protocol/revisions.ts";
import { toRequestMeta } from "../protocol/modern.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import { request as makeRequest } from "../jsonrpc/message.ts";
import type { Connection, PipeConnection } from "../jsonrpc/contracts.ts";
import { openLegacySession } from "./legacy_session.ts";
import { DEFAULT_REQUEST } from "./request_options.ts";
import { sendRequest } from "./send_request.ts";
import type { ServerEra } from "./server_era.ts";
import type { Session, SessionOptions } from "./session.ts";

/** Options for era detection. */
export interface DetectOptions extends SessionOptions {
  /** The `protocol` option of the client: `auto`, `modern`, `legacy` or a protocol version. */
  readonly protocol: string;
  /** Era detected by an earlier connection, which is tried first. */
  readonly era: ServerEra | undefined;
  /**
   * Time to wait for the response to `server/discover` before also trying the legacy era, in
   * milliseconds.
   */
  readonly probeTimeoutMs: number;
  /** Timeout for each request, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** Signal that aborts the connection attempt. */
  readonly signal: AbortSignal;
}

/** A session and the detected era. */
export interface DetectedSession {
  /** The open session. */
  readonly session: Session;
  /** The detected era. */
  readonly era: ServerEra;
}

/**
 * Result of `server/discover`: a modern server, a legacy server, an ended connection, or no
 * response in time.
 */
export type ProbeResult =
  | { readonly kind: "modern"; readonly server: ServerDescription }
  | { readonly kind: "legacy" }
  | { readonly kind: "gone"; readonly error: unknown }
  | { readonly kind: "silent" };

/** Returns the era that the `protocol` option requires, or `undefined` if both eras are allowed. */
export function eraOf(protocol: string): "modern" | "legacy" | undefined {
  if (protocol === "modern" || protocol === "legacy") return protocol;
  const revision = findRevision(protocol);
  if (revision === undefined) return undefined;
  return revision.era === "modern" ? "modern" : "legacy";
}

/**
 * Initializes a legacy session.
 *
 * @throws {McpError} With code `protocol_error` if the `protocol` option requires a modern protocol
 * version.
 */
export function initializeSession(
  connection: PipeConnection,
  options: DetectOptions,
): Promise<Session> {
  const { protocol, connectTimeoutMs: timeoutMs } = options;
  if (eraOf(protocol) === "modern") {
    throw McpError.protocolError("the server does not support a modern protocol version");
  }
  const pinned = findRevision(protocol) === undefined ? {} : { version: protocol };
  return openLegacySession(connection, { ...options, ...pinned, timeoutMs });
}

/**
 * Sends `server/discover`. If the server does not support the requested protocol version but
 * supports another modern version, sends the request again with that version.
 *
 * @throws {McpError} If the connection fails with an error that does not indicate the server's era.
 */
export async function discover(
  connection: Connection,
  options: DetectOptions,
): Promise<ProbeResult> {
  const first = await sendDiscover(connection, options, LATEST_VERSION);
  if (first.kind !== "other_version") return first;
  const second = await sendDiscover(connection, options, first.version);
  if (second.kind !== "other_version") return second;
  throw second.error;
}

/**
 * Result of one `server/discover` request. `"other_version"`: the server rejected the requested
 * version, but lists a modern version that this client also supports.
 */
type Discovery = ProbeResult | {
  readonly kind: "other_version";
  readonly version: string;
  readonly error: McpError;
};

async function sendDiscover(
  connection: Connection,
  { clientInfo, capabilities, nextId, connectTimeoutMs: timeoutMs, signal }: DetectOptions,
  version: string,
): Promise<Discovery> {
  const claim = { protocolVersion: version, capabilities, info: clientInfo };
  const request = makeRequest(nextId(), Method.Discover, { _meta: toRequestMeta(claim) });
  try {
    const settings = { ...DEFAULT_REQUEST, timeoutMs, signal };
    return readDiscovery(await sendRequest(connection, request, settings));
  } catch (error) {
    signal.throwIfAborted();
    if (connection.ended !== undefined) return { kind: "gone", error };
    if (!(error instanceof McpError) || error.code !== McpErrorCode.ProtocolError) throw error;
    if (error.rpcCode !== RpcErrorCode.UnsupportedVersion) return { kind: "legacy" };
    const common = commonVersion(isRecord(error.data) ? error.data.supported : undefined);
    return common === undefined
      ? { kind: "legacy" }
      : { kind: "other_version", version: common, error };
  }
}

function readDiscovery(result: JsonObject): ProbeResult {
  const { supportedVersions, capabilities, instructions } = result;
  const protocolVersion = commonVersion(supportedVersions);
  if (protocolVersion === undefined || !isRecord(capabilities)) return { kind: "legacy" };
  const info = readImplementation(metaOf(result)[MetaKey.ServerInfo]);
  const server = {
    protocolVersion,
    capabilities: readServerCapabilities(capabilities),
    ...(info === undefined ? {} : { info }),
    ...(typeof instructions === "string" ? { instructions } : {}),
  };
  return { kind: "modern", server };
}

function commonVersion(supported: unknown): string | undefined {
  return Array.isArray(supported)
    ? versionsOf("modern").find((version) => supported.includes(version))
    : undefined;
}

/**
 * Converts an error from era detection. A lost connection, a timeout or a response that is not
 * JSON-RPC becomes an error with code `connection_failed`.
 *
 * @param where Server URL, or the command that starts the server.
 * @param diagnosis Text to append to the reason in the error message.
 */
export function toConnectionError(error: unknown, where: string, diagnosis?: string): unknown {
  if (!(error instanceof McpError)) return error;
  const { code, httpStatus, rpcCode } = error;
  const isPage = code === McpErrorCode.ProtocolError && httpStatus && rpcCode === undefined;
  const isLost = code === McpErrorCode.TransportError || code === McpErrorCode.Timeout;
  if (!isLost && !isPage) return error;
  const status = httpStatus === undefined ? {} : { httpStatus };
  const reason = diagnosis === undefined ? reasonOf(error) : `${reasonOf(error)}; ${diagnosis}`;
  return McpError.connectionFailed(where, reason, { cause: error, ...status });
}

function reasonOf({ details, message }: McpError): string {
  if ("timeoutMs" in details) {
    return `"${details.method}" timed out after ${details.timeoutMs} ms ("connectTimeoutMs")`;
  }
  return "reason" in details ? details.reason : message;
}
