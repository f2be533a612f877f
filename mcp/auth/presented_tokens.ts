/**
 * Access tokens of the principals whose requests a resource server has accepted.
 *
 * Decision: A handler must not pass a caller's token to another server, so no property of a
 * principal leads to the token. Only a token exchange reads the token, in a map that is keyed by
 * the principal object. A copy of a principal therefore has no token.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/security-considerations#token-passthrough Token passthrough}
 * @module
 */

import { isPlainJson, isRecord } from "@parley/internal/json";
import { Quota } from "@parley/internal/quota";
import type { VerifiedToken } from "./token_verifier.ts";

/** Maximum number of tokens that requests with equal rights share. */
const MAX_SHARED = 10_000;

/** Maximum number of characters of the shared tokens and their keys. */
const MAX_SHARED_CHARS = 16_777_216;

/** Maximum share of the shared tokens, and of their characters, per subject. */
const MAX_SHARE = 0.25;

/** Minimum time between two searches for expired tokens, in milliseconds. */
const SWEEP_MS = 10_000;

/** The newest token of a principal. */
export interface PresentedTokenHolder {
  readonly subject: string;
  token: string;
  /** Time at which the token expires, in milliseconds since the Unix epoch, if known. */
  expiresAt: number | undefined;
}

/** A verified token as handlers receive it. */
export interface KeyedPrincipal extends VerifiedToken {
  /** Identifier of the principal and its rights, without secrets. */
  readonly key: string;
}

const holders = new WeakMap<object, PresentedTokenHolder>();

/** Returns the token that a principal presented, or `undefined` if it has none. */
export function presentedTokenOf(principal: object | undefined): PresentedTokenHolder | undefined {
  return principal === undefined ? undefined : holders.get(principal);
}

/** Claims that differ between tokens with the same rights (RFC 7519, section 4.1). */
const TOKEN_CLAIMS = ["jti", "iat", "nbf", "exp"];

/** Maximum nesting depth of claims that are compared. */
const MAX_DEPTH = 20;

/**
 * Returns the claims that can be rights, such as an organization. Claims that are not JSON cannot
 * be compared, so they differ from all others.
 */
function rightsIn(claims: unknown): unknown {
  const entries = isRecord(claims) ? Object.entries(claims) : [];
  const rights = Object.fromEntries(
    entries.filter(([name, value]) => value !== undefined && !TOKEN_CLAIMS.includes(name)),
  );
  return isPlainJson(rights, MAX_DEPTH) ? rights : crypto.randomUUID();
}

/**
 * Creates principals and holds their tokens. Principals with the same issuer, subject, client,
 * claims and scopes share the token that expires last, because a connection to another server can
 * be used longer than one token is valid. A token of the same subject with other rights is not
 * shared.
 */
export class PresentedTokens {
  readonly #shared = new Map<string, PresentedTokenHolder>();
  readonly #quota = new Quota(MAX_SHARED, MAX_SHARE);
  readonly #chars = new Quota(MAX_SHARED_CHARS, MAX_SHARE);
  #sweptAt = 0;

  /** Returns the principal for a verified token. */
  hold(verified: VerifiedToken, token: string): KeyedPrincipal {
    const { issuer = "", subject, clientId = "", scopes, claims, expiresAt } = verified;
    const rights = [rightsIn(claims), ...scopes.toSorted()];
    const key = JSON.stringify([issuer, subject, clientId, ...rights]);
    const principal = Object.freeze({ ...verified, key });
    holders.set(principal, this.#holderOf(key, { subject, token, expiresAt }));
    return principal;
  }

  #holderOf(key: string, presented: PresentedTokenHolder): PresentedTokenHolder {
    const { subject, token, expiresAt } = presented;
    // A token whose expiration time is unknown cannot be deleted in time.
    if (expiresAt === undefined) return presented;
    this.#removeExpired();
    const known = this.#shared.get(key);
    if (known === undefined) {
      const chars = key.length + token.length;
      if (!this.#quota.has(1, subject) || !this.#chars.has(chars, subject)) return presented;
      this.#quota.take(1, subject);
      this.#chars.take(chars, subject);
      this.#shared.set(key, presented);
      return presented;
    }
    if (expiresAt <= (known.expiresAt ?? 0)) return known;
    const added = token.length - known.token.length;
    if (!this.#chars.has(added, subject)) return presented;
    this.#chars.take(added, subject);
    return Object.assign(known, { token, expiresAt });
  }

  #removeExpired(): void {
    const now = Date.now();
    if (Math.abs(now - this.#sweptAt) < SWEEP_MS) return;
    this.#sweptAt = now;
    for (const [key, { subject, token, expiresAt = 0 }] of this.#shared) {
      if (expiresAt > now) continue;
      this.#shared.delete(key);
      this.#quota.take(-1, subject);
      this.#chars.take(-key.length - token.length, subject);
    }
  }
}
