/**
 * The server's side of the handshake era, in one piece: it is loaded when the first client needs it.
 *
 * @module
 */

export { serveWithoutSessions } from "./no_session_http.ts";
export { serveHandshakeHttp } from "./serve_http.ts";
export { openServerSession } from "./server_session.ts";
