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
import { formatValue } from "@parley/internal/format-value";
import type { HttpResponse } from "../../shared/http_types.ts";
import { hasScopes } from "../../shared/principal.ts";
import { transportErrorResponse } from "./http_responses.ts";

/** Context of a request. */
interface CallerContext {
  /** Authenticated principal; absent if the program passes no principals. */
  readonly principal?: Principal | undefined;
}

/** Checks the scopes that the tools of a server require. */
export class ScopeCheck {
  readonly #server: ServerCore;
  #isReported = false;

  /** Creates a check for the tools of a server. */
  constructor(server: ServerCore) {
    this.#server = server;
  }

  /**
   * Checks the scopes required by a tool call. Returns an HTTP 401 response if there is no
   * principal, a 403 response if the principal lacks a scope, or `undefined` if the call is
   * permitted.
   *
   * A context without the member `principal` means that the program passes no principals, so no
   * client can call the tool. The check reports the first call without the member.
   */
  check(frame: Frame, context: CallerContext): HttpResponse | undefined {
    const { principal } = context;
    const tools = toolsWithScopes(frame, principal, this.#server);
    const first = tools[0];
    if (first === undefined) return undefined;
    const required = new Set(tools.flatMap(({ scopes }) => scopes));
    const scope = `scope="${[...required].join(" ")}"`;
    if (principal === undefined) {
      if (!("principal" in context)) this.#report(first.name);
      return transportErrorResponse(401, "Authorization required", {
        "www-authenticate": `Bearer ${scope}`,
      });
    }
    if (hasScopes(required, principal)) return undefined;
    return transportErrorResponse(403, `Insufficient scope: requires ${scope}`, {
      "www-authenticate": `Bearer error="insufficient_scope", ${scope}`,
    });
  }

  #report(name: string): void {
    if (this.#isReported) return;
    this.#isReported = true;
    this.#server.report(
      new Error(
        `Cannot call tool ${
          formatValue(name)
        }: the tool has "scopes", but the HTTP handler received no principal; ` +
          'pass the principal with the "principal" option of toNodeListener() or in the second argument of the handler',
      ),
    );
  }
}

interface ToolWithScopes {
  readonly name: string;
  readonly scopes: readonly string[];
}

/** Returns the called tools that require scopes. A batch can call several tools. */
function toolsWithScopes(
  frame: Frame,
  principal: Principal | undefined,
  server: ServerCore,
): readonly ToolWithScopes[] {
  if (frame.kind === "batch") {
    return frame.frames.flatMap((each) => toolsWithScopes(each, principal, server));
  }
  if (frame.kind !== "request" || frame.message.method !== Method.CallTool) return [];
  const name = frame.message.params?.name;
  if (typeof name !== "string") return [];
  const scopes = server.toolHttpInfo(name, principal)?.scopes;
  return scopes === undefined || scopes.length === 0 ? [] : [{ name, scopes }];
}
