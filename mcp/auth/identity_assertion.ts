/**
 * Enterprise-managed authorization: an organization's identity provider issues assertions for other
 * authorization servers.
 *
 * @see
 * {@link https://modelcontextprotocol.io/extensions/auth/enterprise-managed-authorization Enterprise-managed authorization}
 * @see {@link https://www.rfc-editor.org/rfc/rfc8693 RFC 8693}
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import { assertObject, assertString } from "@parley/internal/assert-argument";
import { defined, isRecord } from "@parley/internal/json";
import { assertNames, namesOf, optionsReader, required } from "@parley/internal/options";
import { McpError } from "../shared/error.ts";
import { parseTrustedUrl } from "./url_policy.ts";
import { type ClientKey, type GetAssertion, readClientKey } from "./config.ts";
import { validTokenOf } from "./exchange_failure.ts";
import { requestTokens } from "./tokens.ts";

/** Options for {@linkcode identityAssertion}. */
export interface IdentityAssertionOptions {
  /** URL of the identity provider's token endpoint. */
  readonly tokenUrl: string;
  /** Client identifier at the identity provider. */
  readonly clientId: string;
  /** Client secret at the identity provider; omit for public clients. */
  readonly clientSecret?: string;
  /** Private key for client authentication at the identity provider, used instead of a secret. */
  readonly clientKey?: ClientKey;
  /**
   * The user's ID token or SAML assertion, a function that returns one, or the principal of a
   * request, exactly as a handler or the `client` function of a gateway received it. The access
   * token that a principal presented is sent only to the identity provider, as with
   * `tokenExchange`.
   */
  readonly subjectToken:
    | string
    | (() => Promise<string> | string)
    | { readonly principal: object | undefined };
  /**
   * Token type of `subjectToken`; by default, `urn:ietf:params:oauth:token-type:access_token` for a
   * principal, and `urn:ietf:params:oauth:token-type:id_token` otherwise.
   */
  readonly subjectTokenType?: string;
}

const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const ID_JAG = "urn:ietf:params:oauth:token-type:id-jag";
const ID_TOKEN = "urn:ietf:params:oauth:token-type:id_token";
const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";

const readOptions = optionsReader<IdentityAssertionOptions>("options")({
  tokenUrl: required(assertString),
  clientId: required(assertString),
  clientSecret: assertString,
  clientKey: assertObject,
  subjectToken: required(assertSubjectToken),
  subjectTokenType: assertString,
});

const SUBJECT_NAMES = namesOf<{ readonly principal: object | undefined }>({ principal: true });

function assertSubjectToken(name: string, value: unknown): void {
  if (typeof value === "string" || typeof value === "function") return;
  if (isRecord(value)) {
    assertNames(name, value, SUBJECT_NAMES);
    if (value.principal !== undefined) assertObject(`${name}.principal`, value.principal);
    return;
  }
  // The value is not quoted in the error, because it may be a secret.
  throw new TypeError(
    `"${name}" must be a string, a function or an object with a principal, got a ${typeof value}`,
  );
}

/**
 * Creates a function that exchanges an identity token for an identity assertion authorization grant
 * (ID-JAG), using OAuth 2.0 token exchange (RFC 8693).
 *
 * @param options Identity provider and identity token.
 * @returns The `assertion` function for a `jwt_bearer` grant. The `assertion` function rejects with
 * an {@linkcode McpError} with code `auth_error` if the identity provider rejects the request, or
 * if the principal has no valid access token (`details.exchange` is `no_token`).
 * @throws {McpError} With code `auth_error` if `tokenUrl` is neither an HTTPS URL nor a loopback
 * HTTP URL.
 * @throws {TypeError} If an option has the wrong type.
 *
 * @example Authorize a client through a corporate identity provider
 * ```ts
 * import { McpClient } from "@parley/mcp";
 * import { identityAssertion } from "@parley/mcp/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const client = new McpClient({
 *   transport: { type: "http", url: "https://mcp.example.com" },
 *   auth: {
 *     discover: true,
 *     clientId: "my-client",
 *     clientSecret: "...",
 *     grant: {
 *       type: "jwt_bearer",
 *       assertion: identityAssertion({
 *         tokenUrl: "https://idp.example.com/token",
 *         clientId: "my-client-at-the-idp",
 *         subjectToken: "the user's ID token",
 *       }),
 *     },
 *   },
 * });
 * assertEquals(client.connected, false);
 * ```
 */
export function identityAssertion(options: IdentityAssertionOptions): GetAssertion {
  const { tokenUrl, clientId, clientSecret, clientKey, subjectToken, subjectTokenType } =
    readOptions(options);
  if (clientKey !== undefined) readClientKey(clientKey);
  const endpoint = parseTrustedUrl(tokenUrl, '"tokenUrl"');
  const identity = { clientId, ...defined({ clientSecret, clientKey }) };
  return async ({ issuer, resource, scope, fetch, signal }) => {
    const response = await requestTokens({
      issuer: { issuer: endpoint.origin, token_endpoint: endpoint.href },
      identity,
      grant: TOKEN_EXCHANGE,
      parameters: {
        requested_token_type: ID_JAG,
        audience: issuer,
        resource,
        ...(scope === undefined ? {} : { scope }),
        subject_token: await subjectTokenOf(subjectToken, signal),
        subject_token_type: subjectTokenType ??
          (typeof subjectToken === "object" ? ACCESS_TOKEN : ID_TOKEN),
      },
      web: { fetch, signal },
      alsoType: "n_a",
    });
    if (response.ok) return response.answer.access_token;
    throw response.refusal;
  };
}

/** Returns the subject token. The caller of the assertion function limits the time. */
async function subjectTokenOf(
  subjectToken: IdentityAssertionOptions["subjectToken"],
  signal: AbortSignal,
): Promise<string> {
  if (typeof subjectToken === "string") return subjectToken;
  if (typeof subjectToken === "object") return validTokenOf(subjectToken.principal).token;
  signal.throwIfAborted();
  const token: unknown = await abortable(Promise.resolve(subjectToken()), signal);
  if (typeof token === "string") return token;
  throw McpError.authError('"subjectToken" must return a string');
}
