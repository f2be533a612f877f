/**
 * The one place that decides which era an incoming message belongs to, for every transport.
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

/** The era of a message, and who sends it where the message says so. */
export type RequestEra =
  | { readonly era: "modern"; readonly client: ClientDescription }
  | { readonly era: "legacy" }
  | { readonly era: "unclear"; readonly error: McpErrorObject };

/**
 * Decides by what the message itself says; a version header matters only when the message says nothing.
 *
 * @param message a request or a notification
 * @param headers the HTTP headers, where there are any
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
