/**
 * The server's side of the handshake era, in one piece: it is loaded when the first client needs it.
 *
 * @module
 */

export { serveWithoutSessions } from "./http/sessionless.ts";
export { serveHandshakeHttp } from "./http/sessions.ts";
export { openServerSession } from "./legacy_session.ts";
