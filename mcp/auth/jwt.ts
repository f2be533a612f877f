/**
 * Verification of JSON Web Tokens (RFC 7519). The only module that imports `jose`.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8725 RFC 8725}
 * @module
 */

import {
  calculateJwkThumbprint,
  createLocalJWKSet,
  type CryptoKey,
  EmbeddedJWK,
  errors,
  type JWSHeaderParameters,
  jwtVerify,
} from "jose";
import { escapeText, excerpt } from "@parley/internal/escape-text";
import { McpError } from "../shared/error.ts";
import type { TokenRefusal, TokenRefusalReason } from "./token_verifier.ts";

/** Supported signature algorithms. All are asymmetric. */
export const ALGORITHMS: readonly string[] = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
  "ML-DSA-44",
  "ML-DSA-65",
  "ML-DSA-87",
];

/** Header of a token. */
export type TokenHeader = JWSHeaderParameters;

/** A public key. */
export type VerificationKey = CryptoKey;

/** Finds the key for a token. Resolves to `undefined` if no key matches the header. */
export type FindKey = (header: TokenHeader) => Promise<VerificationKey | undefined>;

/** Claims of a verified token. */
export type Claims = Readonly<Record<string, unknown>>;

/** Claims, or the reason for which a token is not valid. */
export type JwtResult = { readonly claims: Claims } | { readonly refused: TokenRefusal };

/** Requirements for a token. */
export interface JwtRules {
  readonly issuer: string;
  /** Accepted audiences. */
  readonly audience: readonly string[];
  readonly algorithms: readonly string[];
  /** Required type in the header. If omitted, the type is not checked. */
  readonly typ?: string;
  /** Tolerance for the times in the token, in seconds. */
  readonly toleranceSeconds: number;
  /** Claims that must be present, in addition to `iss`, `aud`, `exp` and `sub`. */
  readonly requiredClaims: readonly string[];
}

/** Reads a JSON Web Key Set (RFC 7517). Returns `undefined` if the text is not a key set. */
export function readKeySet(text: string): FindKey | undefined {
  try {
    const find = createLocalJWKSet(JSON.parse(text));
    return (header) => find(header).catch(toUndefinedKey);
  } catch {
    // The error is discarded, because it quotes the text.
    return undefined;
  }
}

/**
 * Returns `undefined` if no key matches.
 *
 * @throws {Error} If several keys match, or the key cannot be imported. The error of a key that
 * cannot be imported is not an error of the token.
 */
function toUndefinedKey(error: unknown): undefined {
  if (error instanceof errors.JWKSNoMatchingKey) return undefined;
  if (error instanceof errors.JWKSMultipleMatchingKeys) throw error;
  throw new Error(messageOf(error), { cause: error });
}

/**
 * Verifies the signature and the claims of a token.
 *
 * @throws The errors of `findKey` that are an `McpError`, and the signal's reason.
 */
export async function verifyJwt(
  token: string,
  findKey: FindKey,
  { rules, signal }: { readonly rules: JwtRules; readonly signal: AbortSignal },
): Promise<JwtResult> {
  const { issuer, audience, algorithms, typ, toleranceSeconds, requiredClaims } = rules;
  let header: Claims = {};
  const getKey = async (found: TokenHeader): Promise<VerificationKey> => {
    header = found;
    const key = await findKey(found);
    if (key === undefined) throw new errors.JWKSNoMatchingKey();
    return key;
  };
  try {
    const { payload } = await jwtVerify(token, getKey, {
      issuer,
      audience: [...audience],
      algorithms: [...algorithms],
      clockTolerance: toleranceSeconds,
      // The rest of the package also measures time with `Date.now()`.
      currentDate: new Date(Date.now()),
      requiredClaims: ["exp", "sub", ...requiredClaims],
      ...(typ === undefined ? {} : { typ }),
    });
    return { claims: payload };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof McpError) throw error;
    return { refused: toRefusal(error, rules, header) };
  }
}

/** A proof whose signature matches the key in its header. */
export interface SelfSigned {
  readonly claims: Claims;
  /** Thumbprint of the key (RFC 7638). */
  readonly thumbprint: string;
}

/**
 * Verifies a token that contains its public key, such as a DPoP proof. Returns a text that states
 * the fault if the token is not valid.
 *
 * @param proof Token to verify.
 * @param typ Required type in the header.
 * @param requiredClaims Claims that must be present.
 */
export async function verifySelfSigned(
  proof: string,
  typ: string,
  requiredClaims: readonly string[],
): Promise<SelfSigned | string> {
  try {
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
      typ,
      algorithms: [...ALGORITHMS],
      currentDate: new Date(Date.now()),
      requiredClaims: [...requiredClaims],
    });
    const { jwk = {} } = protectedHeader;
    return { claims: payload, thumbprint: await calculateJwkThumbprint(jwk) };
  } catch (error) {
    return messageOf(error);
  }
}

function toRefusal(error: unknown, rules: JwtRules, header: Claims): TokenRefusal {
  if (error instanceof errors.JWTExpired || error instanceof errors.JWTClaimValidationFailed) {
    return claimRefusal(error, rules, header);
  }
  const key = `"kid" ${show(header.kid)} and "alg" ${show(header.alg)}`;
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return { reason: "signature", detail: `the signature does not match the key with ${key}` };
  }
  if (error instanceof errors.JOSEAlgNotAllowed) {
    const detail = `"alg" must be one of ${show(rules.algorithms)} (option "algorithms")`;
    return { reason: "signature", detail };
  }
  if (error instanceof errors.JWKSNoMatchingKey) {
    return { reason: "unknown_key", detail: `no key of the issuer has ${key}` };
  }
  if (error instanceof errors.JWKSMultipleMatchingKeys) {
    return { reason: "unknown_key", detail: `several keys of the issuer have ${key}` };
  }
  if (error instanceof errors.JOSEError) return { reason: "malformed", detail: messageOf(error) };
  // A key of the issuer that cannot be imported, or is too short.
  const detail = `the key with ${key} cannot be used: ${messageOf(error)}`;
  return { reason: "unknown_key", detail };
}

function claimRefusal(
  { claim, reason, payload }: errors.JWTExpired | errors.JWTClaimValidationFailed,
  { audience, issuer, typ }: JwtRules,
  header: Claims,
): TokenRefusal {
  if (claim === "typ") return unexpected("type", "typ", [show(typ), show(header.typ)]);
  if (reason === "missing") return { reason: "missing_claim", detail: `"${claim}" is missing` };
  const got = show(payload[claim]);
  if (reason === "invalid") {
    return { reason: "malformed", detail: `"${claim}" must be a number, got ${got}` };
  }
  const now = Math.floor(Date.now() / 1000);
  switch (claim) {
    case "aud": {
      const expected = audience.length === 1 ? show(audience[0]) : `one of ${show(audience)}`;
      return unexpected("audience", "aud", [expected, got]);
    }
    case "iss":
      return unexpected("issuer", "iss", [show(issuer), got]);
    case "exp":
      return { reason: "expired", detail: `"exp" must be after ${now}, got ${got}` };
    default:
      return { reason: "not_yet_valid", detail: `"${claim}" must be before ${now}, got ${got}` };
  }
}

/** Options that determine the expected values, keyed by the member of the token. */
const OPTIONS: Readonly<Record<"typ" | "aud" | "iss", string>> = {
  typ: "typ",
  aud: "audience",
  iss: "issuer",
};

function unexpected(
  reason: TokenRefusalReason,
  name: keyof typeof OPTIONS,
  [expected, got]: readonly [string, string],
): TokenRefusal {
  const option = OPTIONS[name];
  return { reason, detail: `"${name}" must be ${expected} (option "${option}"), got ${got}` };
}

/** Formats a JSON value from a token or an option, truncated and without invisible characters. */
export function show(value: unknown): string {
  return value === undefined ? "nothing" : escapeText(excerpt(JSON.stringify(value), 300));
}

function messageOf(error: unknown): string {
  return escapeText(excerpt(error instanceof Error ? error.message : String(error), 300));
}
