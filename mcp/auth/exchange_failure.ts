/**
 * Failures of token exchanges, and the token to exchange.
 *
 * @module
 */

import { McpError, McpErrorCode, type McpErrorOptions } from "../shared/error.ts";
import { type PresentedTokenHolder, presentedTokenOf } from "./presented_tokens.ts";

/** Reasons for which an exchange failed: `details.exchange` of an error with code `auth_error`. */
export const TokenExchangeFailure = {
  /** The principal has no token, or the token has expired. */
  NoToken: "no_token",
  /** The authorization server rejected the exchange. */
  Refused: "refused",
  /** The user must log in or consent at the authorization server first. */
  ConsentRequired: "consent_required",
  /** The new token has scopes that were not requested. */
  Wider: "wider",
  /**
   * The authorization server is temporarily unavailable, or its response is invalid, for example if
   * it returns the token of the caller.
   */
  Unavailable: "unavailable",
} as const;

/** A value of {@linkcode TokenExchangeFailure}. */
export type TokenExchangeFailure = (typeof TokenExchangeFailure)[keyof typeof TokenExchangeFailure];

/** Creates the error of a failed exchange. */
export function exchangeError(
  exchange: TokenExchangeFailure,
  reason: string,
  { consentUrl, ...options }: McpErrorOptions & { readonly consentUrl?: string } = {},
): McpError {
  const message = `Cannot exchange the access token: ${reason}`;
  const details = { reason, exchange, ...(consentUrl === undefined ? {} : { consentUrl }) };
  return new McpError(McpErrorCode.AuthError, details, message, options);
}

/**
 * Returns the token that a principal presented. The holder of the token can change later.
 *
 * @throws {McpError} With code `auth_error` if the principal has no token or the token has expired.
 */
export function validTokenOf(principal: object | undefined): PresentedTokenHolder {
  const holder = presentedTokenOf(principal);
  if (holder === undefined) {
    throw exchangeError("no_token", "the principal has no access token; see resourceServer()");
  }
  if (holder.expiresAt !== undefined && holder.expiresAt <= Date.now()) {
    throw exchangeError("no_token", "the access token of the principal has expired");
  }
  return { ...holder };
}
