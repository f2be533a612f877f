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
  /**
   * Returns `true` if a principal can see a change: an update to a resource that it can see, or a
   * change to its list. The principal must not be notified of any other change.
   *
   * @param change Change to a list, or update to a resource.
   * @param principal Authenticated principal. `undefined` if the request is not authenticated.
   */
  canSeeChange(change: Change, principal: Principal | undefined): boolean;
  /**
   * Subscribes a client to the notifications of all extensions; see
   * {@linkcode ServerExtension.listen}.
   *
   * @param wanted Subscription filter, as sent by the client.
   * @param subscriber Client, principal and abort signal.
   * @param send Sends a notification to the client.
   * @param end Ends the client's subscription stream.
   * @throws Any error that an extension throws.
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
  /**
   * Handles one request. Messages that precede the response are sent with `exchange.emit`. The
   * response does not depend on the client's protocol version; the serving layer encodes it for
   * that version.
   *
   * If a handler awaits its notifications, the handler runs no faster than the client reads. If the
   * handler does not await its notifications, further notifications are dropped while
   * `maxQueuedNotifications` notifications are unsent.
   *
   * @throws The abort reason of `exchange.signal` if the signal is aborted.
   * @throws {TypeError} If `exchange.principal` is not a principal.
   */
  exchange(request: RpcRequest, exchange: ExchangeContext): Promise<RpcResponse>;
}
