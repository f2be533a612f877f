/**
 * The legacy `initialize` request (up to MCP 2025-11-25).
 *
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle Lifecycle}
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
import type { ClientCapabilities, Implementation, ServerCapabilities } from "./capabilities.ts";
import {
  type ClientDescription,
  readClientCapabilities,
  readImplementation,
} from "./client_description.ts";
import { readServerCapabilities } from "./result_readers.ts";
import { findRevision, LATEST_LEGACY_REVISION } from "./revisions.ts";

/** Description of a server, as returned in the result of `initialize`. */
export interface ServerDescription {
  /** Protocol version of the connection. */
  readonly protocolVersion: string;
  /** Declared server capabilities. */
  readonly capabilities: ServerCapabilities;
  /** Name and version of the server. */
  readonly info?: Implementation;
  /** Instructions for the client's model. */
  readonly instructions?: string;
}

/**
 * Maximum length of `clientInfo` and `capabilities` together, as JSON. A session stores
 * `clientInfo` and `capabilities` until it ends, and parsed JSON can take 14 bytes per character.
 */
const MAX_CLIENT_CHARS = 65_536;

/**
 * Reads the parameters of `initialize`. Returns the reason as a string if the parameters are
 * invalid.
 */
export function readInitialize(params: JsonObject = {}): ClientDescription | string {
  const { protocolVersion, capabilities, clientInfo } = params;
  if (typeof protocolVersion !== "string") return '"protocolVersion" must be a string';
  if (!isRecord(capabilities)) return '"capabilities" must be an object';
  const info = readImplementation(clientInfo);
  if (info === undefined) return '"clientInfo" must have a "name" and a "version"';
  if (!isShort([info, capabilities])) {
    return `"clientInfo" and "capabilities" must have at most ${MAX_CLIENT_CHARS} characters`;
  }
  return {
    protocolVersion: agreedVersion(protocolVersion),
    capabilities: readClientCapabilities(capabilities),
    info,
  };
}

function isShort(value: unknown): boolean {
  try {
    return JSON.stringify(value).length <= MAX_CLIENT_CHARS;
  } catch {
    // Serialization fails only if the value is nested thousands of levels deep.
    return false;
  }
}

/**
 * Returns the requested version if it is a known legacy version, otherwise the latest legacy
 * version.
 */
function agreedVersion(requested: string): string {
  return findRevision(requested)?.era === "legacy" ? requested : LATEST_LEGACY_REVISION.version;
}

/** Creates the result of `initialize`. */
export function initializeResult(
  protocolVersion: string,
  capabilities: ServerCapabilities,
  serverInfo: Implementation,
  instructions: string | undefined,
): JsonObject {
  return {
    protocolVersion,
    capabilities,
    serverInfo,
    ...(instructions === undefined ? {} : { instructions }),
  };
}

/** Creates the parameters for `initialize`. */
export function initializeParams(
  protocolVersion: string,
  capabilities: ClientCapabilities,
  clientInfo: Implementation,
): JsonObject {
  return { protocolVersion, capabilities, clientInfo };
}

/** Reads the result of `initialize`. Returns the reason as a string if the result is invalid. */
export function readInitializeResult(result: JsonObject): ServerDescription | string {
  const { protocolVersion, capabilities, serverInfo, instructions } = result;
  if (typeof protocolVersion !== "string") return '"protocolVersion" must be a string';
  if (findRevision(protocolVersion)?.era !== "legacy") {
    return `the server returned unsupported protocol version "${protocolVersion}"`;
  }
  if (!isRecord(capabilities)) return '"capabilities" must be an object';
  const info = readImplementation(serverInfo);
  return {
    protocolVersion,
    capabilities: readServerCapabilities(capabilities),
    ...(info === undefined ? {} : { info }),
    ...(typeof instructions === "string" ? { instructions } : {}),
  };
}

/**
 * Encodes a result for a legacy client. Removes `resultType`, structured content that is not an
 * object, and output schemas whose type is not `object`, because MCP 2025-11-25 allows only
 * objects.
 */
export function encodeLegacyResult(result: JsonObject): JsonObject {
  const { resultType: _resultType, structuredContent, ...rest } = result;
  const plain = Array.isArray(rest.tools) ? { ...rest, tools: rest.tools.map(plainTool) } : rest;
  return isRecord(structuredContent) ? { ...plain, structuredContent } : plain;
}

function plainTool(tool: unknown): unknown {
  if (!isRecord(tool) || !isRecord(tool.outputSchema)) return tool;
  const { outputSchema, ...rest } = tool;
  return outputSchema.type === "object" ? tool : rest;
}
