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
import { formatValue } from "@parley/internal/format-value";
import { isRecord } from "@parley/internal/json";
import {
  type DefaultRule,
  type OptionCheck,
  type Settings,
  withDefault,
} from "@parley/internal/options";
import type { HttpFetch } from "../shared/http_types.ts";
import { isPrincipal, isSubject } from "../shared/principal.ts";
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
  /** Issuer identifier of the authorization server, if known. */
  readonly issuer?: string;
  /** Time at which the token expires, in milliseconds since the Unix epoch, if known. */
  readonly expiresAt?: number;
  /** Further claims of the token, if the verifier is configured to return them. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** Reasons for which an access token is rejected. */
export const TokenRefusalReason = {
  /** The token has expired. */
  Expired: "expired",
  /** The token is not valid yet. */
  NotYetValid: "not_yet_valid",
  /** Another authorization server has issued the token. */
  Issuer: "issuer",
  /** The token was issued for another resource. */
  Audience: "audience",
  /** The token has another type than access tokens have. */
  Type: "type",
  /** The token is an ID token, which informs a client about its user. */
  IdToken: "id_token",
  /** The signature does not match, or its algorithm is not accepted. */
  Signature: "signature",
  /** No usable key of the authorization server matches the token. */
  UnknownKey: "unknown_key",
  /** A claim is missing. */
  MissingClaim: "missing_claim",
  /** The token cannot be decoded. */
  Malformed: "malformed",
  /** The DPoP proof is missing or invalid, or the token is not DPoP-bound. */
  Dpop: "dpop",
  /** The DPoP proof was accepted before. */
  Replayed: "replayed",
} as const;

/** A value of {@linkcode TokenRefusalReason}. */
export type TokenRefusalReason = (typeof TokenRefusalReason)[keyof typeof TokenRefusalReason];

/** An access token that was rejected. */
export interface TokenRefusal {
  /** Reason for which the token was rejected. */
  readonly reason: TokenRefusalReason;
  /**
   * Expected and actual values, for the log of the server. The text contains neither the token nor
   * the DPoP proof, and is not sent to the client.
   */
  readonly detail: string;
}

/** Result of a verifier for a token that it rejects with a reason. */
export interface RefusedToken {
  /** Reason for which the token was rejected. Clients learn only whether the token has expired. */
  readonly refused: Pick<TokenRefusal, "reason">;
}

/**
 * Verifies an access token. Returns the token's claims, or `undefined` or a
 * {@linkcode RefusedToken} if the token is invalid. Throws if verification is temporarily
 * unavailable.
 */
export type TokenVerifier = (
  presented: PresentedToken,
) => Promise<VerifiedToken | RefusedToken | undefined>;

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

/** Returns `true` if the result of a verifier has a reason for which the token was rejected. */
export function isRefused(found: VerifiedToken | RefusedToken): found is RefusedToken {
  return isRecord(found) && isRecord(found.refused);
}

/**
 * Validates the result of a verifier, because a value such as `true` would admit requests without a
 * subject.
 *
 * @throws {TypeError} If the value is not a verified token.
 */
export function assertVerifiedToken(value: unknown): void {
  const requirement =
    '"verify" must return undefined or an object with "subject" (a non-empty string) and "scopes" (an array of strings)';
  if (!isPrincipal(value) || !isRecord(value) || value.scopes === undefined) {
    throw new TypeError(`${requirement}, got ${formatValue(value)}`);
  }
}
