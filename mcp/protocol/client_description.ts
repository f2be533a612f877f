/**
 * Who is asking, in one shape for every era.
 *
 * @module
 */

import { isJsonObject, type JsonObject } from "../shared/json.ts";
import type { ClientCapabilities, Implementation } from "./capabilities.ts";
import type { LogLevel } from "./logging.ts";

/** The client behind a request. */
export interface ClientDescription {
  /** The version that it speaks. */
  readonly protocolVersion: string;
  /** What it can do. */
  readonly capabilities: ClientCapabilities;
  /** The software, as it calls itself. */
  readonly info?: Implementation;
  /** The least level of log messages that it wants; none wanted when absent. */
  readonly logLevel?: LogLevel;
}

/** Reads what a client says it can do; members of the wrong shape are left out. */
export function readClientCapabilities(value: unknown): ClientCapabilities {
  if (!isJsonObject(value)) return {};
  if (hasOnlyObjects(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, member]) => isJsonObject(member)));
}

function hasOnlyObjects(value: JsonObject): boolean {
  for (const name in value) if (!isJsonObject(value[name])) return false;
  return true;
}

/** Reads who a side says it is; undefined when it does not say. */
export function readImplementation(value: unknown): Implementation | undefined {
  return isImplementation(value) ? value : undefined;
}

function isImplementation(value: unknown): value is Implementation {
  return isJsonObject(value) && typeof value.name === "string" && typeof value.version === "string";
}
