/**
 * Access token verification by JWT signature (RFC 9068).
 *
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import {
  assertFunction,
  assertNonEmptyString,
  assertString,
  assertStrings,
} from "@parley/internal/assert-argument";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { arrayOf, integerFrom, oneOf, withMethods } from "@parley/internal/option-checks";
import { optionsReader, required, type Settings, withDefault } from "@parley/internal/options";
import { isSubject } from "../shared/principal.ts";
import { addProof, verifyProof } from "./dpop_proof.ts";
import { DpopReplayCache, type DpopReplayStore } from "./dpop_replay_cache.ts";
import { ALGORITHMS, type Claims, type JwtRules, show, verifyJwt } from "./jwt.ts";
import { SigningKeys } from "./signing_keys.ts";
import {
  type PresentedToken,
  type RefusedToken,
  type TokenRefusal,
  type VerifiedToken,
  VERIFIER_RULES,
  type VerifierOptions,
} from "./token_verifier.ts";

/** Options for {@linkcode jwtVerifier}. */
export interface JwtVerifierOptions extends VerifierOptions {
  /** Issuer identifier of the authorization server, exactly as in the `iss` claim of its tokens. */
  readonly issuer: string;
  /** URL of the JSON Web Key Set; by default, the URL in the authorization server metadata. */
  readonly jwksUri?: string;
  /**
   * Accepted signature algorithms of tokens; by default, all supported algorithms, which are
   * asymmetric. DPoP proofs may have any supported algorithm.
   */
  readonly algorithms?: readonly string[];
  /**
   * Accepted audiences, of which a token must have one. If omitted, a token must have the resource
   * identifier of the server as an audience, as MCP requires. Set `audience` only if the
   * authorization server cannot issue tokens for the resource identifier.
   */
  readonly audience?: string | readonly string[];
  /**
   * Required type in the header of a token. With `"any"`, the type is not checked, for
   * authorization servers that do not issue tokens as described in RFC 9068. Tokens that have a
   * claim of ID tokens (`nonce` or `at_hash`) are then rejected, and if `audience` is set, so are
   * tokens without the scope claim, because the audience of an ID token is a client.
   *
   * @default {"at+jwt"}
   */
  readonly typ?: "at+jwt" | "any";
  /**
   * Name of the claim that contains the scopes, either as an array or as a string with spaces.
   *
   * @default {"scope"}
   */
  readonly scopeClaim?: string;
  /**
   * Tolerance for `exp` and `nbf`, in seconds, which allows for clocks that differ. At most 3600,
   * because expired tokens are accepted for this time.
   *
   * @default {30}
   */
  readonly clockToleranceSeconds?: number;
  /**
   * Names of the claims to return in {@linkcode VerifiedToken.claims}, which handlers can read. If
   * omitted, no further claims are returned.
   */
  readonly claimNames?: readonly string[];
  /**
   * Called with the reason for each rejected token and its expected and actual values, for a log.
   * Clients without a valid token can cause any number of calls. Clients do not receive the reason.
   * If omitted, the reasons are discarded.
   */
  readonly onRefused?: (refusal: TokenRefusal) => void;
  /**
   * Store that detects replayed DPoP proofs. Replicas of a server must share one store, because a
   * proof could otherwise be replayed to another replica. If omitted, a {@linkcode DpopReplayCache}
   * with default limits is created.
   */
  readonly replayStore?: DpopReplayStore;
}

/** Names of the options with a default. */
type DefaultName =
  | "requestTimeoutMs"
  | "maxResponseBytes"
  | "typ"
  | "scopeClaim"
  | "clockToleranceSeconds";

type JwtSettings = Settings<JwtVerifierOptions, DefaultName>;

/** Maximum tolerance, in seconds. A larger value is usually a number of milliseconds. */
const MAX_TOLERANCE_SECONDS = 3600;

const readJwtOptions = optionsReader<JwtVerifierOptions>("options")({
  ...VERIFIER_RULES,
  issuer: required(assertString),
  jwksUri: assertString,
  algorithms: arrayOf("strings", oneOf(...ALGORITHMS)),
  audience: assertAudience,
  typ: withDefault<"at+jwt" | "any">("at+jwt", oneOf("at+jwt", "any")),
  scopeClaim: withDefault<string>("scope", assertString),
  clockToleranceSeconds: withDefault<number>(30, integerFrom(0, MAX_TOLERANCE_SECONDS)),
  claimNames: assertStrings,
  onRefused: assertFunction,
  replayStore: withMethods("a DpopReplayStore", ["add"]),
});

function assertAudience(name: string, value: unknown): void {
  if (typeof value === "string") assertNonEmptyString(name, value);
  else arrayOf("strings", assertNonEmptyString)(name, value);
}

/**
 * Creates a verifier for JWT access tokens. Verifies the signature, issuer, expiration and
 * audience, and the DPoP proof of a DPoP-bound token. Times in tokens may differ from the clock of
 * this process by 30 seconds (`clockToleranceSeconds`), and the time of a DPoP proof by 300
 * seconds.
 *
 * Keys and metadata are fetched by one request at a time. Keys older than 10 minutes are fetched
 * again. Tokens with unknown keys cause at most one request per 30 seconds, and after a failure no
 * request is sent for 1 to 60 seconds. The metadata is then fetched again if it is older than 10
 * minutes. Known keys are used for up to one hour while they cannot be fetched again.
 *
 * @param options Issuer, keys, required claims and limits.
 * @throws {McpError} With code `auth_error` if `issuer` or `jwksUri` is neither an HTTPS URL nor a
 * loopback HTTP URL.
 * @throws {TypeError} If an option has a type or value that is not allowed, for example a symmetric
 * algorithm.
 * @throws {RangeError} If `requestTimeoutMs`, `maxResponseBytes` or `clockToleranceSeconds` is out
 * of range.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9068#section-4 RFC 9068, section 4}
 * @see {@link https://www.rfc-editor.org/rfc/rfc9449#section-7 RFC 9449, section 7}
 *
 * @example Log the reason for a rejected token
 * ```ts
 * import { jwtVerifier } from "@parley/mcp/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const log: string[] = [];
 * const verify = jwtVerifier({
 *   issuer: "https://login.example.com",
 *   jwksUri: "https://login.example.com/keys",
 *   onRefused: ({ reason, detail }) => log.push(`${reason}: ${detail}`),
 * });
 * const request = new Request("https://mcp.example.com", {
 *   headers: { authorization: "Bearer guess" },
 * });
 * const resource = "https://mcp.example.com";
 * const found = await verify({ token: "guess", scheme: "bearer", resource, request });
 * assertEquals(found, { refused: { reason: "malformed" } });
 * assertEquals(log, ["malformed: Invalid Compact JWS"]);
 * ```
 */
export function jwtVerifier(
  options: JwtVerifierOptions,
): (presented: PresentedToken) => Promise<VerifiedToken | RefusedToken> {
  const { replayStore = new DpopReplayCache(), ...settings } = readJwtOptions(options);
  const { audience, algorithms = ALGORITHMS, claimNames, onRefused } = settings;
  const verifier = new JwtVerifier({
    ...settings,
    audience: typeof audience === "string" ? [audience] : audience && [...audience],
    algorithms: [...algorithms],
    claimNames: claimNames && [...claimNames],
    replayStore,
  });
  const report = onRefused && createErrorReporter("jwtVerifier", onRefused, "onRefused");
  return async (presented) => {
    const found = await verifier.verify(presented);
    if (!("reason" in found)) return found;
    report?.(found);
    return { refused: { reason: found.reason } };
  };
}

/** Options after reading, with copied lists. */
interface VerifierConfig extends Omit<JwtSettings, "audience" | "algorithms" | "replayStore"> {
  readonly audience: readonly string[] | undefined;
  readonly algorithms: readonly string[];
  readonly replayStore: DpopReplayStore;
}

class JwtVerifier {
  readonly #config: VerifierConfig;
  readonly #keys: SigningKeys;
  readonly #rules: Omit<JwtRules, "audience">;

  constructor(config: VerifierConfig) {
    const { issuer, jwksUri, algorithms, typ, scopeClaim, audience } = config;
    this.#config = config;
    this.#keys = new SigningKeys(issuer, jwksUri, config);
    this.#rules = {
      issuer,
      algorithms,
      toleranceSeconds: config.clockToleranceSeconds,
      ...(typ === "any" ? {} : { typ }),
      requiredClaims: typ === "any" && audience !== undefined ? [scopeClaim] : [],
    };
  }

  /** Verifies a token. Throws if the keys or the replay store are not available. */
  async verify(presented: PresentedToken): Promise<VerifiedToken | TokenRefusal> {
    const { token, resource, request } = presented;
    const { audience = [resource], typ, replayStore, requestTimeoutMs } = this.#config;
    const { signal } = request;
    const result = await verifyJwt(
      token,
      // The request for the keys is shared by all callers, so a caller's signal ends only its own
      // wait.
      (header) => abortable(this.#keys.find(header), signal),
      { rules: { ...this.#rules, audience }, signal },
    );
    if ("refused" in result) return result.refused;
    const { claims } = result;
    const idClaim = ["nonce", "at_hash"].find((name) => Object.hasOwn(claims, name));
    if (typ === "any" && idClaim !== undefined) {
      return { reason: "id_token", detail: `the token has the claim "${idClaim}" of ID tokens` };
    }
    const verified = this.#read(claims);
    if ("reason" in verified) return verified;
    const proof = await verifyProof(presented, { ...claims, sub: verified.subject });
    if (proof === undefined) return verified;
    if ("reason" in proof) return proof;
    const isNew = await addProof(replayStore, proof, { request, timeoutMs: requestTimeoutMs });
    return isNew ? verified : { reason: "replayed", detail: "the proof was accepted before" };
  }

  #read(claims: Claims): VerifiedToken | TokenRefusal {
    const { scopeClaim, issuer, claimNames } = this.#config;
    const { sub, exp, client_id, azp } = claims;
    if (!isSubject(sub)) {
      const detail = `"sub" must be a string with a visible character, got ${show(sub)}`;
      return { reason: "missing_claim", detail };
    }
    const scopes = readScopes(claims, scopeClaim);
    if (scopes === undefined) {
      const requirement = "a string or an array of strings";
      const detail = `"${scopeClaim}" must be ${requirement}, got ${show(claims[scopeClaim])}`;
      return { reason: "malformed", detail };
    }
    // Authorization servers that do not follow RFC 9068 name the client in `azp`.
    const clientId = client_id ?? azp;
    return {
      subject: sub,
      scopes,
      ...(typeof clientId === "string" ? { clientId } : {}),
      issuer,
      expiresAt: Number(exp) * 1000,
      ...(claimNames === undefined ? {} : { claims: pick(claims, claimNames) }),
    };
  }
}

/** Reads scopes. Returns `undefined` if the claim has an invalid type. */
function readScopes(claims: Claims, name: string): readonly string[] | undefined {
  const value: unknown = Object.hasOwn(claims, name) ? claims[name] : "";
  if (typeof value === "string") return value.split(" ").filter((word) => word !== "");
  if (!Array.isArray(value)) return undefined;
  return value.every((scope) => typeof scope === "string") ? value : undefined;
}

function pick(claims: Claims, names: readonly string[]): Claims {
  const present = names.filter((name) => Object.hasOwn(claims, name));
  return Object.fromEntries(present.map((name) => [name, claims[name]]));
}
