/**
 * Streamable HTTP of the handshake era without sessions: each POST is answered for itself. For servers whose processes
 * come and go, where a session could not be found again.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management Sessions}
 * @module
 */

import { RpcErrorCode } from "../../jsonrpc/error_codes.ts";
import { HeaderName } from "../../protocol/headers.ts";
import { findRevision } from "../../protocol/revisions.ts";
import type { ServerCore } from "../../server/server_core.ts";
import { dressHandshake } from "../../server/encode_response.ts";
import { answerHandshake, STRANGER } from "../../server/initialize.ts";
import { LazySignal } from "../../server/lazy_signal.ts";
import { withoutPush } from "../../server/handle_single_request.ts";
import type { HttpResponse } from "../../shared/http_types.ts";
import { type HandshakeHttp, type HandshakePost, withPrincipal } from "./endpoint.ts";
import { ACCEPTED, refuse, refuseTransport } from "./http_responses.ts";
import { respond } from "./response.ts";
import { UnderWay } from "../shutdown_signals.ts";

/** Serves the handshake era over HTTP without sessions. */
export function serveWithoutSessions(server: ServerCore, keepAliveMs: number): HandshakeHttp {
  const notAllowed = (): HttpResponse =>
    refuseTransport(405, "Method not allowed: no sessions", { allow: "POST" });
  const underWay = new UnderWay();
  return {
    post: (post) => answer(server, post, { keepAliveMs, underWay }),
    get: notAllowed,
    delete: notAllowed,
    close: () => underWay.close(),
  };
}

interface Surroundings {
  readonly keepAliveMs: number;
  readonly underWay: UnderWay;
}

async function answer(
  server: ServerCore,
  { frame, request, accepted, context }: HandshakePost,
  { keepAliveMs, underWay }: Surroundings,
): Promise<HttpResponse> {
  const version = request.headers.get(HeaderName.ProtocolVersion);
  if (version !== null && findRevision(version)?.era !== "handshake") {
    return refuseTransport(400, `Unsupported protocol version: ${version}`);
  }
  if (frame.kind === "batch") {
    const message = "Invalid request: batches need a session";
    return refuse(400, { code: RpcErrorCode.InvalidRequest, message });
  }
  if (frame.kind !== "request") return ACCEPTED;
  const own = answerHandshake(frame.message, withoutPush(server));
  const signal = new LazySignal();
  return await respond(async ({ emit, slow }) => {
    if (own !== undefined) return own.response;
    const watchedSlow = (): void => {
      underWay.watch(signal);
      slow();
    };
    const call = { peer: STRANGER, signal, emit, slow: watchedSlow };
    try {
      return dressHandshake(await server.exchange(frame.message, withPrincipal(call, context)));
    } finally {
      underWay.forget(signal);
    }
    // In this era a connection that breaks cancels nothing.
  }, { accepted, keepAliveMs, abandon: () => {} });
}
