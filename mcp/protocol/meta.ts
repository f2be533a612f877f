/**
 * The keys of `_meta` that the protocol itself uses.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/index#meta _meta}
 * @module
 */

import { isJsonObject, type JsonObject } from "../shared/json.ts";

/** Keys of `_meta`. */
export const MetaKey = {
  /** In a request: the version it is written in. */
  ProtocolVersion: "io.modelcontextprotocol/protocolVersion",
  /** In a request: the software that sends it. */
  ClientInfo: "io.modelcontextprotocol/clientInfo",
  /** In a request: what its sender can do. */
  ClientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  /** In a request: the least level of log messages wanted. */
  LogLevel: "io.modelcontextprotocol/logLevel",
  /** In a request: the token that its progress notifications carry. */
  ProgressToken: "progressToken",
  /** In a result: the software that sends it. */
  ServerInfo: "io.modelcontextprotocol/serverInfo",
  /** In a notification: the id of the `subscriptions/listen` request that it belongs to. */
  SubscriptionId: "io.modelcontextprotocol/subscriptionId",
} as const;

/** The `_meta` of parameters or of a result; empty when there is none. */
export function metaOf(owner: JsonObject | undefined): JsonObject {
  return isJsonObject(owner?._meta) ? owner._meta : {};
}
