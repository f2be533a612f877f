/**
 * Access token verification by JWT signature (RFC 9068).
 *
 * @module
 */

import * as oauth from "oauth4webapi";
import { abortable } from "@parley/internal/abortable";
import { assertString, assertStrings } from "@parley/internal/assert-argument";
import { formatValue } from "@parley/internal/format-value";
import { withMethods } from "@parley/internal/option-checks";
import { optionsReader, required } from "@parley/internal/options";
import { McpError } from "../shared/error.ts";
import { isPending } from "../shared/then_or_now.ts";
import { toBase64Url } from "./base64url.ts";
import { callWithin } from "@parley/internal/call-within";
import { type DpopProof, DpopReplayCache, type DpopReplayStore } from "./dpop_replay_cache.ts";
import { SigningKeys } from "./signing_keys.ts";
import {
  readClaims,
  type TokenVerifier,
  VERIFIER_RULES,
  type VerifierOptions,
} from "./token_verifier.ts";

/** Options for {@linkcode jwtVerifier}. */
export interface JwtVerifierOptions extends VerifierOptions {
  /** Issuer identifier of the authorization server. */
  readonly issuer: string;
  /** URL of the JSON Web Key Set; by default, the URL in the authorization server metadata. */
  readonly jwksUri?: string;
  /** Accepted signature algorithms; by default, all supported asymmetric algorithms. */
  readonly algorithms?: readonly string[];
  /**
   * Store that detects replayed DPoP proofs. Replicas of a server must share one store, because a
   * proof could otherwise be replayed to another replica. If omitted, a {@linkcode DpopReplayCache}
   * with default limits is created.
   */
  readonly replayStore?: DpopReplayStore;
}

/**
 * Validity period of a DPoP proof after its `iat`, in milliseconds. `oauth4webapi` accepts an `iat`
 * up to 300 seconds in the past, and ignores fractions of a second in the current time.
 */
const PROOF_MS = 301_000;

/**
 * Additional time for which a proof is stored, in milliseconds. Proofs are validated with the clock
 * of this process. The margin allows for a store whose clock is ahead, and for a clock that is set.
 */
const CLOCK_MARGIN_MS = 60_000;

const readJwtOptions = optionsReader<JwtVerifierOptions>("options")({
  ...VERIFIER_RULES,
  issuer: required(assertString),
  jwksUri: assertString,
  algorithms: assertStrings,
  replayStore: withMethods("a DpopReplayStore", ["add"]),
});

/** Error codes that indicate unavailable signing keys rather than an invalid token. */
const NO_KEYS: readonly unknown[] = [
  oauth.RESPONSE_IS_NOT_CONFORM,
  oauth.RESPONSE_IS_NOT_JSON,
  oauth.MISSING_SERVER_METADATA,
];

/**
 * Creates a verifier for JWT access tokens. Verifies the signature, issuer, expiration and
 * audience, and the DPoP proof of a DPoP-bound token. Times in tokens may differ from the clock of
 * this process by 30 seconds, and the time of a DPoP proof by 300 seconds.
 *
 * Keys and metadata are fetched by one request at a time. Tokens with unknown keys cause at most
 * one request per 30 seconds, and after a failure no request is sent for 1 to 60 seconds. Known
 * keys are used for up to one hour while they cannot be fetched again.
 *
 * @param options Issuer, keys and limits.
 * @throws {McpError} With code `auth_error` if `issuer` or `jwksUri` is neither an HTTPS URL nor a
 * loopback HTTP URL.
 * @throws {TypeError} If `replayStore` has no `add` function.
 * @throws {RangeError} If `requestTimeoutMs` or `maxResponseBytes` is out of range.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9068#section-4 RFC 9068, section 4}
 * @see {@link https://www.rfc-editor.org/rfc/rfc9449#section-7 RFC 9449, section 7}
 *
 * @example Reject a malformed token
 * ```ts
 * import { jwtVerifier } from "@parley/mcp/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const verify = jwtVerifier({
 *   issuer: "https://login.example.com",
 *   jwksUri: "https://login.example.com/keys",
 * });
 * const request = new Request("https://mcp.example.com", {
 *   headers: { authorization: "Bearer guess" },
 * });
 * const resource = "https://mcp.example.com";
 * const found = await verify({ token: "guess", scheme: "bearer", resource, request });
 * assertEquals(found, undefined);
 * ```
 */
export function jwtVerifier(options: JwtVerifierOptions): TokenVerifier {
  const settings = readJwtOptions(options);
  const { issuer, jwksUri, requestTimeoutMs } = settings;
  const { replayStore = new DpopReplayCache() } = settings;
  const algorithms = settings.algorithms && [...settings.algorithms];
  const keys = new SigningKeys(issuer, jwksUri, settings);
  const unavailable = (): McpError =>
    McpError.authError(`signing keys of "${issuer}" are unavailable`);
  return async ({ resource, request }) => {
    // The metadata request is shared by all callers, so a caller's signal ends only its own wait.
    const server = await abortable(keys.server(), request.signal);
    const options = {
      ...(algorithms === undefined ? {} : { signingAlgorithms: algorithms }),
      [oauth.customFetch]: () => abortable(keys.fetch(), request.signal),
      [oauth.allowInsecureRequests]: true,
    };
    try {
      const claims = await oauth.validateJwtAccessToken(server, request, resource, options);
      const proof = request.headers.get("dpop");
      if (proof !== null) {
        const read = await readProof(proof, claims.sub);
        const limits = { request, timeoutMs: requestTimeoutMs };
        if (!await addProof(replayStore, read, limits)) return undefined;
      }
      return readClaims(claims.sub, claims.scope, claims.client_id);
    } catch (error) {
      if (request.signal.aborted || error instanceof McpError) throw error;
      const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
      // The original error is not kept as the cause, because its message contains the token. While
      // the keys cannot be fetched, the key of a token may be new, so the token may be valid.
      if (NO_KEYS.includes(code) || (code === oauth.KEY_SELECTION && keys.isFailing)) {
        throw unavailable();
      }
      return undefined;
    }
  };
}

/**
 * Reads the identifier and the expiration time of a validated DPoP proof. The identifier of the
 * proof does not include the signature, because some algorithms allow several encodings of the same
 * signature.
 */
async function readProof(proof: string, subject: string): Promise<DpopProof> {
  const [header = "", payload = ""] = proof.split(".");
  const { iat }: { readonly iat: number } = JSON.parse(
    atob(payload.replaceAll("-", "+").replaceAll("_", "/")),
  );
  const signed = new TextEncoder().encode(`${header}.${payload}`);
  const key = toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", signed)));
  return { key, expiresAt: iat * 1000 + PROOF_MS + CLOCK_MARGIN_MS, subject };
}

/**
 * Adds a proof to the store. Returns `false` if the store contains the proof.
 *
 * @throws {McpError} With code `auth_error` if the store is full, fails, does not respond in time
 * or returns an invalid result.
 */
async function addProof(
  store: DpopReplayStore,
  proof: DpopProof,
  { request, timeoutMs }: { readonly request: Request; readonly timeoutMs: number },
): Promise<boolean> {
  const late = (): Error => new Error(`timed out after ${timeoutMs} ms`);
  let added: unknown;
  try {
    const result = store.add(proof);
    added = isPending(result)
      ? await callWithin(() => result, { signal: request.signal, timeoutMs, late })
      : result;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw McpError.authError(`the DPoP replay store failed: ${reason}`, { cause });
  }
  if (added === true || added === false) return added;
  throw McpError.authError(
    added === "full"
      ? 'too many DPoP proofs are stored: "maxProofs" or "maxSharePerPrincipal" is exceeded'
      : `the DPoP replay store must return true, false or "full", got ${formatValue(added)}`,
  );
}
