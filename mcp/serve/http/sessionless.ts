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
import { encodeLegacy } from "../../server/encode_response.ts";
import { handleLifecycleRequest, UNKNOWN_CLIENT } from "../../server/initialize.ts";
import { LazySignal } from "../../server/lazy_signal.ts";
import { withoutListChanged } from "../../server/handle_single_request.ts";
import type { HttpResponse } from "../../shared/http_types.ts";
import { type LegacyHttpHandler, type LegacyPost, principalOf } from "./endpoint.ts";
import { ACCEPTED, errorResponse, transportErrorResponse } from "./http_responses.ts";
import { respond } from "./response.ts";
import { toolHeaderCheck } from "./tool_header_check.ts";
import { ShutdownSignals } from "../shutdown_signals.ts";

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
  const inFlight = new ShutdownSignals();
  const quota = new Quota(MAX_CONCURRENT, MAX_SHARE);
  return {
    post: (post) => respondToPost(server, post, { keepAliveMs, inFlight, quota }),
    get: notAllowed,
    delete: notAllowed,
    close: () => inFlight.close(),
  };
}

interface SessionlessOptions {
  readonly keepAliveMs: number;
  readonly inFlight: ShutdownSignals;
  readonly quota: Quota;
}

async function respondToPost(
  server: ServerCore,
  { frame, request, accepted, context }: LegacyPost,
  { keepAliveMs, inFlight, quota }: SessionlessOptions,
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
  const lifecycle = handleLifecycleRequest(frame.message, withoutListChanged(server));
  if (lifecycle !== undefined) {
    const { response } = lifecycle;
    return await respond(() => Promise.resolve(response), { accepted, keepAliveMs, onCancel });
  }
  const subject = context.principal?.subject;
  if (!quota.has(1, subject)) {
    return transportErrorResponse(429, "Too many requests are in flight", { "retry-after": "10" });
  }
  quota.take(1, subject);
  const signal = new LazySignal();
  return await respond(async ({ emit, onDelay }) => {
    const trackedDelay = (): void => {
      inFlight.track(signal);
      onDelay();
    };
    try {
      const response = await server.exchange(frame.message, {
        client: UNKNOWN_CLIENT,
        transport: "http",
        signal,
        emit,
        onDelay: trackedDelay,
        ...toolHeaderCheck(request.headers, frame.message, "present"),
        ...principalOf(context),
      });
      return encodeLegacy(response);
    } finally {
      inFlight.untrack(signal);
      quota.take(-1, subject);
    }
  }, { accepted, keepAliveMs, onCancel });
}

/** In legacy protocol versions, a disconnected client does not cancel its requests. */
function onCancel(): void {}
