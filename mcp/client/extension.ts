/**
 * Extensions of the protocol on the client's side: the client knows how they plug in, and none of them.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#extension-negotiation Extensions}
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import type { RequestOptions } from "./send_request.ts";

/** What an extension can do with a server. */
export interface ExtensionSession {
  /** Why the connection has ended, or undefined as long as it has not. */
  readonly ended: Error | undefined;
  /**
   * Sends a request and waits for its result.
   *
   * @throws {McpError} as `callTool` of the client
   */
  request(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject>;
  /**
   * Lets the handlers of the client answer questions.
   *
   * @param inputRequests the questions, by key, as the server has sent them
   * @throws {McpError} `protocol_error` when they are not valid or there is no handler
   */
  answer(inputRequests: unknown, signal: AbortSignal): Promise<JsonObject>;
  /**
   * Does something that takes more than one request within `maxTotalMs` of a call; `pauseTimeout` stops the clock.
   *
   * @throws {McpError} `transport_error` when time is up
   */
  within<T>(
    method: string,
    options: RequestOptions,
    use: (signal: AbortSignal, pauseTimeout: (until: Promise<unknown>) => void) => Promise<T>,
  ): Promise<T>;
}

/** A result that is not complete yet, and the call that it answers. */
export interface IncompleteResult {
  /** The method. */
  readonly method: string;
  /** The result, without its type. */
  readonly result: JsonObject;
  /** How the call is made. */
  readonly options: RequestOptions;
}

/** An extension on the client's side. It is at work with servers of 2026-07-28 and later. */
export interface ClientExtension {
  /** Its identifier, such as `io.modelcontextprotocol/tasks`. */
  readonly id: string;
  /** What the client says about it in its capabilities. Default: nothing more than that it is there. */
  readonly settings?: JsonObject;
  /** The member of the parameters that the header `Mcp-Name` repeats, by method. */
  readonly nameKeys?: Readonly<Record<string, string>>;
  /** The `resultType` of results that it completes. */
  readonly resultType?: string;
  /** Completes such a result. */
  readonly complete?: (call: IncompleteResult, session: ExtensionSession) => Promise<JsonObject>;
  /** Hears of each server that has been reached. */
  readonly opened?: (session: ExtensionSession) => void;
}
