/**
 * Client-side protocol extensions. The client itself contains no code for specific extensions.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#extension-negotiation Extensions}
 * @module
 */

import type { Tolerance } from "../jsonrpc/deviation.ts";
import type { JsonObject } from "../shared/json.ts";
import { assertObject, assertOptionalSignal } from "@parley/internal/assert-argument";
import { type OptionsReader, optionsReader } from "@parley/internal/options";
import type { RequestOptions } from "./request_options.ts";

/**
 * Options for handling input requests: the signal and the handlers of the client's original
 * request.
 */
export type AnswerOptions = Pick<RequestOptions, "signal" | "handlers">;

/** Reads the options for handling input requests, except the handlers. */
export const readAnswer: OptionsReader<AnswerOptions, never> = optionsReader<AnswerOptions>(
  "options",
)({ signal: assertOptionalSignal, handlers: assertObject });

/** An extension's access to the session with a server. */
export interface ExtensionSession {
  /** Reason why the connection has ended, or `undefined` while it is open. */
  readonly ended: Error | undefined;
  /** Accepts or rejects the deviations of the server from the protocol. */
  readonly tolerance: Tolerance;
  /**
   * Sends a request and returns its result.
   *
   * @throws {McpError} If the request fails, with the same codes as {@linkcode McpClient.callTool}
   * except `tool_not_found`.
   */
  request(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject>;
  /**
   * Passes input requests to the client's handlers and returns the input responses.
   *
   * @param inputRequests Input requests by key, as received from the server.
   * @param options Signal that aborts the handlers, and the request's own handlers, which replace
   * the client's handlers of the same name.
   * @throws {McpError} With code `protocol_error` if an input request is invalid or has no handler.
   */
  answer(inputRequests: unknown, options?: AnswerOptions): Promise<JsonObject>;
  /**
   * Runs an operation that sends several requests under one shared `maxTotalMs` timeout.
   * `pauseTimeout` pauses the timeout until a promise settles.
   *
   * @throws {McpError} With code `timeout` if the operation times out.
   */
  within<T>(
    method: string,
    options: RequestOptions,
    use: (signal: AbortSignal, pauseTimeout: (until: Promise<unknown>) => void) => Promise<T>,
  ): Promise<T>;
}

/** A result that an extension must complete, and the request that returned it. */
export interface IncompleteResult {
  /** Method of the request. */
  readonly method: string;
  /** Result without the `resultType` member. */
  readonly result: JsonObject;
  /** Options for the request. */
  readonly options: RequestOptions;
}

/**
 * A client-side protocol extension, active only with servers that support protocol version
 * 2026-07-28 or later.
 */
export interface ClientExtension {
  /** Extension identifier, such as `io.modelcontextprotocol/tasks`. */
  readonly id: string;
  /** Extension settings to declare in the client capabilities; by default, an empty object. */
  readonly settings?: JsonObject;
  /** Name of the parameter that is sent in the `Mcp-Name` header, keyed by method. */
  readonly nameKeys?: Readonly<Record<string, string>>;
  /** The `resultType` of the results that {@linkcode ClientExtension.complete} handles. */
  readonly resultType?: string;
  /** Completes a result whose `resultType` is {@linkcode ClientExtension.resultType}. */
  readonly complete?: (call: IncompleteResult, session: ExtensionSession) => Promise<JsonObject>;
  /** Called with each new session. */
  readonly opened?: (session: ExtensionSession) => void;
}
