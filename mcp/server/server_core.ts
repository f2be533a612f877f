/**
 * What the ways of serving see of a server.
 *
 * @module
 */

import type { RpcRequest, RpcResponse } from "../jsonrpc/message.ts";
import type { Implementation, ServerCapabilities } from "../protocol/capabilities.ts";
import type { ParameterHeader } from "../protocol/headers.ts";
import type { CacheHint } from "../protocol/modern.ts";
import type { ExchangeContext } from "./exchange_context.ts";
import type { ChangeSource } from "./change_notifier.ts";

/** Who a server is. */
export interface ServerIdentity {
  /** The software. */
  readonly info: Implementation;
  /** How to use it, for the model. */
  readonly instructions?: string;
  /** How long clients may keep lists and resources. */
  readonly cache?: CacheHint;
}

/** Who a server is and what it offers by now. */
export interface ServerAdvertisement extends ServerIdentity {
  /** What it offers. */
  readonly capabilities: ServerCapabilities;
}

/** What HTTP has to know of a tool. */
export interface ToolHttpInfo {
  /** The arguments that headers repeat. */
  readonly parameterHeaders: readonly ParameterHeader[];
  /** What a principal has to be good for. */
  readonly scopes: readonly string[];
}

/** A server, whatever carries its messages. */
export interface ServerCore {
  /** Hears of what changes. */
  readonly changes: ChangeSource;
  /** Who the server is. */
  readonly identity: ServerIdentity;
  /** Who the server is and what it offers by now. */
  describe(): ServerAdvertisement;
  /** The member of the parameters that the header `Mcp-Name` repeats, for methods of extensions. */
  readonly nameKeys: ReadonlyMap<string, string>;
  /** What HTTP has to know of a tool; undefined when there is none of that name. */
  toolHttpInfo(name: string): ToolHttpInfo | undefined;
  /** Answers one request; what belongs to it and comes before its answer goes to `exchange.emit`. */
  exchange(request: RpcRequest, exchange: ExchangeContext): Promise<RpcResponse>;
}
