/**
 * Interface between the server and the serving layer.
 *
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import type { RpcRequest, RpcResponse } from "../jsonrpc/message.ts";
import type { Implementation, ServerCapabilities } from "../protocol/capabilities.ts";
import type { ParameterHeader } from "../protocol/headers.ts";
import type { CacheHint } from "../protocol/modern.ts";
import type { ExchangeContext, Principal } from "./exchange_context.ts";
import type { Change } from "./change_bus.ts";
import type { ChangeSource } from "./change_notifier.ts";
import type {
  ExtensionSubscription,
  SendExtensionNotification,
  Subscriber,
} from "./extension_subscription.ts";

/** A server's name, version, instructions and caching rules. */
export interface ServerIdentity {
  /** Name and version of the server. */
  readonly info: Implementation;
  /** Instructions for the client's model. */
  readonly instructions?: string;
  /** Caching rules for lists and resources. */
  readonly cache?: CacheHint;
}

/** A server's identity and capabilities. */
export interface ServerAdvertisement extends ServerIdentity {
  /** Declared capabilities. */
  readonly capabilities: ServerCapabilities;
}

/** HTTP metadata for a tool: arguments mirrored in headers, and required scopes. */
export interface ToolHttpInfo {
  /** Arguments that are mirrored in HTTP headers. */
  readonly parameterHeaders: readonly ParameterHeader[];
  /** OAuth scopes that a principal must have to call the tool. */
  readonly scopes: readonly string[];
}

/** A server, independent of transports. */
export interface ServerCore {
  /** Source of changes to lists and resources. */
  readonly changes: ChangeSource;
  /** The server's name, version, instructions and caching rules. */
  readonly identity: ServerIdentity;
  /** Returns the server's identity and capabilities. */
  describe(): ServerAdvertisement;
  /**
   * Names of the request parameters that the `Mcp-Name` header mirrors, keyed by extension method.
   */
  readonly nameKeys: ReadonlyMap<string, string>;
  /**
   * Returns the HTTP metadata of a tool, or `undefined` if the tool is not registered or the
   * principal cannot see it.
   */
  toolHttpInfo(name: string, principal: Principal | undefined): ToolHttpInfo | undefined;
  /** Returns `false` if the principal must not be notified of a change. */
  canSeeChange(change: Change, principal: Principal | undefined): boolean;
  /**
   * Subscribes a client to the notifications of all extensions.
   *
   * @param wanted Subscription filter, as sent by the client.
   * @param subscriber Client, principal and abort signal.
   * @param send Sends a notification to the client.
   * @param end Ends the client's subscription stream.
   */
  listenToExtensions(
    wanted: JsonObject,
    subscriber: Subscriber,
    send: SendExtensionNotification,
    end: () => void,
  ): Promise<readonly ExtensionSubscription[]>;
  /**
   * Reports an error to the `onError` function in the server's configuration. The client does not
   * receive the details of a reported error.
   */
  report(error: unknown): void;
  /** Handles one request. Messages that precede the response are sent with `exchange.emit`. */
  exchange(request: RpcRequest, exchange: ExchangeContext): Promise<RpcResponse>;
}
