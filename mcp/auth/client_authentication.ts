/**
 * How a client shows an authorization server who it is.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-2.3 RFC 6749, section 2.3}
 * @see {@link https://www.rfc-editor.org/rfc/rfc7523#section-2.2 RFC 7523, section 2.2}
 * @module
 */

import * as oauth from "oauth4webapi";
import { McpError } from "../shared/error.ts";
import type { ClientKey } from "./config.ts";

/** A client, as one authorization server knows it. */
export interface ClientIdentity {
  /** Its name there. */
  readonly clientId: string;
  /** Its secret, if it has one. */
  readonly clientSecret?: string;
  /** Its private key, instead of a secret. */
  readonly clientKey?: ClientKey;
  /** How it agreed to show who it is, if that was settled when it registered. */
  readonly method?: string;
  /** Whether it registered by itself, and can do so again. */
  readonly isRegistered?: boolean;
}

/** The ways to show a secret, in the order in which they are taken. */
const SECRET_METHODS = ["client_secret_basic", "client_secret_post", "none"];

/**
 * Chooses the way.
 *
 * @param identity the client
 * @param supported what the authorization server takes; RFC 8414 has a default for when it does not say
 * @throws {McpError} `auth_error` when there is no way in common
 */
export function clientAuthOf(
  { clientSecret, clientKey, method }: ClientIdentity,
  supported: readonly string[] = ["client_secret_basic"],
): oauth.ClientAuth {
  if (clientKey !== undefined) return oauth.PrivateKeyJwt(clientKey);
  if (clientSecret === undefined) return oauth.None();
  const chosen = method ?? SECRET_METHODS.find((name) => supported.includes(name));
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

/** Name and secret in one, encoded as a form is, no further: many servers compare without decoding. */
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
