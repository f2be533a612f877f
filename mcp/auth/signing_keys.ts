/**
 * Signing keys of an authorization server.
 *
 * @module
 */

import { McpError } from "../shared/error.ts";
import type { AuthHttpClient } from "./auth_http_client.ts";
import { discoverIssuer } from "./discovery.ts";
import { type FindKey, readKeySet, type TokenHeader, type VerificationKey } from "./jwt.ts";
import { SharedLoad } from "./shared_load.ts";
import { createVerifierClient, type VerifierSettings } from "./token_verifier.ts";
import { parseTrustedUrl } from "./url_policy.ts";

/** Age at which known keys are fetched again, in milliseconds. */
const FRESH_MS = 600_000;

/**
 * Minimum time between two requests for unknown keys, in milliseconds. Clients without a valid
 * token choose the keys that their tokens name.
 */
const UNKNOWN_KEY_MS = 30_000;

/**
 * Maximum age of keys that are used while they cannot be fetched again, in milliseconds. A key that
 * the authorization server has withdrawn is not accepted longer.
 */
const USABLE_MS = 3_600_000;

/** Signing keys of an authorization server, which all requests share. */
export class SigningKeys {
  readonly #issuer: string;
  readonly #web: AuthHttpClient;
  readonly #url: SharedLoad<string>;
  readonly #keys: SharedLoad<FindKey>;

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
    const findUrl = async (): Promise<string> => fixed ?? await this.#discover(server);
    this.#url = new SharedLoad({ load: findUrl, usableMs: Infinity });
    this.#keys = new SharedLoad({ load: () => this.#load(), usableMs: USABLE_MS });
  }

  /**
   * Finds the key for a token. Returns `undefined` if the authorization server has no such key.
   *
   * @throws {McpError} With code `auth_error` if the keys are not available. A key that is not
   * among the known keys may be new, so it counts as not available while they cannot be fetched.
   */
  async find(header: TokenHeader): Promise<VerificationKey | undefined> {
    const known = await this.#keys.get(FRESH_MS);
    const key = await known(header);
    if (key !== undefined) return key;
    const newest = await this.#keys.get(UNKNOWN_KEY_MS);
    if (this.#keys.isFailing) throw this.#unavailable();
    return newest === known ? undefined : await newest(header);
  }

  async #load(): Promise<FindKey> {
    // The URL may have changed if the keys could not be fetched.
    const url = await this.#url.get(this.#keys.isFailing ? FRESH_MS : Infinity);
    const response = await this.#web.fetch(url, { headers: { accept: "application/json" } });
    const keys = readKeySet(await response.text());
    if (response.status === 200 && keys !== undefined) return keys;
    throw this.#unavailable(response.status);
  }

  #unavailable(httpStatus?: number): McpError {
    const problem = `signing keys of "${this.#issuer}" are unavailable`;
    return McpError.authError(problem, httpStatus === undefined ? {} : { httpStatus });
  }

  async #discover(server: URL): Promise<string> {
    const policy = { server, allowPrivateAddresses: false };
    const { jwks_uri } = await discoverIssuer(this.#web, policy, this.#issuer) ?? {};
    if (jwks_uri !== undefined) return jwks_uri;
    throw McpError.authError(`metadata for "${this.#issuer}" has no "jwks_uri"`);
  }
}
