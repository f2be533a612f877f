/**
 * Description of a client, in the same format for modern and legacy requests.
 *
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
import type { ClientCapabilities, Implementation } from "./capabilities.ts";
import type { LogLevel } from "./logging.ts";

/** Description of the client that sent a request. */
export interface ClientDescription {
  /** Protocol version of the request. */
  readonly protocolVersion: string;
  /** Declared client capabilities. */
  readonly capabilities: ClientCapabilities;
  /** Name and version reported by the client. */
  readonly info?: Implementation;
  /**
   * Minimum level of log messages requested by the client. If omitted, no log messages are sent.
   */
  readonly logLevel?: LogLevel;
}

/** Reads declared client capabilities, and omits capabilities that are not objects. */
export function readClientCapabilities(value: unknown): ClientCapabilities {
  if (!isRecord(value)) return {};
  if (hasOnlyObjects(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, member]) => isRecord(member)));
}

function hasOnlyObjects(value: JsonObject): boolean {
  for (const name in value) if (!isRecord(value[name])) return false;
  return true;
}

/**
 * Reads the reported name and version of a client or server. Returns `undefined` if the name or the
 * version is missing.
 */
export function readImplementation(value: unknown): Implementation | undefined {
  return isImplementation(value) ? value : undefined;
}

function isImplementation(value: unknown): value is Implementation {
  return isRecord(value) && typeof value.name === "string" && typeof value.version === "string";
}
