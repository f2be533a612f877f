/**
 * Introspection requests, at a limited rate.
 *
 * @module
 */

import { Semaphore } from "@parley/internal/semaphore";
import { McpError } from "../shared/error.ts";
import { boundedCall } from "./bounded_call.ts";
import { Cooldown, isWithin } from "./cooldown.ts";
import { toBase64Url } from "./base64url.ts";

/**
 * Time for which an inactive token is not introspected again, in milliseconds. The authorization
 * server does not activate a token later.
 */
const INACTIVE_MS = 10_000;

/** Maximum number of inactive tokens that are tracked. */
const MAX_INACTIVE = 1000;

/**
 * Number of consecutive failures after which no requests are sent for some time. One failure can be
 * caused by the token, if the authorization server does not respond correctly to it.
 */
const MAX_FAILURES = 3;

/** Members of an introspection response. */
export type Introspection = Readonly<Record<string, unknown>>;

/** Options for {@linkcode IntrospectionRequests}. */
export interface IntrospectionRequestsOptions {
  /** Sends an introspection request. Must settle within a limited time. */
  readonly send: (token: string) => Promise<Introspection>;
  /** Maximum number of requests in flight. */
  readonly maxConcurrent: number;
  /** Maximum number of tokens that wait. */
  readonly maxQueued: number;
  /** Maximum time to wait for other requests, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Introspects tokens. Every token of an unidentified client needs a request, so the number of
 * requests in flight is limited, a token is introspected once at a time, and inactive tokens and
 * failures are tracked for some time.
 */
export class IntrospectionRequests {
  readonly #options: IntrospectionRequestsOptions;
  readonly #permits: Semaphore;
  readonly #cooldown = new Cooldown(MAX_FAILURES);
  /** Requests in progress, keyed by the digest of the token. */
  readonly #requests = new Map<string, Promise<Introspection>>();
  /** Times at which tokens were found to be inactive, keyed by digest, the oldest first. */
  readonly #inactive = new Map<string, number>();

  constructor(options: IntrospectionRequestsOptions) {
    this.#options = options;
    this.#permits = new Semaphore(options.maxConcurrent, options.maxQueued);
  }

  /**
   * Introspects a token.
   *
   * @throws {McpError} With code `auth_error` if the authorization server is not available or too
   * many tokens wait.
   */
  async introspect(token: string): Promise<Introspection> {
    const key = await digest(token);
    const inactiveSince = this.#inactive.get(key);
    if (inactiveSince !== undefined && isWithin(inactiveSince, INACTIVE_MS)) {
      return { active: false };
    }
    const running = this.#requests.get(key);
    if (running !== undefined) return await running;
    const request = this.#introspect(token, key).finally(() => this.#requests.delete(key));
    this.#requests.set(key, request);
    return await request;
  }

  async #introspect(token: string, key: string): Promise<Introspection> {
    this.#cooldown.assertOver();
    await this.#acquire();
    try {
      this.#cooldown.assertOver();
      const found = await this.#options.send(token);
      this.#cooldown.succeed();
      if (found.active !== true) this.#addInactive(key);
      return found;
    } catch (error) {
      this.#cooldown.fail(error);
      throw error;
    } finally {
      this.#permits.release();
    }
  }

  async #acquire(): Promise<void> {
    const { timeoutMs } = this.#options;
    const late = (): McpError =>
      McpError.authError(
        `waiting for other introspection requests timed out after ${timeoutMs} ms`,
      );
    const call = async (signal: AbortSignal): Promise<void> => {
      const acquired = this.#permits.acquire(signal);
      if (acquired === undefined) {
        throw McpError.authError('too many tokens wait for introspection: "maxQueued" is exceeded');
      }
      await acquired;
    };
    await boundedCall(call, { signal: undefined, timeoutMs, late });
  }

  #addInactive(key: string): void {
    this.#inactive.delete(key);
    this.#inactive.set(key, Date.now());
    const [oldest] = this.#inactive.keys();
    if (this.#inactive.size > MAX_INACTIVE && oldest !== undefined) this.#inactive.delete(oldest);
  }
}

async function digest(token: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token));
  return toBase64Url(new Uint8Array(hash));
}
