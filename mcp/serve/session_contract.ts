/**
 * Interface for legacy sessions on the server (MCP 2025-11-25 and earlier).
 *
 * `pipe/messages.ts` depends only on the `ServerSession` interface. `servePipe` passes the session
 * implementation to `pipe/messages.ts`, so only entry points import both modern and legacy code.
 *
 * @module
 */

import { int32From } from "@parley/internal/option-checks";
import { type DefaultRule, withDefault } from "@parley/internal/options";
import type { RpcNotification, RpcRequest, RpcResponse } from "../jsonrpc/message.ts";
import type { Revision } from "../protocol/revisions.ts";
import type { ExchangeContext } from "../server/exchange_context.ts";
import type { ServerCore } from "../server/server_core.ts";
import { MAX_RESOURCE_SUBSCRIPTIONS } from "../server/subscriptions.ts";

/** Rules for the options of a session, which the options of all serving functions include. */
export const SESSION_RULES: {
  readonly [Name in "inputTimeoutMs" | "maxResourceSubscriptions"]: DefaultRule<number>;
} = {
  // The timeout is long because a user may have to respond.
  inputTimeoutMs: withDefault(600_000, int32From(1)),
  maxResourceSubscriptions: withDefault(MAX_RESOURCE_SUBSCRIPTIONS, int32From(1)),
};

/** Request context without the members that the session adds. */
export type SessionExchange = Omit<ExchangeContext, "client" | "ask">;

/** Handles the messages from one legacy client. */
export interface ServerSession {
  /** Whether the client has sent a valid `initialize` request. */
  readonly isOpen: boolean;
  /** Negotiated protocol version and its features. */
  readonly revision: Revision;
  /** Handles a request. Notifications and requests to the client are sent with `context.emit`. */
  exchange(request: RpcRequest, context: SessionExchange): Promise<RpcResponse>;
  /** Handles the client's response to a server request. */
  onResponse(response: RpcResponse): void;
  /** Ends the session and rejects pending server requests. */
  close(): void;
}

/** Opens a session. Notifications that do not belong to a request are sent with `push`. */
export type OpenSession = (
  server: ServerCore,
  push: (notification: RpcNotification) => void,
) => ServerSession;
