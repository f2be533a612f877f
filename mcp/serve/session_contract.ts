/**
 * What the ways of serving need of the handshake era: one client, from `initialize` to its end.
 *
 * @module
 */

import type { RpcNotification, RpcRequest, RpcResponse } from "../jsonrpc/message.ts";
import type { Revision } from "../protocol/revisions.ts";
import type { ExchangeContext } from "../server/exchange_context.ts";
import type { ServerCore } from "../server/server_core.ts";

/** What the ways of serving know of a request: all but what the session knows. */
export type SessionExchange = Omit<ExchangeContext, "client" | "ask">;

/** What a session does with the messages of its client. */
export interface LegacySession {
  /** Whether the client has introduced itself. */
  readonly isOpen: boolean;
  /** What the revision that was agreed upon can do. */
  readonly revision: Revision;
  /** Answers a request; notifications and questions to the client go to `exchange.emit`. */
  exchange(request: RpcRequest, exchange: SessionExchange): Promise<RpcResponse>;
  /** Takes the client's answer to a question. */
  onResponse(response: RpcResponse): void;
  /** Ends the session: questions without an answer fail. */
  close(): void;
}

/** Opens a session. News of the server goes to `push`. */
export type OpenSession = (
  server: ServerCore,
  push: (news: RpcNotification) => void,
) => LegacySession;
