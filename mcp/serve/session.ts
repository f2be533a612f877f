/**
 * What the ways of serving need of the handshake era: one client, from `initialize` to its end.
 *
 * @module
 */

import type { RpcNotification, RpcRequest, RpcResponse } from "../rpc/message.ts";
import type { Revision } from "../protocol/revisions.ts";
import type { Principal } from "../server/call.ts";
import type { ServerCore, ServerMessage } from "../server/core.ts";

/** What some ways of serving know of a request. */
export interface ExchangeExtras {
  /** Who it was authenticated as. */
  readonly principal?: Principal;
  /** Lets the client go: it will come back for the rest. */
  readonly release?: () => void;
}

/** What a session does with the messages of its client. */
export interface HandshakeSession {
  /** Whether the client has introduced itself. */
  readonly isOpen: boolean;
  /** What the revision that was agreed upon can do. */
  readonly revision: Revision;
  /** Answers a request: notifications and questions to the client, then exactly one response. */
  exchange(
    request: RpcRequest,
    signal: AbortSignal,
    extras?: ExchangeExtras,
  ): AsyncIterable<ServerMessage>;
  /** Takes the client's answer to a question. */
  answer(response: RpcResponse): void;
  /** Ends the session: questions without an answer fail. */
  close(): void;
}

/** Opens a session. News of the server goes to `push`. */
export type OpenSession = (
  server: ServerCore,
  push: (news: RpcNotification) => void,
) => Promise<HandshakeSession>;
