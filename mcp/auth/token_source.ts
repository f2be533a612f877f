/**
 * Access tokens of a client that a function of the program supplies.
 *
 * @module
 */

import { callWithin } from "@parley/internal/call-within";
import { McpError } from "../shared/error.ts";
import { Secrets } from "./redact_secrets.ts";
import { joinScopes } from "./scope.ts";
import {
  readTokenSource,
  type TokenSourceConfig,
  type TokenSourceSettings,
} from "./token_source_config.ts";
import { isSendable } from "./tokens.ts";
import { parseTrustedUrl } from "./url_policy.ts";
import type { AuthChallenge } from "./www_authenticate.ts";

/** Maximum length of the scopes that are remembered, in characters. */
const MAX_SCOPE_CHARS = 8192;

/** Calls the function that returns tokens, and remembers the scopes that the server demands. */
export class TokenSource {
  /** Maximum number of times that a request is repeated with another token. */
  readonly maxAttempts: number;
  readonly #settings: TokenSourceSettings;
  readonly #resource: string;
  readonly #secrets = new Secrets();
  #scope: string | undefined;

  /**
   * Creates a token source.
   *
   * @param at The settings, as the caller spells them.
   * @throws {TypeError} If a name is not an option, or an option has the wrong type.
   * @throws {McpError} With code `auth_error` if the server URL is neither an HTTPS URL nor a
   * loopback HTTP URL.
   */
  constructor(config: TokenSourceConfig, at: string, resource: string) {
    parseTrustedUrl(resource, "the server URL");
    this.#settings = readTokenSource(config, at);
    this.maxAttempts = this.#settings.maxAttempts;
    this.#resource = resource;
  }

  /** Removes the tokens from a text, and the values of parameters that are always secret. */
  hide(text: string): string {
    return this.#secrets.hide(text);
  }

  /** Removes only the tokens from a text; see {@linkcode Secrets.hideKnown}. */
  hideKnown(text: string): string {
    return this.#secrets.hideKnown(text);
  }

  /** Returns the error, or a copy without the tokens if the error contains one. */
  clean(error: unknown): unknown {
    return this.#secrets.clean(error);
  }

  /**
   * Returns a token for a request.
   *
   * @throws {McpError} With code `auth_error` if the function fails, times out or returns a value
   * that is not a token. An {@linkcode McpError} of the function is passed on.
   * @throws The signal's reason if the signal is aborted.
   */
  async token(signal: AbortSignal | undefined): Promise<string> {
    return await this.#ask({ scope: this.#scope, refused: undefined }, signal);
  }

  /** Returns a token for a request that the server has rejected with a challenge. */
  async renew(
    stale: string,
    { kind, scope: demanded }: AuthChallenge,
    signal: AbortSignal | undefined,
  ): Promise<string> {
    const scope = this.#withDemanded(demanded);
    const token = await this.#ask({ scope, refused: kind === "token" ? stale : undefined }, signal);
    // Another request may have received a demand since then.
    this.#scope = this.#withDemanded(demanded);
    return token;
  }

  /** Returns the remembered scopes and the demanded scopes, or only these if they are too long. */
  #withDemanded(demanded: string | undefined): string | undefined {
    const joined = joinScopes(this.#scope, demanded);
    return joined !== undefined && joined.length > MAX_SCOPE_CHARS ? demanded : joined;
  }

  async #ask(
    { scope, refused }: {
      readonly scope: string | undefined;
      readonly refused: string | undefined;
    },
    signal: AbortSignal | undefined,
  ): Promise<string> {
    const { token: getToken, requestTimeoutMs: timeoutMs } = this.#settings;
    const late = (): McpError => McpError.authError(`"token" timed out after ${timeoutMs} ms`);
    const token: unknown = await callWithin(
      (call) =>
        getToken({
          resource: this.#resource,
          ...(scope === undefined ? {} : { scope }),
          ...(refused === undefined ? {} : { refused }),
          signal: call.signal,
        }),
      { signal, timeoutMs, late },
    ).catch((cause: unknown) => {
      signal?.throwIfAborted();
      if (cause instanceof McpError) throw cause;
      // The message of the cause can contain a secret.
      throw McpError.authError('"token" failed', { cause });
    });
    if (typeof token !== "string" || !isSendable(token)) {
      throw McpError.authError('"token" must return the text of an access token');
    }
    this.#secrets.add(token);
    return token;
  }
}
