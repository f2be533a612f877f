/**
 * Tools that not every token is good for. It is checked before anything else is known of a request but what is asked.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#runtime-insufficient-scope-errors Insufficient scope}
 * @module
 */

import { Method } from "../../protocol/methods.ts";
import type { Frame } from "../../jsonrpc/read_frame.ts";
import type { Principal } from "../../server/exchange_context.ts";
import type { ServerCore } from "../../server/server_core.ts";
import type { HttpResponse } from "../../shared/http_types.ts";
import { refuseTransport } from "./http_responses.ts";

/** Refuses calls of tools that take scopes which the principal does not have. */
export function checkScopes(
  frame: Frame,
  principal: Principal | undefined,
  server: ServerCore,
): HttpResponse | undefined {
  const needed = new Set(scopesOf(frame, server));
  if (needed.size === 0) return undefined;
  const scope = `scope="${[...needed].join(" ")}"`;
  if (principal === undefined) {
    return refuseTransport(401, "A token is needed", { "www-authenticate": `Bearer ${scope}` });
  }
  if ([...needed].every((each) => principal.scopes?.includes(each))) return undefined;
  return refuseTransport(403, "The token is not good for this", {
    "www-authenticate": `Bearer error="insufficient_scope", ${scope}`,
  });
}

function scopesOf(frame: Frame, server: ServerCore): readonly string[] {
  if (frame.kind === "batch") return frame.frames.flatMap((each) => scopesOf(each, server));
  if (frame.kind !== "request" || frame.message.method !== Method.CallTool) return [];
  const name = frame.message.params?.name;
  return typeof name === "string" ? server.toolEdge(name)?.scopes ?? [] : [];
}
