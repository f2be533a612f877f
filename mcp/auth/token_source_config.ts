/**
 * Authorization settings for a client whose access tokens come from a function.
 *
 * @module
 */

import {
  assertCount,
  assertFunction,
  assertPositiveNumber,
} from "@parley/internal/assert-argument";
import {
  type OptionsReader,
  optionsReader,
  required,
  type Settings,
  withDefault,
} from "@parley/internal/options";

/** The token that a request needs. A `target` of {@linkcode TokenExchange}. */
export interface WantedToken {
  /** URL of the MCP server (RFC 8707). */
  readonly resource: string;
  /** Scopes that the server has demanded, separated by spaces. Absent before the first demand. */
  readonly scope?: string;
  /** Token that the server has just rejected. Another token is needed. */
  readonly refused?: string;
  /** Signal that is aborted when the request is aborted or `requestTimeoutMs` has elapsed. */
  readonly signal: AbortSignal;
}

/**
 * Configuration for a client whose access tokens come from a function, for example a token exchange
 * or a workload platform. The client does not discover an authorization server.
 */
export interface TokenSourceConfig {
  /**
   * Returns an access token, without the word `Bearer`. Called for each request, so the function
   * must store its tokens. Called again if the server rejects the token (HTTP 401) or demands other
   * scopes (HTTP 403). If the function returns the same token again, the request is not repeated.
   */
  readonly token: (wanted: WantedToken) => Promise<string> | string;
  /**
   * Timeout for a call of `token`, in milliseconds.
   *
   * @default {10_000}
   */
  readonly requestTimeoutMs?: number;
  /**
   * Maximum number of times that a request is repeated with another token.
   *
   * @default {3}
   */
  readonly maxAttempts?: number;
}

/** Configuration with a token source, after reading. */
export type TokenSourceSettings = Settings<TokenSourceConfig, "requestTimeoutMs" | "maxAttempts">;

/** Reads the settings of a client whose tokens come from a function. */
export const readTokenSource: OptionsReader<
  TokenSourceConfig,
  "requestTimeoutMs" | "maxAttempts"
> = optionsReader<TokenSourceConfig>("config")({
  token: required(assertFunction),
  requestTimeoutMs: withDefault(10_000, assertPositiveNumber),
  maxAttempts: withDefault(3, assertCount),
});
