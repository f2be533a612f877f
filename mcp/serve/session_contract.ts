/**
 * The interface of a legacy session on the server (2025-11-25 and earlier): one client, from `initialize` to its end.
 *
 * `pipe/messages.ts` knows only this interface. `servePipe` passes the implementation in, so that only entry points
 * join the two eras.
 *
 * @module
 */

import type { RpcNotification, RpcRequest, RpcResponse } from "../jsonrpc/message.ts";
import type { Revision } from "../protocol/revisions.ts";
import type { ExchangeContext } from "../server/exchange_context.ts";
import type { ServerCore } from "../server/server_core.ts";

/** Context of a request, without the members that the session adds. */
export type SessionExchange = Omit<ExchangeContext, "client" | "ask">;

/** Handles the messages of one client of a legacy protocol version. */
export interface ServerSession {
  /** Whether the client has sent a valid `initialize` request. */
  readonly isOpen: boolean;
  /** Features of the negotiated protocol version. */
  readonly revision: Revision;
  /** Handles a request. Notifications and requests to the client are sent with `context.emit`. */
  exchange(request: RpcRequest, context: SessionExchange): Promise<RpcResponse>;
  /** Handles the client's response to a server request. */
  onResponse(response: RpcResponse): void;
  /** Ends the session. Pending server requests reject. */
  close(): void;
}

/** Opens a session. Notifications that belong to no request are sent with `push`. */
export type OpenSession = (
  server: ServerCore,
  push: (news: RpcNotification) => void,
) => ServerSession;
