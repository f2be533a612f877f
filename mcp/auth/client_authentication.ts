/**
 * Client authentication at the token endpoint.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-2.3 RFC 6749, section 2.3}
 * @see {@link https://www.rfc-editor.org/rfc/rfc7523#section-2.2 RFC 7523, section 2.2}
 * @module
 */

import * as oauth from "oauth4webapi";
import { McpError } from "../shared/error.ts";
import type { ClientKey } from "./config.ts";

/** Client credentials for one authorization server. */
export interface ClientIdentity {
  /** Client identifier. */
  readonly clientId: string;
  /** Client secret of a confidential client. */
  readonly clientSecret?: string;
  /** Private key of a confidential client, used instead of a client secret. */
  readonly clientKey?: ClientKey;
  /** Client authentication method that was assigned by dynamic client registration. */
  readonly method?: string;
  /** Whether the client was registered dynamically and can be registered again. */
  readonly isRegistered?: boolean;
}

/** Authentication methods for client secrets, in order of preference. */
const SECRET_METHODS = ["client_secret_basic", "client_secret_post", "none"];

/**
 * Selects the client authentication method.
 *
 * @param identity Client credentials.
 * @param supported Authentication methods that the authorization server supports; by default,
 * `client_secret_basic` (RFC 8414, section 2).
 * @throws {McpError} With code `auth_error` if the server supports no authentication method that
 * uses a client secret.
 */
export function clientAuthOf(
  { clientSecret, clientKey, method, isRegistered = false }: ClientIdentity,
  supported: readonly string[] = ["client_secret_basic"],
): oauth.ClientAuth {
  if (clientKey !== undefined) return oauth.PrivateKeyJwt(clientKey);
  if (clientSecret === undefined) return oauth.None();
  const chosen = method ?? chooseMethod(supported, isRegistered);
  switch (chosen) {
    case "client_secret_basic":
      return basic(clientSecret);
    case "client_secret_post":
      return oauth.ClientSecretPost(clientSecret);
    case "none":
      return oauth.None();
    default:
      throw McpError.authError("the authorization server does not support client secrets");
  }
}

function chooseMethod(supported: readonly string[], isRegistered: boolean): string | undefined {
  const chosen = SECRET_METHODS.find((name) => supported.includes(name));
  // A server that has issued a secret expects it, by default with `client_secret_basic` (RFC 7591,
  // section 2).
  return isRegistered && chosen !== "client_secret_post" ? "client_secret_basic" : chosen;
}

/**
 * Encodes credentials for HTTP Basic authentication (RFC 6749, section 2.3.1). Escapes only the
 * characters that form encoding must escape, because many servers compare the credentials without
 * decoding them.
 */
export function basicCredentials(clientId: string, clientSecret: string): string {
  return btoa(`${formEncode(clientId)}:${formEncode(clientSecret)}`);
}

function basic(clientSecret: string): oauth.ClientAuth {
  return (_server, { client_id }, _body, headers) =>
    headers.set("authorization", `Basic ${basicCredentials(client_id, clientSecret)}`);
}

function formEncode(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}
