/**
 * Access token verification by token introspection (RFC 7662).
 *
 * @module
 */

import * as oauth from "oauth4webapi";
import { abortable } from "@parley/internal/abortable";
import { assertCount, assertObject, assertString } from "@parley/internal/assert-argument";
import { integerFrom } from "@parley/internal/option-checks";
import { optionsReader, required, withDefault } from "@parley/internal/options";
import { McpError } from "../shared/error.ts";
import type { AuthHttpClient } from "./auth_http_client.ts";
import { clientAuthOf, type ClientIdentity } from "./client_authentication.ts";
import { type ClientKey, readClientKey } from "./config.ts";
import { type Introspection, IntrospectionRequests } from "./introspection_requests.ts";
import { Secrets } from "./redact_secrets.ts";
import {
  createVerifierClient,
  type PresentedToken,
  readClaims,
  type VerifiedToken,
  VERIFIER_RULES,
  type VerifierOptions,
} from "./token_verifier.ts";
import { parseTrustedUrl } from "./url_policy.ts";

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
  /**
   * Maximum number of introspection requests in flight. Further tokens wait. A quarter of the
   * requests is reserved for tokens that were active in the last 10 minutes.
   *
   * @default {32}
   */
  readonly maxConcurrent?: number;
  /**
   * Maximum number of tokens that wait for an introspection request, each for at most
   * `requestTimeoutMs`. Beyond `maxQueued`, verification is temporarily unavailable.
   *
   * @default {1000}
   */
  readonly maxQueued?: number;
}

const readIntrospectionOptions = optionsReader<IntrospectionOptions>("options")({
  ...VERIFIER_RULES,
  introspectionUrl: required(assertString),
  clientId: required(assertString),
  clientSecret: assertString,
  clientKey: assertObject,
  maxConcurrent: withDefault(32, assertCount),
  maxQueued: withDefault(1000, integerFrom(0)),
});

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
export function introspectionVerifier(
  options: IntrospectionOptions,
): (presented: PresentedToken) => Promise<VerifiedToken | undefined> {
  const settings = readIntrospectionOptions(options);
  const { introspectionUrl, clientId, clientSecret, clientKey } = settings;
  if (clientKey !== undefined) readClientKey(clientKey);
  const endpoint = parseTrustedUrl(introspectionUrl, '"introspectionUrl"');
  const identity: ClientIdentity = {
    clientId,
    ...(clientSecret === undefined ? {} : { clientSecret }),
    ...(clientKey === undefined ? {} : { clientKey }),
  };
  const web = createVerifierClient(settings);
  const { maxConcurrent, maxQueued, requestTimeoutMs: timeoutMs } = settings;
  const send = (token: string): Promise<Introspection> =>
    sendIntrospection(token, { endpoint, identity, web });
  const requests = new IntrospectionRequests({ send, maxConcurrent, maxQueued, timeoutMs });
  return async ({ token, scheme, resource, request }) => {
    // Equal tokens share a request, so a caller's signal ends only its own wait.
    const found = await abortable(requests.introspect(token), request.signal);
    const { active, sub, aud, exp, scope, client_id, cnf } = found;
    const isFor = Array.isArray(aud) ? aud.includes(resource) : aud === resource;
    // The authorization server decides with its own clock whether the token is active. A token that
    // has expired by the clock of this process is rejected in addition, without a tolerance.
    const isOver = exp !== undefined && !(typeof exp === "number" && exp * 1000 > Date.now());
    const isGood = active === true && isFor && !isOver && cnf === undefined && scheme === "bearer";
    return isGood ? readClaims(sub ?? client_id, scope, client_id) : undefined;
  };
}

/**
 * Sends an introspection request.
 *
 * @throws {McpError} With code `auth_error` if the request fails or the response is invalid. The
 * error contains no secrets.
 */
async function sendIntrospection(
  token: string,
  { endpoint, identity, web }: {
    readonly endpoint: URL;
    readonly identity: ClientIdentity;
    readonly web: AuthHttpClient;
  },
): Promise<Introspection> {
  const server = { issuer: endpoint.origin, introspection_endpoint: endpoint.href };
  const client = { client_id: identity.clientId };
  const secrets = new Secrets();
  secrets.add(token, identity.clientSecret);
  try {
    const response = await oauth.introspectionRequest(
      server,
      client,
      clientAuthOf(identity),
      token,
      { [oauth.customFetch]: web.fetch, [oauth.allowInsecureRequests]: true },
    );
    // The claims are typed as `unknown`, because `oauth4webapi` does not validate all the types
    // that it declares.
    const found = await oauth.processIntrospectionResponse(server, client, response).catch(() => {
      // The original error is not kept as the cause, because it contains the introspection
      // response.
      throw McpError.authError(`"${endpoint.origin}" returned an invalid introspection response`, {
        httpStatus: response.status,
      });
    });
    return { ...found };
  } catch (error) {
    throw secrets.clean(error);
  }
}
