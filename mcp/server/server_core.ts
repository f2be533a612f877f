/**
 * Interface between a server and the serving layer.
 *
 * @module
 */

import type { RpcRequest, RpcResponse } from "../jsonrpc/message.ts";
import type { Implementation, ServerCapabilities } from "../protocol/capabilities.ts";
import type { ParameterHeader } from "../protocol/headers.ts";
import type { CacheHint } from "../protocol/modern.ts";
import type { ExchangeContext } from "./exchange_context.ts";
import type { ChangeSource } from "./change_notifier.ts";

/** Identity of a server. */
export interface ServerIdentity {
  /** Name and version of the server. */
  readonly info: Implementation;
  /** Instructions for the model of the client. */
  readonly instructions?: string;
  /** Caching rules for lists and resources. */
  readonly cache?: CacheHint;
}

/** Identity and capabilities of a server. */
export interface ServerAdvertisement extends ServerIdentity {
  /** Declared capabilities. */
  readonly capabilities: ServerCapabilities;
}

/** HTTP metadata of a tool: arguments mirrored in headers, and required scopes. */
export interface ToolHttpInfo {
  /** Arguments that are mirrored in HTTP headers. */
  readonly parameterHeaders: readonly ParameterHeader[];
  /** OAuth scopes that a principal must have to call the tool. */
  readonly scopes: readonly string[];
}

/** A server, independent of transports. */
export interface ServerCore {
  /** Source of the changes of lists and resources. */
  readonly changes: ChangeSource;
  /** Identity of the server. */
  readonly identity: ServerIdentity;
  /** Returns the identity and the capabilities of the server. */
  describe(): ServerAdvertisement;
  /** Members of the request parameters that the `Mcp-Name` header mirrors, by extension method. */
  readonly nameKeys: ReadonlyMap<string, string>;
  /** Returns the HTTP metadata of a tool, or `undefined` if the tool is not registered. */
  toolHttpInfo(name: string): ToolHttpInfo | undefined;
  /** Handles one request. Messages that precede the response are sent with `exchange.emit`. */
  exchange(request: RpcRequest, exchange: ExchangeContext): Promise<RpcResponse>;
}
