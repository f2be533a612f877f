/**
 * A client's view of one server, whatever its era: requests in, results out.
 *
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import type { ClientCapabilities, Implementation } from "../protocol/capabilities.ts";
import type { ServerDescription } from "../protocol/initialize.ts";
import type { LogLevel } from "../protocol/logging.ts";
import type { RequestId, RpcNotification } from "../jsonrpc/message.ts";
import type { Semaphore } from "../shared/semaphore.ts";
import type { ClientExtension } from "./extension.ts";
import type { InputHandlers } from "./input_handlers.ts";
import type { RequestOptions } from "./send_request.ts";
import type { Subscription, SubscriptionFilter } from "./subscription.ts";

/** A server that has been reached and understood. */
export interface Session {
  /** Which version it speaks, what it offers, who it is. */
  readonly server: ServerDescription;
  /** How the client asks. */
  readonly options: Pick<SessionOptions, "enforceCapabilities" | "maxListPages">;
  /** Why the connection has ended, or undefined as long as it has not. */
  readonly ended: Error | undefined;
  /**
   * Sends a request and waits for its result, answering questions on the way.
   *
   * @throws {McpError} `transport_error` or `protocol_error`
   */
  request(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject>;
  /** Says which log messages are wanted from now on. */
  setLogLevel(level: LogLevel, options?: RequestOptions): Promise<void>;
  /** Tells the server that the folders of the client have changed, where servers want to know. */
  rootsChanged(): Promise<void>;
  /** Asks for news. */
  listen(filter: SubscriptionFilter, options?: RequestOptions): Promise<Subscription>;
  /** Ends the connection. May be called again. */
  close(): Promise<void>;
}

/** What a client says of itself, and how it reacts. */
export interface SessionOptions {
  /** The software. */
  readonly clientInfo: Implementation;
  /** What it offers. */
  readonly capabilities: ClientCapabilities;
  /** Answers what servers ask. */
  readonly handlers: InputHandlers;
  /** Hears of notifications that are no progress and no news asked for. Does not throw. */
  readonly onNotification: (notification: RpcNotification) => void;
  /** Hears of failures that no call rejects with. Does not throw. */
  readonly onError: (error: unknown) => void;
  /** Whether what the server does not offer is not asked for. */
  readonly enforceCapabilities: boolean;
  /** How many pages a list may have. */
  readonly maxListPages: number;
  /** How many calls may be under way; the others wait in line. */
  readonly semaphore: Semaphore;
  /** Extensions of the protocol, in the modern era. */
  readonly extensions: readonly ClientExtension[];
  /** Makes the ids of requests; one source for all sessions on a connection. */
  readonly nextId: () => RequestId;
}
