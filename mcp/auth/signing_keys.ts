/**
 * Signing keys of an authorization server.
 *
 * @module
 */

import type * as oauth from "oauth4webapi";
import { McpError } from "../shared/error.ts";
import type { AuthHttpClient } from "./auth_http_client.ts";
import { discoverIssuer } from "./discovery.ts";
import { parseObject } from "./parse_object.ts";
import { SharedLoad } from "./shared_load.ts";
import { createVerifierClient, type VerifierSettings } from "./token_verifier.ts";
import { parseTrustedUrl } from "./url_policy.ts";

/**
 * Minimum time between two requests for the keys, in milliseconds. Tokens with unknown keys do not
 * cause more requests.
 */
const MIN_INTERVAL_MS = 30_000;

/**
 * Time for which keys are used while the authorization server is not available, in milliseconds.
 * `oauth4webapi` uses keys for another 5 minutes, which gives one hour. A key that the
 * authorization server has withdrawn is not accepted longer.
 */
const USABLE_MS = 55 * 60_000;

/** Signing keys of an authorization server, which all requests share. */
export class SigningKeys {
  readonly #issuer: string;
  readonly #web: AuthHttpClient;
  readonly #server: SharedLoad<oauth.AuthorizationServer & { readonly jwks_uri: string }>;
  readonly #keys: SharedLoad<string>;

  /**
   * Sends no request.
   *
   * @param jwksUri URL of the JSON Web Key Set; by default, the URL in the metadata of the issuer.
   * @throws {McpError} With code `auth_error` if a URL is neither an HTTPS URL nor a loopback HTTP
   * URL.
   */
  constructor(issuer: string, jwksUri: string | undefined, settings: VerifierSettings) {
    const server = parseTrustedUrl(issuer, '"issuer"');
    const fixed = jwksUri === undefined ? undefined : parseTrustedUrl(jwksUri, '"jwksUri"').href;
    this.#issuer = issuer;
    this.#web = createVerifierClient(settings);
    this.#server = new SharedLoad({
      load: async () => ({ issuer, jwks_uri: fixed ?? await this.#discover(server) }),
      freshMs: Infinity,
      usableMs: Infinity,
    });
    const load = (): Promise<string> => this.#load();
    this.#keys = new SharedLoad({ load, freshMs: MIN_INTERVAL_MS, usableMs: USABLE_MS });
  }

  /** Whether the last request for the keys has failed, so that new keys may be unknown. */
  get isFailing(): boolean {
    return this.#keys.isFailing;
  }

  /**
   * Returns the authorization server, whose metadata is fetched once.
   *
   * @throws {McpError} With code `auth_error` if the metadata is not available.
   */
  server(): Promise<oauth.AuthorizationServer> {
    return this.#server.get();
  }

  /**
   * Returns a response with the key set, which may have been fetched before.
   *
   * @throws {McpError} With code `auth_error` if the keys are not available.
   */
  readonly fetch = async (): Promise<Response> =>
    new Response(await this.#keys.get(), { headers: { "content-type": "application/json" } });

  async #load(): Promise<string> {
    const { jwks_uri } = await this.#server.get();
    const response = await this.#web.fetch(jwks_uri, { headers: { accept: "application/json" } });
    const text = await response.text();
    if (response.status === 200 && Array.isArray(parseObject(text)?.keys)) return text;
    throw McpError.authError(`signing keys of "${this.#issuer}" are unavailable`, {
      httpStatus: response.status,
    });
  }

  async #discover(server: URL): Promise<string> {
    const policy = { server, allowPrivateAddresses: false };
    const { jwks_uri } = await discoverIssuer(this.#web, policy, this.#issuer) ?? {};
    if (jwks_uri !== undefined) return jwks_uri;
    throw McpError.authError(`metadata for "${this.#issuer}" has no "jwks_uri"`);
  }
}
