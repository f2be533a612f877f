/**
 * `_meta` keys defined by the specification.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/index#meta _meta}
 * @module
 */

import { assertObject } from "@parley/internal/assert-argument";
import { formatValue } from "@parley/internal/format-value";
import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";

/** `_meta` keys. */
export const MetaKey = {
  /** In a request: protocol version of the request. */
  ProtocolVersion: "io.modelcontextprotocol/protocolVersion",
  /** In a request: name and version of the client. */
  ClientInfo: "io.modelcontextprotocol/clientInfo",
  /** In a request: client capabilities. */
  ClientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  /** In a request: minimum level of log messages to send. */
  LogLevel: "io.modelcontextprotocol/logLevel",
  /** In a request: token to include in progress notifications for the request. */
  ProgressToken: "progressToken",
  /** In a result: name and version of the server. */
  ServerInfo: "io.modelcontextprotocol/serverInfo",
  /**
   * In a notification: id of the `subscriptions/listen` request that the notification belongs to.
   */
  SubscriptionId: "io.modelcontextprotocol/subscriptionId",
} as const;

/** Prefix of the `_meta` keys that the protocol reserves. */
const RESERVED_PREFIX = "io.modelcontextprotocol/";

/**
 * Checks the `_meta` members that a caller adds to a request.
 *
 * @throws {TypeError} If the value is not an object, or if the protocol reserves one of the keys.
 */
export function assertRequestMeta(meta: unknown): void {
  if (meta === undefined) return;
  assertObject("meta", meta);
  for (const key in meta) {
    if (key !== MetaKey.ProgressToken && !key.startsWith(RESERVED_PREFIX)) continue;
    throw new TypeError(`"meta" must not contain ${formatValue(key)}, which the protocol reserves`);
  }
}

/**
 * Returns the `_meta` object in request parameters or a result, or an empty object if there is
 * none.
 */
export function metaOf(owner: JsonObject | undefined): JsonObject {
  return isRecord(owner?._meta) ? owner._meta : {};
}
