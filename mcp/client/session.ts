/**
 * The session interface that both eras implement.
 *
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import type { ClientCapabilities, Implementation } from "../protocol/capabilities.ts";
import type { ServerDescription } from "../protocol/initialize.ts";
import type { LogLevel } from "../protocol/logging.ts";
import type { Tolerance } from "../jsonrpc/deviation.ts";
import type { RequestId, RpcNotification } from "../jsonrpc/message.ts";
import type { Semaphore } from "@parley/internal/semaphore";
import type { ClientExtension } from "./extension.ts";
import type { InputOptions } from "./input_handlers.ts";
import type { RequestSettings, SessionRequestSettings } from "./request_options.ts";
import type { Subscription, SubscriptionFilter } from "./subscription.ts";

/** A session with a server. */
export interface Session {
  /** Description of the server: identity, protocol version and capabilities. */
  readonly server: ServerDescription;
  /** Session options that apply to each request. */
  readonly options: Pick<SessionOptions, "enforceCapabilities" | "tolerance" | keyof ListLimits>;
  /** Reason why the connection has ended, or `undefined` while it is open. */
  readonly ended: Error | undefined;
  /**
   * Sends a request and returns its result. If the server requests input before it responds, the
   * session handles the input requests. With the `client` option, a modern session does not handle
   * input requests, but returns the server's result unchanged, including its `resultType`.
   *
   * @throws {McpError} With code `transport_error` if the connection ends.
   * @throws {McpError} With code `timeout` if the response does not arrive in time.
   * @throws {McpError} With code `protocol_error` if the server returns an error or an invalid
   * response.
   * @throws {McpError} With code `core` if the request queue is full.
   */
  request(
    method: string,
    params: JsonObject,
    options: SessionRequestSettings,
  ): Promise<JsonObject>;
  /** Sets the minimum level of log messages. */
  setLogLevel(level: LogLevel, options: RequestSettings): Promise<void>;
  /** Notifies a legacy server that the roots have changed. */
  rootsChanged(): Promise<void>;
  /** Opens a subscription stream. */
  listen(filter: SubscriptionFilter, options: SessionRequestSettings): Promise<Subscription>;
  /** Closes the connection. Later calls to `close()` have no effect. */
  close(): Promise<void>;
}

/** Limits for the lists that a client requests. */
export interface ListLimits {
  /** Maximum number of pages. */
  readonly maxListPages: number;
  /** Maximum number of items across all pages. */
  readonly maxListItems: number;
  /** Maximum length of all pages as JSON, in characters. */
  readonly maxListChars: number;
}

/** Options for a session in either era. */
export interface SessionOptions extends InputOptions, ListLimits {
  /** Name and version of the client. */
  readonly clientInfo: Implementation;
  /** Capabilities that the client declares. */
  readonly capabilities: ClientCapabilities;
  /**
   * Called with notifications that match no subscription, except progress notifications.
   * `onNotification` must not throw.
   */
  readonly onNotification: (notification: RpcNotification) => void;
  /** Whether to suppress requests for capabilities that the server does not declare. */
  readonly enforceCapabilities: boolean;
  /** Accepts or rejects the deviations of the server from the protocol. */
  readonly tolerance: Tolerance;
  /** Limits the number of requests in flight, and queues additional requests. */
  readonly semaphore: Semaphore;
  /** Protocol extensions for the modern era. */
  readonly extensions: readonly ClientExtension[];
  /** Returns a new request id. All sessions on a connection share one `nextId` function. */
  readonly nextId: () => RequestId;
}

/**
 * Returns the options of a session without the signal of the connection attempt. A session that
 * kept the signal would also keep what Node.js stores for the signals that depend on it, 1 kB per
 * client.
 */
export function withoutSignal<Options extends { readonly signal: AbortSignal }>(
  { signal: _attempt, ...options }: Options,
): Omit<Options, "signal"> {
  return options;
}
