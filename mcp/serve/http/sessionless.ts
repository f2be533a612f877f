/**
 * Streamable HTTP for legacy protocol versions without sessions. Each POST request is handled
 * independently. Intended for serverless platforms, where processes do not share sessions.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management Sessions}
 * @module
 */

import { Quota } from "@parley/internal/quota";
import { RpcErrorCode } from "../../jsonrpc/error_codes.ts";
import { HeaderName } from "../../protocol/headers.ts";
import { findRevision } from "../../protocol/revisions.ts";
import type { ServerCore } from "../../server/server_core.ts";
import { handleLifecycleRequest, UNKNOWN_CLIENT } from "../../server/initialize.ts";
import { withoutListChanged } from "../../server/handle_single_request.ts";
import type { HttpResponse } from "../../shared/http_types.ts";
import type { LegacyHttpHandler, LegacyPost } from "./endpoint.ts";
import { type ExchangeHost, HttpExchange, SLOW_MS } from "./exchange.ts";
import { ACCEPTED, errorResponse, transportErrorResponse } from "./http_responses.ts";
import { toHttpResponse } from "./response.ts";
import { WaitingRequests } from "./waiting_requests.ts";

/**
 * Maximum number of requests in flight, and the share of an authenticated principal. The limits are
 * the defaults of `maxTotalConcurrent` and `maxSharePerPrincipal` for sessions. A request remains
 * in flight after its client has disconnected, so without a limit a client could start any number.
 */
const MAX_CONCURRENT = 2000;
const MAX_SHARE = 0.25;

/** Serves legacy clients over HTTP, without sessions. */
export function serveSessionless(server: ServerCore, keepAliveMs: number): LegacyHttpHandler {
  const notAllowed = (): HttpResponse =>
    transportErrorResponse(405, "Method not allowed: sessions are disabled", { allow: "POST" });
  const waiting = new WaitingRequests(Math.min(SLOW_MS, keepAliveMs));
  const quota = new Quota(MAX_CONCURRENT, MAX_SHARE);
  const host = { era: "legacy", server, keepAliveMs, waiting, quota } as const;
  return {
    post: (post) => respondToPost(host, post),
    get: notAllowed,
    delete: notAllowed,
    close: () => waiting.close(),
  };
}

async function respondToPost(
  host: ExchangeHost & { readonly quota: Quota },
  { frame, request, accepted, context }: LegacyPost,
): Promise<HttpResponse> {
  const version = request.headers.get(HeaderName.ProtocolVersion);
  if (version !== null && findRevision(version)?.era !== "legacy") {
    return transportErrorResponse(400, `Unsupported protocol version: "${version}"`);
  }
  if (frame.kind === "batch") {
    const message = "Invalid Request: batches require a session";
    return errorResponse(400, { code: RpcErrorCode.InvalidRequest, message });
  }
  if (frame.kind !== "request") return ACCEPTED;
  const { server, keepAliveMs, quota } = host;
  const { message } = frame;
  const lifecycle = handleLifecycleRequest(message, withoutListChanged(server));
  if (lifecycle !== undefined) return toHttpResponse(lifecycle.response, { accepted, keepAliveMs });
  const { principal } = context;
  if (!quota.has(1, principal?.subject)) {
    return transportErrorResponse(429, "Too many requests are in flight", { "retry-after": "10" });
  }
  quota.take(1, principal?.subject);
  const client = UNKNOWN_CLIENT;
  return await new HttpExchange(host, { request, message, accepted, client, principal }).respond();
}
