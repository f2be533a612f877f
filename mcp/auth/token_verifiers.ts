/**
 * Whether a token is good: signed by the right server (JWT), or so that server says (introspection).
 *
 * @module
 */

import * as oauth from "oauth4webapi";
import { McpError } from "../shared/error.ts";
import type { HttpFetch } from "../shared/http_types.ts";
import { parseTrustedUrl } from "./url_policy.ts";
import { toBase64Url } from "./base64url.ts";
import { clientAuthOf, type ClientIdentity } from "./client_authentication.ts";
import { type ClientKey, DEFAULTS } from "./config.ts";
import { discoverIssuer, type IssuerMetadata } from "./discovery.ts";
import { DpopReplayCache } from "./dpop_replay_cache.ts";
import { AuthHttpClient } from "./auth_http_client.ts";

/** A token that somebody has shown. */
export interface PresentedToken {
  /** The token. */
  readonly token: string;
  /** How it was shown. */
  readonly scheme: "bearer" | "dpop";
  /** The server that it was shown to, by the name that tokens are for. */
  readonly resource: string;
  /** The request, without its body, at the address that clients know. */
  readonly request: Request;
}

/** What a good token says. */
export interface VerifiedToken {
  /**
   * Who it speaks for: the `sub` of the token. Sessions, tasks and sealed state belong to it, and two authorization
   * servers may give the same to different people: a verifier for several has to put something of the issuer before it.
   */
  readonly subject: string;
  /** What it is good for. */
  readonly scopes: readonly string[];
  /** The client that it was given to, if that is known. */
  readonly clientId?: string;
}

/** Looks at a token: what it says when it is good, undefined when it is not. Throws when that cannot be found out now. */
export type TokenVerifier = (presented: PresentedToken) => Promise<VerifiedToken | undefined>;

/** How questions to an authorization server are asked. */
export interface VerifierOptions {
  /** Makes the requests. Default: the built-in `fetch`. */
  readonly fetch?: HttpFetch;
  /** How long one may take, in milliseconds. Default 10 000. */
  readonly requestTimeoutMs?: number;
  /** How long an answer may be, in bytes. Default 256 KiB. */
  readonly maxResponseBytes?: number;
}

/** Whose signatures count. */
export interface JwtVerifierOptions extends VerifierOptions {
  /** The authorization server, by its name. */
  readonly issuer: string;
  /** Where its keys are. Default: where it says itself. */
  readonly jwksUri?: string;
  /** The algorithms that it signs with. Default: every one that is safe. */
  readonly algorithms?: readonly string[];
  /**
   * How many proofs of bound tokens are remembered, so that none is good twice. Several processes remember each for
   * itself. Default 100 000.
   */
  readonly maxProofs?: number;
}

/** Whose word counts. */
export interface IntrospectionOptions extends VerifierOptions {
  /** Where to ask: the introspection endpoint. */
  readonly introspectionUrl: string;
  /** Who asks, as the authorization server knows it. */
  readonly clientId: string;
  /** Its secret. */
  readonly clientSecret?: string;
  /** Its private key, instead of a secret. */
  readonly clientKey?: ClientKey;
}

/** How long a proof is good, before and after its time, in milliseconds. */
const PROOF_MS = 600_000;

/** Failures that say nothing of a token: the keys cannot be had. */
const NO_KEYS: readonly unknown[] = [
  oauth.RESPONSE_IS_NOT_CONFORM,
  oauth.RESPONSE_IS_NOT_JSON,
  oauth.MISSING_SERVER_METADATA,
];

/**
 * Makes a verifier of tokens that are JWTs: the signature, who signed, when it runs out, which server it is for, and the
 * proof where it is bound to a key.
 *
 * @param options whose signatures count
 * @throws {McpError} `auth_error` when an address is none of HTTPS
 * @see {@link https://www.rfc-editor.org/rfc/rfc9068#section-4 RFC 9068, section 4}
 * @see {@link https://www.rfc-editor.org/rfc/rfc9449#section-7 RFC 9449, section 7}
 *
 * @example A token that is none
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
  const { issuer, jwksUri, algorithms, maxProofs = 100_000 } = options;
  const proofs = new DpopReplayCache(maxProofs, PROOF_MS);
  const keys = new Keys(issuer, jwksUri, options);
  return async ({ resource, request }) => {
    const { server, web } = await keys.get();
    try {
      const claims = await oauth.validateJwtAccessToken(server, request, resource, {
        ...(algorithms === undefined ? {} : { signingAlgorithms: [...algorithms] }),
        [oauth.customFetch]: (url, { headers }) => web.fetch(url, { headers }),
        [oauth.allowInsecureRequests]: true,
      });
      const proof = request.headers.get("dpop");
      if (proof !== null && !proofs.isNew(await fingerprintOf(proof))) return undefined;
      return verified(claims.sub, claims.scope, claims.client_id);
    } catch (error) {
      if (error instanceof McpError) throw error;
      const { code } = error instanceof Error ? { code: undefined, ...error } : { code: undefined };
      // Without what the error carries: that is the token.
      if (NO_KEYS.includes(code)) throw McpError.authError(`the keys of "${issuer}" cannot be had`);
      return undefined;
    }
  };
}

/**
 * Makes a verifier that asks the authorization server about every token. A token that is bound to a key is refused: only
 * one that is a JWT can be checked for that.
 *
 * @param options whose word counts
 * @throws {McpError} `auth_error` when the address is none of HTTPS
 * @see {@link https://www.rfc-editor.org/rfc/rfc7662 RFC 7662}
 *
 * @example A server whose tokens say nothing by themselves
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
  const { clientId, clientSecret, clientKey } = options;
  const endpoint = parseTrustedUrl(options.introspectionUrl, '"introspectionUrl"');
  const server = { issuer: endpoint.origin, introspection_endpoint: endpoint.href };
  const client = { client_id: clientId };
  const identity: ClientIdentity = {
    clientId,
    ...(clientSecret === undefined ? {} : { clientSecret }),
    ...(clientKey === undefined ? {} : { clientKey }),
  };
  return async ({ token, scheme, resource, request }) => {
    const web = webOf(options, request.signal);
    const response = await oauth.introspectionRequest(
      server,
      client,
      clientAuthOf(identity),
      token,
      { [oauth.customFetch]: web.fetch, [oauth.allowInsecureRequests]: true },
    );
    const found = await oauth.processIntrospectionResponse(server, client, response).catch(() => {
      // Without the cause, which carries the answer.
      throw McpError.authError(`"${endpoint.origin}" does not say whether a token is good`);
    });
    // Their types say more than anybody has looked at.
    const { active, sub, aud, exp, scope, client_id, cnf }: Record<string, unknown> = found;
    const isFor = Array.isArray(aud) ? aud.includes(resource) : aud === resource;
    const isOver = exp !== undefined && !(typeof exp === "number" && exp * 1000 > Date.now());
    const isGood = active === true && isFor && !isOver && cnf === undefined && scheme === "bearer";
    return isGood ? verified(sub ?? client_id, scope, client_id) : undefined;
  };
}

/** What a proof is known by. Its claims, not its signature: that may be written in more than one way. */
async function fingerprintOf(proof: string): Promise<string> {
  const claims = new TextEncoder().encode(proof.split(".", 2).join("."));
  return toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", claims)));
}

/** The keys of an authorization server, looked for once. */
class Keys {
  readonly #issuer: URL;
  readonly #name: string;
  readonly #jwksUri: string | undefined;
  readonly #options: VerifierOptions;
  #server: Promise<oauth.AuthorizationServer> | undefined;

  constructor(issuer: string, jwksUri: string | undefined, options: VerifierOptions) {
    this.#issuer = parseTrustedUrl(issuer, '"issuer"');
    this.#name = issuer;
    this.#jwksUri = jwksUri === undefined ? undefined : parseTrustedUrl(jwksUri, '"jwksUri"').href;
    this.#options = options;
  }

  async get(): Promise<
    { readonly server: oauth.AuthorizationServer; readonly web: AuthHttpClient }
  > {
    // Shared by all requests, so it does not end with one of them.
    const web = webOf(this.#options, new AbortController().signal);
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
      throw McpError.authError(`"${this.#name}" does not say where its keys are`);
    }
    return { issuer: this.#name, jwks_uri };
  }
}

function webOf(options: VerifierOptions, signal: AbortSignal): AuthHttpClient {
  const {
    fetch = globalThis.fetch,
    requestTimeoutMs = DEFAULTS.requestTimeoutMs,
    maxResponseBytes = DEFAULTS.maxResponseBytes,
  } = options;
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
