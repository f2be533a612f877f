/**
 * Cache for tokens of other servers.
 *
 * @module
 */

import { Quota } from "@parley/internal/quota";

/** A token, and the time until which it is used. */
export interface ExchangedToken {
  readonly token: string;
  /** In milliseconds since the Unix epoch. */
  readonly until: number;
}

/** Options for {@linkcode ExchangedTokens}. */
export interface ExchangedTokensOptions {
  /** Maximum number of tokens. */
  readonly maxEntries: number;
  /** Maximum share of the tokens per subject. */
  readonly maxSharePerPrincipal: number;
  /**
   * Returns the time until which an error is returned again, or `undefined` if it is not.
   * `failures` is the number of errors since the last token or the last error without a time.
   */
  readonly errorUntil: (error: unknown, failures: number) => number | undefined;
  /** Minimum age of a token that is requested again because its server rejects it. */
  readonly minAgeMs: number;
}

/** Options for {@linkcode ExchangedTokens.get}. */
export interface GetOptions {
  /** Subject on whose behalf the token is requested. */
  readonly subject: string;
  /** Token that its server rejects. */
  readonly refused: string | undefined;
}

/** A cached result. While the token is requested, `until` is infinite. */
interface Entry {
  readonly subject: string;
  readonly result: Promise<string>;
  until: number;
  /** The token, and the time of its arrival. */
  loaded?: { readonly token: string; readonly at: number };
  /** Number of errors since the last token. */
  failures: number;
}

/** Stores tokens until they expire, and shares the requests for them. */
export class ExchangedTokens {
  readonly #options: ExchangedTokensOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #quota: Quota;

  constructor(options: ExchangedTokensOptions) {
    this.#options = options;
    this.#quota = new Quota(options.maxEntries, options.maxSharePerPrincipal);
  }

  /**
   * Returns a stored token, or requests it. Beyond the limits, a token is requested and not stored.
   *
   * @param key Identifier of the token.
   * @param options Subject of the token, and a rejected token.
   * @param load Requests the token. Must settle within a limited time.
   */
  get(
    key: string,
    { subject, refused }: GetOptions,
    load: () => Promise<ExchangedToken>,
  ): Promise<string> {
    const known = this.#entries.get(key);
    if (known !== undefined && Date.now() < known.until && !this.#isRefused(known, refused)) {
      return known.result;
    }
    this.#delete(key);
    if (!this.#hasCapacity(subject)) return load().then(({ token }) => token);
    this.#quota.take(1, subject);
    const failures = known?.failures ?? 0;
    const entry: Entry = { subject, result: this.#load(key, load), until: Infinity, failures };
    this.#entries.set(key, entry);
    return entry.result;
  }

  async #load(key: string, load: () => Promise<ExchangedToken>): Promise<string> {
    let until: number | undefined;
    try {
      const loaded = await load();
      until = loaded.until;
      const entry = this.#entries.get(key);
      if (entry !== undefined) {
        Object.assign(entry, { loaded: { token: loaded.token, at: Date.now() }, failures: 0 });
      }
      return loaded.token;
    } catch (error) {
      const entry = this.#entries.get(key);
      if (entry !== undefined) entry.failures++;
      until = this.#options.errorUntil(error, entry?.failures ?? 1);
      throw error;
    } finally {
      const entry = this.#entries.get(key);
      if (entry !== undefined && until !== undefined) entry.until = until;
      else this.#delete(key);
    }
  }

  /** A server that rejects every token must not cause an exchange for each of its responses. */
  #isRefused({ loaded }: Entry, refused: string | undefined): boolean {
    return loaded !== undefined && loaded.token === refused &&
      Date.now() >= loaded.at + this.#options.minAgeMs;
  }

  #hasCapacity(subject: string): boolean {
    if (this.#quota.has(1, subject)) return true;
    const now = Date.now();
    for (const [key, { until }] of this.#entries) if (until <= now) this.#delete(key);
    return this.#quota.has(1, subject);
  }

  #delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#quota.take(-1, entry.subject);
  }
}
