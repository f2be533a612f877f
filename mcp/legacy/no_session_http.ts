/**
 * Streamable HTTP of the handshake era without sessions: each POST is answered for itself. For servers whose processes
 * come and go, where a session could not be found again.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management Sessions}
 * @module
 */

import { RpcErrorCode } from "../rpc/codes.ts";
import { isResponse, type RpcRequest } from "../rpc/message.ts";
import { HeaderName } from "../protocol/headers.ts";
import { findRevision } from "../protocol/revisions.ts";
import { formatEvent } from "../stream/sse_encode.ts";
import type { Call } from "../server/call.ts";
import type { ServerCore, ServerMessage } from "../server/core.ts";
import { dressHandshake } from "../server/dress.ts";
import { answerHandshake, STRANGER } from "../server/handshake.ts";
import { withoutPush } from "../server/no_session.ts";
import { stringify, toResponse } from "../serve/body.ts";
import { refuse, refuseTransport } from "../serve/guard.ts";
import type { HandshakeHttp, HandshakePost } from "../serve/http.ts";

/** Serves the handshake era over HTTP without sessions. */
export function serveWithoutSessions(server: ServerCore, keepAliveMs: number): HandshakeHttp {
  const notAllowed = (): Promise<Response> =>
    Promise.resolve(refuseTransport(405, "Method not allowed: no sessions", { allow: "POST" }));
  return {
    post: (post) => answer(server, post, keepAliveMs),
    get: notAllowed,
    delete: notAllowed,
    close: () => Promise.resolve(),
  };
}

async function answer(
  server: ServerCore,
  { frame, request, accepted, context }: HandshakePost,
  keepAliveMs: number,
): Promise<Response> {
  const version = request.headers.get(HeaderName.ProtocolVersion);
  if (version !== null && findRevision(version)?.era !== "handshake") {
    return refuseTransport(400, `Unsupported protocol version: ${version}`);
  }
  if (frame.kind === "batch") {
    const message = "Invalid request: batches need a session";
    return refuse(400, { code: RpcErrorCode.InvalidRequest, message });
  }
  if (frame.kind !== "request") return new Response(null, { status: 202 });
  const { signal } = new AbortController();
  const { principal } = context;
  const call: Call = { peer: STRANGER, signal, ...(principal && { principal }) };
  return await toResponse(exchange(server, frame.message, call), {
    accepted,
    bodyOf: (message) => isResponse(message) ? stringify(message) : undefined,
    statusOf: () => 200,
    format: (message) => formatEvent({ data: stringify(message) }),
    keepAliveMs,
    // In this era a connection that breaks cancels nothing.
    abandon: () => {},
  });
}

async function* exchange(
  server: ServerCore,
  request: RpcRequest,
  call: Call,
): AsyncGenerator<ServerMessage> {
  const own = answerHandshake(request, withoutPush(server));
  if (own !== undefined) return yield own.response;
  for await (const message of server.exchange(request, call)) yield dressHandshake(message);
}
