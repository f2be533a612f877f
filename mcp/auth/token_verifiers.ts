/**
 * Access token verification by JWT signature (RFC 9068) or token introspection (RFC 7662).
 *
 * @module
 */

import { MAX_TIMER_MS } from "@parley/internal/timers";
import * as oauth from "oauth4webapi";
import { abortable } from "@parley/internal/abortable";
import {
  assertCount,
  assertFunction,
  assertObject,
  assertPositiveNumber,
  assertString,
  assertStrings,
} from "@parley/internal/assert-argument";
import { optionsReader, required, type Settings, withDefault } from "@parley/internal/options";
import { formatValue } from "@parley/internal/format-value";
import { withMethods } from "@parley/internal/option-checks";
import { McpError } from "../shared/error.ts";
import { isPending } from "../shared/then_or_now.ts";
import type { HttpFetch } from "../shared/http_types.ts";
import { parseTrustedUrl } from "./url_policy.ts";
import { toBase64Url } from "./base64url.ts";
import { clientAuthOf, type ClientIdentity } from "./client_authentication.ts";
import { type ClientKey, MAX_RESPONSE_BYTES, readClientKey, REQUEST_TIMEOUT_MS } from "./config.ts";
import { discoverIssuer, type IssuerMetadata } from "./discovery.ts";
import { type DpopProof, DpopReplayCache, type DpopReplayStore } from "./dpop_replay_cache.ts";
import { AuthHttpClient } from "./auth_http_client.ts";

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
   * Subject of the token (`sub`). The server's sessions, tasks and encrypted request state belong
   * to the subject. Different issuers can use the same subject for different users, so a verifier
   * for several issuers must prefix the subject with the issuer.
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

/** Options for {@linkcode introspectionVerifier}. */
export interface IntrospectionOptions extends VerifierOptions {
  /** URL of the introspection endpoint. */
  readonly introspectionUrl: string;
  /** Client identifier of the resource server. */
  readonly clientId: string;
  /** Client secret of the resource server. */
  readonly clientSecret?: string;
  /** Private key of the resource server, used instead of a client secret. */
  readonly clientKey?: ClientKey;
}

/**
 * Validity period of a DPoP proof after its `iat`, in milliseconds. `oauth4webapi` accepts an `iat`
 * up to 300 seconds in the past, and ignores fractions of a second in the current time.
 */
const PROOF_MS = 301_000;

/** Options for requests to an authorization server, after reading. */
type VerifierSettings = Settings<VerifierOptions, "requestTimeoutMs" | "maxResponseBytes">;

const VERIFIER_RULES = {
  fetch: assertFunction,
  requestTimeoutMs: withDefault(REQUEST_TIMEOUT_MS, assertPositiveNumber),
  maxResponseBytes: withDefault(MAX_RESPONSE_BYTES, assertCount),
};

const readJwtOptions = optionsReader<JwtVerifierOptions>("options")({
  ...VERIFIER_RULES,
  issuer: required(assertString),
  jwksUri: assertString,
  algorithms: assertStrings,
  replayStore: withMethods("a DpopReplayStore", ["add"]),
});

const readIntrospectionOptions = optionsReader<IntrospectionOptions>("options")({
  ...VERIFIER_RULES,
  introspectionUrl: required(assertString),
  clientId: required(assertString),
  clientSecret: assertString,
  clientKey: assertObject,
});

/** Error codes that indicate unavailable signing keys rather than an invalid token. */
const NO_KEYS: readonly unknown[] = [
  oauth.RESPONSE_IS_NOT_CONFORM,
  oauth.RESPONSE_IS_NOT_JSON,
  oauth.MISSING_SERVER_METADATA,
];

/**
 * Creates a verifier for JWT access tokens. Verifies the signature, issuer, expiration and
 * audience, and the DPoP proof of a DPoP-bound token.
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
  const { issuer, jwksUri, algorithms, requestTimeoutMs } = settings;
  const { replayStore = new DpopReplayCache() } = settings;
  const keys = new Keys(issuer, jwksUri, settings);
  return async ({ resource, request }) => {
    const { server, web } = await keys.get();
    try {
      const claims = await oauth.validateJwtAccessToken(server, request, resource, {
        ...(algorithms === undefined ? {} : { signingAlgorithms: [...algorithms] }),
        [oauth.customFetch]: (url, { headers }) => web.fetch(url, { headers }),
        [oauth.allowInsecureRequests]: true,
      });
      const proof = request.headers.get("dpop");
      if (proof !== null) {
        const isNew = await addProof(
          replayStore,
          await readProof(proof, claims.sub),
          () =>
            AbortSignal.any([
              request.signal,
              AbortSignal.timeout(Math.min(requestTimeoutMs, MAX_TIMER_MS)),
            ]),
        );
        if (!isNew) return undefined;
      }
      return verified(claims.sub, claims.scope, claims.client_id);
    } catch (error) {
      if (error instanceof McpError) throw error;
      const { code } = error instanceof Error ? { code: undefined, ...error } : { code: undefined };
      // The original error is not kept as the cause, because its message contains the token.
      if (NO_KEYS.includes(code)) {
        throw McpError.authError(`signing keys of "${issuer}" are unavailable`);
      }
      return undefined;
    }
  };
}

/**
 * Creates a verifier that validates tokens by token introspection. Rejects sender-constrained
 * tokens, because DPoP proofs are verified only for JWT access tokens.
 *
 * @param options Introspection endpoint and client credentials.
 * @throws {McpError} With code `auth_error` if `introspectionUrl` is neither an HTTPS URL nor a
 * loopback HTTP URL.
 * @throws {RangeError} If `requestTimeoutMs` or `maxResponseBytes` is out of range.
 * @see {@link https://www.rfc-editor.org/rfc/rfc7662 RFC 7662}
 *
 * @example Verify an opaque token
 * ```ts
 * import { introspectionVerifier } from "@parley/mcp/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const resource = "https://mcp.example.com";
 * const verify = introspectionVerifier({
 *   introspectionUrl: "https://login.example.com/introspect",
 *   clientId: "mcp-server",
 *   clientSecret: "...",
 *   fetch: () => Promise.resolve(Response.json({ active: true, sub: "ada", aud: resource })),
 * });
 * const request = new Request(resource);
 * const found = await verify({ token: "t1", scheme: "bearer", resource, request });
 * assertEquals(found, { subject: "ada", scopes: [] });
 * ```
 */
export function introspectionVerifier(options: IntrospectionOptions): TokenVerifier {
  const settings = readIntrospectionOptions(options);
  const { introspectionUrl, clientId, clientSecret, clientKey } = settings;
  if (clientKey !== undefined) readClientKey(clientKey);
  const endpoint = parseTrustedUrl(introspectionUrl, '"introspectionUrl"');
  const server = { issuer: endpoint.origin, introspection_endpoint: endpoint.href };
  const client = { client_id: clientId };
  const identity: ClientIdentity = {
    clientId,
    ...(clientSecret === undefined ? {} : { clientSecret }),
    ...(clientKey === undefined ? {} : { clientKey }),
  };
  return async ({ token, scheme, resource, request }) => {
    const web = webOf(settings, request.signal);
    const response = await oauth.introspectionRequest(
      server,
      client,
      clientAuthOf(identity),
      token,
      { [oauth.customFetch]: web.fetch, [oauth.allowInsecureRequests]: true },
    );
    const found = await oauth.processIntrospectionResponse(server, client, response).catch(() => {
      // The original error is not kept as the cause, because it contains the introspection
      // response.
      throw McpError.authError(`"${endpoint.origin}" returned an invalid introspection response`);
    });
    // Each claim is typed as `unknown`, because `oauth4webapi` does not validate all the types that
    // it declares.
    const { active, sub, aud, exp, scope, client_id, cnf }: Record<string, unknown> = found;
    const isFor = Array.isArray(aud) ? aud.includes(resource) : aud === resource;
    const isOver = exp !== undefined && !(typeof exp === "number" && exp * 1000 > Date.now());
    const isGood = active === true && isFor && !isOver && cnf === undefined && scheme === "bearer";
    return isGood ? verified(sub ?? client_id, scope, client_id) : undefined;
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
  return { key, expiresAt: iat * 1000 + PROOF_MS, subject };
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
  createSignal: () => AbortSignal,
): Promise<boolean> {
  let added: unknown;
  try {
    const result = store.add(proof);
    added = isPending(result) ? await abortable(Promise.resolve(result), createSignal()) : result;
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

/** Signing keys of an authorization server, whose metadata is fetched once. */
class Keys {
  readonly #issuer: URL;
  readonly #name: string;
  readonly #jwksUri: string | undefined;
  readonly #settings: VerifierSettings;
  #server: Promise<oauth.AuthorizationServer> | undefined;

  constructor(issuer: string, jwksUri: string | undefined, settings: VerifierSettings) {
    this.#issuer = parseTrustedUrl(issuer, '"issuer"');
    this.#name = issuer;
    this.#jwksUri = jwksUri === undefined ? undefined : parseTrustedUrl(jwksUri, '"jwksUri"').href;
    this.#settings = settings;
  }

  async get(): Promise<
    { readonly server: oauth.AuthorizationServer; readonly web: AuthHttpClient }
  > {
    // The metadata request is shared by all callers, so no caller's signal aborts it.
    const web = webOf(this.#settings, new AbortController().signal);
    this.#server ??= this.#find(web).catch((error) => {
      this.#server = undefined;
      throw error;
    });
    return { server: await this.#server, web };
  }

  async #find(web: AuthHttpClient): Promise<oauth.AuthorizationServer> {
    const found: Pick<IssuerMetadata, "jwks_uri"> | undefined = this.#jwksUri === undefined
      ? await discoverIssuer(
        web,
        { server: this.#issuer, allowPrivateAddresses: false },
        this.#name,
      )
      : { jwks_uri: this.#jwksUri };
    const { jwks_uri } = found ?? {};
    if (jwks_uri === undefined) {
      throw McpError.authError(`metadata for "${this.#name}" has no "jwks_uri"`);
    }
    return { issuer: this.#name, jwks_uri };
  }
}

function webOf(settings: VerifierSettings, signal: AbortSignal): AuthHttpClient {
  const { fetch = globalThis.fetch, requestTimeoutMs, maxResponseBytes } = settings;
  return new AuthHttpClient({ fetch, requestTimeoutMs, maxResponseBytes }, signal);
}

function verified(
  subject: unknown,
  scope: unknown,
  clientId: unknown,
): VerifiedToken | undefined {
  if (typeof subject !== "string") return undefined;
  const words = typeof scope === "string" ? scope.split(" ").filter((word) => word !== "") : [];
  return {
    subject,
    scopes: words,
    ...(typeof clientId === "string" ? { clientId } : {}),
  };
}
