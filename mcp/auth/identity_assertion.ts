/**
 * Enterprise-managed authorization: a company's identity provider vouches for a person at other authorization servers.
 *
 * @see {@link https://modelcontextprotocol.io/extensions/auth/enterprise-managed-authorization Enterprise-managed authorization}
 * @see {@link https://www.rfc-editor.org/rfc/rfc8693 RFC 8693}
 * @module
 */

import { parseTrustedUrl } from "./url_policy.ts";
import type { GetAssertion } from "./config.ts";
import { requestTokens } from "./tokens.ts";

/** A person's proof of identity, and where it can be exchanged. */
export interface IdentityAssertionOptions {
  /** The token endpoint of the identity provider. */
  readonly tokenUrl: string;
  /** The client, as the identity provider knows it. */
  readonly clientId: string;
  /** Its secret there; absent for public clients. */
  readonly clientSecret?: string;
  /** What the person got when logging in to the client: an ID token or a SAML assertion. */
  readonly subjectToken: string | (() => Promise<string> | string);
  /** What that is. Default `urn:ietf:params:oauth:token-type:id_token`. */
  readonly subjectTokenType?: string;
}

const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const ID_JAG = "urn:ietf:params:oauth:token-type:id-jag";
const ID_TOKEN = "urn:ietf:params:oauth:token-type:id_token";

/**
 * Makes a source of assertions that exchanges a person's proof of identity for one that a server's own authorization
 * server takes (ID-JAG).
 *
 * @param options the proof, and where it can be exchanged
 * @returns the `assertion` of a `jwt_bearer` grant; it rejects with an `McpError` (`auth_error`) when the identity provider
 * refuses
 * @throws {McpError} `auth_error` when `tokenUrl` is not an address of HTTPS
 *
 * @example A client in a company
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
 *         subjectToken: "the person's ID token",
 *       }),
 *     },
 *   },
 * });
 * assertEquals(client.connected, false);
 * ```
 */
export function identityAssertion(options: IdentityAssertionOptions): GetAssertion {
  const { tokenUrl, clientId, clientSecret, subjectToken, subjectTokenType = ID_TOKEN } = options;
  const endpoint = parseTrustedUrl(tokenUrl, '"tokenUrl"');
  return async ({ issuer, resource, scope, fetch, signal }) => {
    const response = await requestTokens({
      issuer: { issuer: endpoint.origin, token_endpoint: endpoint.href },
      identity: { clientId, ...(clientSecret === undefined ? {} : { clientSecret }) },
      grant: TOKEN_EXCHANGE,
      parameters: {
        requested_token_type: ID_JAG,
        audience: issuer,
        resource,
        ...(scope === undefined ? {} : { scope }),
        subject_token: typeof subjectToken === "string" ? subjectToken : await subjectToken(),
        subject_token_type: subjectTokenType,
      },
      web: { fetch, signal },
      alsoType: "n_a",
    });
    if (response.ok) return response.answer.access_token;
    throw response.refusal;
  };
}
