/**
 * OAuth scope check for tool calls.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#runtime-insufficient-scope-errors Insufficient scope}
 * @module
 */

import { Method } from "../../protocol/methods.ts";
import type { Frame } from "../../jsonrpc/read_frame.ts";
import type { Principal } from "../../server/exchange_context.ts";
import type { ServerCore } from "../../server/server_core.ts";
import type { HttpResponse } from "../../shared/http_types.ts";
import { transportErrorResponse } from "./http_responses.ts";

/**
 * Checks the scopes required by a tool call. Returns an HTTP 401 response if there is no principal, a 403 response if
 * the principal lacks a scope, or `undefined` if the call is permitted.
 */
export function checkScopes(
  frame: Frame,
  principal: Principal | undefined,
  server: ServerCore,
): HttpResponse | undefined {
  const required = new Set(scopesOf(frame, principal, server));
  if (required.size === 0) return undefined;
  const scope = `scope="${[...required].join(" ")}"`;
  if (principal === undefined) {
    return transportErrorResponse(401, "Authorization required", {
      "www-authenticate": `Bearer ${scope}`,
    });
  }
  if ([...required].every((each) => principal.scopes?.includes(each))) return undefined;
  return transportErrorResponse(403, `Insufficient scope: requires ${scope}`, {
    "www-authenticate": `Bearer error="insufficient_scope", ${scope}`,
  });
}

function scopesOf(
  frame: Frame,
  principal: Principal | undefined,
  server: ServerCore,
): readonly string[] {
  if (frame.kind === "batch") {
    return frame.frames.flatMap((each) => scopesOf(each, principal, server));
  }
  if (frame.kind !== "request" || frame.message.method !== Method.CallTool) return [];
  const name = frame.message.params?.name;
  return typeof name === "string" ? server.toolHttpInfo(name, principal)?.scopes ?? [] : [];
}
