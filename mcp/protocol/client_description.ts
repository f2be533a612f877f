/**
 * The client of a request, in one format for both eras.
 *
 * @module
 */

import { isJsonObject, type JsonObject } from "../shared/json.ts";
import type { ClientCapabilities, Implementation } from "./capabilities.ts";
import type { LogLevel } from "./logging.ts";

/** The client of a request. */
export interface ClientDescription {
  /** Protocol version of the request. */
  readonly protocolVersion: string;
  /** Capabilities that the client declares. */
  readonly capabilities: ClientCapabilities;
  /** Name and version of the client, as declared by the client. */
  readonly info?: Implementation;
  /** Lowest level of log messages that the client requests. If omitted, no log messages are sent. */
  readonly logLevel?: LogLevel;
}

/** Reads declared client capabilities. Members that are not objects are omitted. */
export function readClientCapabilities(value: unknown): ClientCapabilities {
  if (!isJsonObject(value)) return {};
  if (hasOnlyObjects(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, member]) => isJsonObject(member)));
}

function hasOnlyObjects(value: JsonObject): boolean {
  for (const name in value) if (!isJsonObject(value[name])) return false;
  return true;
}

/** Reads the declared name and version of a client or server. Returns `undefined` if one of them is missing. */
export function readImplementation(value: unknown): Implementation | undefined {
  return isImplementation(value) ? value : undefined;
}

function isImplementation(value: unknown): value is Implementation {
  return isJsonObject(value) && typeof value.name === "string" && typeof value.version === "string";
}
