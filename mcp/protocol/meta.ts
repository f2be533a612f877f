/**
 * Keys of `_meta` that the specification defines.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/index#meta _meta}
 * @module
 */

import { isJsonObject, type JsonObject } from "../shared/json.ts";

/** Keys of `_meta`. */
export const MetaKey = {
  /** In a request: protocol version of the request. */
  ProtocolVersion: "io.modelcontextprotocol/protocolVersion",
  /** In a request: name and version of the client. */
  ClientInfo: "io.modelcontextprotocol/clientInfo",
  /** In a request: capabilities of the client. */
  ClientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  /** In a request: lowest level of log messages to send. */
  LogLevel: "io.modelcontextprotocol/logLevel",
  /** In a request: token of its progress notifications. */
  ProgressToken: "progressToken",
  /** In a result: name and version of the server. */
  ServerInfo: "io.modelcontextprotocol/serverInfo",
  /** In a notification: id of its `subscriptions/listen` request. */
  SubscriptionId: "io.modelcontextprotocol/subscriptionId",
} as const;

/** Returns the `_meta` object of request parameters or of a result. If it is missing, returns an empty object. */
export function metaOf(owner: JsonObject | undefined): JsonObject {
  return isJsonObject(owner?._meta) ? owner._meta : {};
}
