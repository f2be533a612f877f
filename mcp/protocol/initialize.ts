/**
 * The handshake era (up to 2025-11-25): `initialize` and its answer.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle Lifecycle}
 * @module
 */

import { isJsonObject, type JsonObject } from "../shared/json.ts";
import type { ClientCapabilities, Implementation, ServerCapabilities } from "./capabilities.ts";
import {
  type ClientDescription,
  readClientCapabilities,
  readImplementation,
} from "./client_description.ts";
import { readServerCapabilities } from "./result_readers.ts";
import { findRevision, LATEST_LEGACY_REVISION } from "./revisions.ts";

/** What a server says of itself. */
export interface ServerDescription {
  /** The version that is spoken with it. */
  readonly protocolVersion: string;
  /** What it offers. */
  readonly capabilities: ServerCapabilities;
  /** The software, as it calls itself. */
  readonly info?: Implementation;
  /** How to use it, for the model. */
  readonly instructions?: string;
}

/** Reads the parameters of `initialize`; a text says what is wrong with them. */
export function readInitialize(params: JsonObject = {}): ClientDescription | string {
  const { protocolVersion, capabilities, clientInfo } = params;
  if (typeof protocolVersion !== "string") return '"protocolVersion" must be a string';
  if (!isJsonObject(capabilities)) return '"capabilities" must be an object';
  const info = readImplementation(clientInfo);
  if (info === undefined) return '"clientInfo" must have a "name" and a "version"';
  return {
    protocolVersion: agreedVersion(protocolVersion),
    capabilities: readClientCapabilities(capabilities),
    info,
  };
}

/** The version that a server answers: the requested one if it can be had by handshake, else the newest that can. */
function agreedVersion(requested: string): string {
  return findRevision(requested)?.era === "legacy" ? requested : LATEST_LEGACY_REVISION.version;
}

/** The result of `initialize`. */
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

/** The parameters of `initialize`. */
export function initializeParams(
  protocolVersion: string,
  capabilities: ClientCapabilities,
  clientInfo: Implementation,
): JsonObject {
  return { protocolVersion, capabilities, clientInfo };
}

/** Reads the result of `initialize`; a text says what is wrong with it. */
export function readInitializeResult(result: JsonObject): ServerDescription | string {
  const { protocolVersion, capabilities, serverInfo, instructions } = result;
  if (typeof protocolVersion !== "string") return '"protocolVersion" must be a string';
  if (findRevision(protocolVersion)?.era !== "legacy") {
    return `the server returned unsupported protocol version "${protocolVersion}"`;
  }
  if (!isJsonObject(capabilities)) return '"capabilities" must be an object';
  const info = readImplementation(serverInfo);
  return {
    protocolVersion,
    capabilities: readServerCapabilities(capabilities),
    ...(info === undefined ? {} : { info }),
    ...(typeof instructions === "string" ? { instructions } : {}),
  };
}

/**
 * Takes out of a result what the handshake era does not know: `resultType`, and structured content or output schemas
 * that are not objects (any JSON value is allowed since 2026-07-28).
 */
export function encodeLegacyResult(result: JsonObject): JsonObject {
  const { resultType: _resultType, structuredContent, ...rest } = result;
  const plain = Array.isArray(rest.tools) ? { ...rest, tools: rest.tools.map(plainTool) } : rest;
  return isJsonObject(structuredContent) ? { ...plain, structuredContent } : plain;
}

function plainTool(tool: unknown): unknown {
  if (!isJsonObject(tool) || !isJsonObject(tool.outputSchema)) return tool;
  const { outputSchema, ...rest } = tool;
  return outputSchema.type === "object" ? tool : rest;
}
