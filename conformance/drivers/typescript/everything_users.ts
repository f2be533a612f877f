/**
 * Users of the server over HTTP, for cases in which two of them come.
 *
 * @module
 */

import type { HttpContext, HttpHandler } from "@parley/mcp/server";

/** Whoever shows the token `kit-ada` is Ada; most cases come as nobody. */
export function withUsers(handler: HttpHandler): HttpHandler {
  const handle = (request: Request): Promise<Response> => handler(request, userOf(request));
  const respond: HttpHandler["respond"] = (request) => handler.respond(request, userOf(request));
  return Object.assign(handle, { respond, close: () => handler.close() });
}

function userOf({ headers }: { readonly headers: Pick<Headers, "get"> }): HttpContext {
  const subject = /^Bearer kit-(\w+)$/.exec(headers.get("authorization") ?? "")?.[1];
  return subject === undefined ? {} : { principal: { subject } };
}
