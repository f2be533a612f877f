/**
 * Metadata in modern messages (2026-07-28). Every request contains a description of the client, and
 * every result contains a description of the server.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/index#meta _meta}
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import type { McpErrorObject } from "../jsonrpc/message.ts";
import type { ClientCapabilities, Implementation } from "./capabilities.ts";
import { isLogLevel, type LogLevel } from "./logging.ts";
import { MetaKey, metaOf } from "./meta.ts";
import { Method } from "./methods.ts";
import {
  type ClientDescription,
  readClientCapabilities,
  readImplementation,
} from "./client_description.ts";
import { findRevision, versionsOf } from "./revisions.ts";

/**
 * Result of {@linkcode readClientDescription}: the client description is missing (`none`), valid
 * (`client`) or `invalid`.
 */
export type ClientDescriptionResult =
  | { readonly kind: "none" }
  | { readonly kind: "client"; readonly client: ClientDescription }
  | { readonly kind: "invalid"; readonly error: McpErrorObject };

/**
 * Reads the client description from `params._meta`. The result has the kind `none` if the request
 * does not contain a protocol version.
 */
export function readClientDescription(params: JsonObject | undefined): ClientDescriptionResult {
  const meta = metaOf(params);
  const version = meta[MetaKey.ProtocolVersion];
  if (version === undefined) return { kind: "none" };
  if (typeof version !== "string") return invalidMeta(MetaKey.ProtocolVersion);
  if (findRevision(version)?.era !== "modern") {
    return { kind: "invalid", error: unsupportedVersion(version) };
  }
  const capabilities = meta[MetaKey.ClientCapabilities];
  if (!isRecord(capabilities)) return invalidMeta(MetaKey.ClientCapabilities);
  const level = meta[MetaKey.LogLevel];
  if (level !== undefined && !isLogLevel(level)) return invalidMeta(MetaKey.LogLevel);
  const info = readImplementation(meta[MetaKey.ClientInfo]);
  const known = readClientCapabilities(capabilities);
  const client = info === undefined
    ? { protocolVersion: version, capabilities: known }
    : { protocolVersion: version, capabilities: known, info };
  return { kind: "client", client: level === undefined ? client : { ...client, logLevel: level } };
}

/**
 * Creates the error for an unsupported protocol version. The error data contains the supported
 * versions.
 */
export function unsupportedVersion(requested: string): McpErrorObject {
  return {
    code: RpcErrorCode.UnsupportedVersion,
    message: `Unsupported protocol version: "${requested}"`,
    data: { supported: versionsOf("modern"), requested },
  };
}

/** Creates the error for a missing or invalid `_meta` member. */
export function missingMeta(key: string): McpErrorObject {
  return {
    code: RpcErrorCode.InvalidParams,
    message: `Invalid params: "_meta" must contain a valid "${key}"`,
  };
}

function invalidMeta(key: string): ClientDescriptionResult {
  return { kind: "invalid", error: missingMeta(key) };
}

/** Client description sent with each request. */
export interface RequestMeta {
  /** Protocol version of the request. */
  readonly protocolVersion: string;
  /** Declared client capabilities. */
  readonly capabilities: ClientCapabilities;
  /** Name and version of the client. */
  readonly info: Implementation;
  /** Minimum level of log messages to send. */
  readonly logLevel?: LogLevel;
}

/** Returns the `_meta` members that describe the client. */
export function toRequestMeta(
  { protocolVersion, capabilities, info, logLevel }: RequestMeta,
): JsonObject {
  return {
    [MetaKey.ProtocolVersion]: protocolVersion,
    [MetaKey.ClientInfo]: info,
    [MetaKey.ClientCapabilities]: capabilities,
    ...(logLevel === undefined ? {} : { [MetaKey.LogLevel]: logLevel }),
  };
}

/** Caching rules for a result. */
export interface CacheHint {
  /** How long a result may be cached, in milliseconds. 0 disables caching. */
  readonly ttlMs: number;
  /**
   * Whether a result may be cached for all users (`public`) or only for the requesting user
   * (`private`).
   */
  readonly cacheScope: "public" | "private";
}

const NO_CACHE: CacheHint = { ttlMs: 0, cacheScope: "private" };

/**
 * Encodes a result for a modern client by adding the result type, server information and caching
 * rules. Members already present in the result are not changed.
 */
export function encodeResult(
  method: string,
  result: JsonObject,
  serverInfo: Implementation,
  cache: CacheHint = NO_CACHE,
): JsonObject {
  const isComplete = result.resultType === undefined || result.resultType === "complete";
  const about = { [MetaKey.ServerInfo]: serverInfo };
  const _meta = result._meta === undefined ? about : { ...about, ...metaOf(result) };
  return isComplete && isCacheable(method)
    ? { resultType: "complete", ...cache, ...result, _meta }
    : { resultType: "complete", ...result, _meta };
}

/** Returns `true` if clients may cache the method's results. */
function isCacheable(method: string): boolean {
  switch (method) {
    case Method.Discover:
    case Method.ListTools:
    case Method.ListPrompts:
    case Method.ListResources:
    case Method.ListResourceTemplates:
    case Method.ReadResource:
      return true;
    default:
      return false;
  }
}
