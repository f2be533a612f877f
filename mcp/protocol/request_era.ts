/**
 * Detects whether a received message is modern or legacy.
 *
 * @module
 */

import type { RpcNotification, RpcRequest } from "../jsonrpc/message.ts";
import type { McpErrorObject } from "../jsonrpc/message.ts";
import { HeaderName, type HeaderReader } from "./headers.ts";
import { MetaKey } from "./meta.ts";
import type { ClientDescription } from "./client_description.ts";
import { findRevision } from "./revisions.ts";
import { missingMeta, readClientDescription } from "./modern.ts";

/**
 * Result of {@linkcode detectRequestEra}. The era is `unclear` if a request that claims a modern
 * protocol version has a missing or invalid client description.
 */
export type RequestEra =
  | { readonly era: "modern"; readonly client: ClientDescription }
  | { readonly era: "legacy" }
  | { readonly era: "unclear"; readonly error: McpErrorObject };

/**
 * Detects the era (modern or legacy) of a message. The `MCP-Protocol-Version` header is used only
 * if the message does not contain a version.
 *
 * @param message Request or notification.
 * @param headers HTTP headers, if the message was received over HTTP.
 */
export function detectRequestEra(
  { params }: RpcRequest | RpcNotification,
  headers?: HeaderReader,
): RequestEra {
  const claim = readClientDescription(params);
  switch (claim.kind) {
    case "client":
      return { era: "modern", client: claim.client };
    case "invalid":
      return { era: "unclear", error: claim.error };
    case "none":
      return findRevision(headers?.get(HeaderName.ProtocolVersion))?.era === "modern"
        ? { era: "unclear", error: missingMeta(MetaKey.ProtocolVersion) }
        : { era: "legacy" };
    default:
      return claim satisfies never;
  }
}
