/**
 * The stateless era (2026-07-28): every request says who sends it, every result says what it is.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/index#meta _meta}
 * @module
 */

import { isJsonObject, type JsonObject } from "../shared/json.ts";
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

/** What a request says of its sender. */
export type ClientDescriptionResult =
  | { readonly kind: "none" }
  | { readonly kind: "client"; readonly client: ClientDescription }
  | { readonly kind: "invalid"; readonly error: McpErrorObject };

/** Reads the sender out of `params._meta`. A request without a version there makes no such claim. */
export function readClientDescription(params: JsonObject | undefined): ClientDescriptionResult {
  const meta = metaOf(params);
  const version = meta[MetaKey.ProtocolVersion];
  if (version === undefined) return { kind: "none" };
  if (typeof version !== "string") return invalidMeta(MetaKey.ProtocolVersion);
  if (findRevision(version)?.era !== "modern") {
    return { kind: "invalid", error: unsupportedVersion(version) };
  }
  const capabilities = meta[MetaKey.ClientCapabilities];
  if (!isJsonObject(capabilities)) return invalidMeta(MetaKey.ClientCapabilities);
  const level = meta[MetaKey.LogLevel];
  if (level !== undefined && !isLogLevel(level)) return invalidMeta(MetaKey.LogLevel);
  const info = readImplementation(meta[MetaKey.ClientInfo]);
  const known = readClientCapabilities(capabilities);
  const client = info === undefined
    ? { protocolVersion: version, capabilities: known }
    : { protocolVersion: version, capabilities: known, info };
  return { kind: "client", client: level === undefined ? client : { ...client, logLevel: level } };
}

/** The error for a version that is not spoken, naming those that are. */
export function unsupportedVersion(requested: string): McpErrorObject {
  return {
    code: RpcErrorCode.UnsupportedVersion,
    message: `Unsupported protocol version: "${requested}"`,
    data: { supported: versionsOf("modern"), requested },
  };
}

/** The error for a key of `_meta` that is missing or of the wrong shape. */
export function missingMeta(key: string): McpErrorObject {
  return {
    code: RpcErrorCode.InvalidParams,
    message: `Invalid params: "_meta" must have a valid "${key}"`,
  };
}

function invalidMeta(key: string): ClientDescriptionResult {
  return { kind: "invalid", error: missingMeta(key) };
}

/** What a client says of itself in each request. */
export interface RequestMeta {
  /** The version that it speaks. */
  readonly protocolVersion: string;
  /** What it can do. */
  readonly capabilities: ClientCapabilities;
  /** The software. */
  readonly info: Implementation;
  /** The least level of log messages that it wants. */
  readonly logLevel?: LogLevel;
}

/** The members of `_meta` that make a claim. */
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

/** How long a client may keep a result, and for whom. */
export interface CacheHint {
  /** How long, in milliseconds; 0 is not at all. */
  readonly ttlMs: number;
  /** Whether everybody gets the same result. */
  readonly cacheScope: "public" | "private";
}

const NO_CACHE: CacheHint = { ttlMs: 0, cacheScope: "private" };

/**
 * Dresses a result for the wire: what kind it is, who sends it, how long it may be kept. What the result says itself
 * stays.
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

/** Whether clients may keep what a method gives. */
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
