/**
 * Interface of the functions that verify access tokens, and what the verifiers of this package have
 * in common.
 *
 * @module
 */

import {
  assertCount,
  assertFunction,
  assertPositiveNumber,
} from "@parley/internal/assert-argument";
import {
  type DefaultRule,
  type OptionCheck,
  type Settings,
  withDefault,
} from "@parley/internal/options";
import type { HttpFetch } from "../shared/http_types.ts";
import { isSubject } from "../shared/principal.ts";
import { AuthHttpClient } from "./auth_http_client.ts";
import { MAX_RESPONSE_BYTES, REQUEST_TIMEOUT_MS } from "./config.ts";

/** An access token and the request that presented it. */
export interface PresentedToken {
  /** Access token. */
  readonly token: string;
  /** Authentication scheme of the request. */
  readonly scheme: "bearer" | "dpop";
  /** Resource identifier of the server, which is the required audience of the token. */
  readonly resource: string;
  /**
   * HTTP request that presented the token, without its body. The request URL is the server's public
   * URL.
   */
  readonly request: Request;
}

/** Claims of a verified access token. */
export interface VerifiedToken {
  /**
   * Subject of the token (`sub`), which must have a visible character. The server's sessions, tasks
   * and encrypted request state belong to the subject. Different issuers can use the same subject
   * for different users, so a verifier for several issuers must prefix the subject with the issuer.
   */
  readonly subject: string;
  /** Granted scopes. */
  readonly scopes: readonly string[];
  /** Identifier of the client that the token was issued to, if known. */
  readonly clientId?: string;
}

/**
 * Verifies an access token. Returns the token's claims, or `undefined` if the token is invalid.
 * Throws if verification is temporarily unavailable.
 */
export type TokenVerifier = (presented: PresentedToken) => Promise<VerifiedToken | undefined>;

/** Options for requests to an authorization server. */
export interface VerifierOptions {
  /** Function that sends the requests; by default, the built-in `fetch`. */
  readonly fetch?: HttpFetch;
  /**
   * Request timeout, in milliseconds.
   *
   * @default {10_000}
   */
  readonly requestTimeoutMs?: number;
  /**
   * Maximum size of a response, in bytes.
   *
   * @default {262_144}
   */
  readonly maxResponseBytes?: number;
}

/** Options for requests to an authorization server, after reading. */
export type VerifierSettings = Settings<VerifierOptions, "requestTimeoutMs" | "maxResponseBytes">;

/** Rules for the options of {@linkcode VerifierOptions}. */
export const VERIFIER_RULES: {
  readonly fetch: OptionCheck;
  readonly requestTimeoutMs: DefaultRule<number>;
  readonly maxResponseBytes: DefaultRule<number>;
} = {
  fetch: assertFunction,
  requestTimeoutMs: withDefault(REQUEST_TIMEOUT_MS, assertPositiveNumber),
  maxResponseBytes: withDefault(MAX_RESPONSE_BYTES, assertCount),
};

/**
 * Creates the HTTP client of a verifier. A request is shared by several callers, so no caller's
 * signal aborts it.
 */
export function createVerifierClient(settings: VerifierSettings): AuthHttpClient {
  const { fetch = globalThis.fetch, requestTimeoutMs, maxResponseBytes } = settings;
  return new AuthHttpClient(
    { fetch, requestTimeoutMs, maxResponseBytes },
    new AbortController().signal,
  );
}

/**
 * Reads the claims of a verified token. Returns `undefined` if the token has no subject, or a
 * subject without a visible character.
 */
export function readClaims(
  subject: unknown,
  scope: unknown,
  clientId: unknown,
): VerifiedToken | undefined {
  if (!isSubject(subject)) return undefined;
  const words = typeof scope === "string" ? scope.split(" ").filter((word) => word !== "") : [];
  return {
    subject,
    scopes: words,
    ...(typeof clientId === "string" ? { clientId } : {}),
  };
}
