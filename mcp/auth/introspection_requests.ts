/**
 * Introspection requests, at a limited rate.
 *
 * @module
 */

import { Semaphore } from "@parley/internal/semaphore";
import { McpError } from "../shared/error.ts";
import { type CallContext, callWithin } from "@parley/internal/call-within";
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
 * Time for which a token that was active has precedence over unknown tokens, in milliseconds, and
 * the maximum number of such tokens.
 */
const KNOWN_MS = 600_000;
const MAX_KNOWN = 10_000;

/** Share of the requests in flight that are reserved for tokens that were active. */
const RESERVED = 0.25;

/**
 * Status codes from 400 to 499 that do not depend on the token: the credentials of the resource
 * server are invalid, the endpoint does not exist, or the server is overloaded.
 */
const SERVER_FAILURES: readonly number[] = [401, 403, 404, 405, 408, 429];

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
  /**
   * Maximum number of requests in flight. If the number is greater than 1, a quarter of it, at
   * least 1, is reserved for tokens that were active in the last 10 minutes.
   */
  readonly maxConcurrent: number;
  /** Maximum number of tokens that wait, and of tokens that were active and wait. */
  readonly maxQueued: number;
  /** Maximum time to wait for other requests, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Introspects tokens. Every token of an unidentified client needs a request, so the number of
 * requests in flight is limited, a token is introspected once at a time, and inactive tokens and
 * failures are tracked for some time. Tokens that were active recently do not wait for unknown
 * tokens, so that a client without a token cannot delay the clients with a valid token.
 */
export class IntrospectionRequests {
  readonly #options: IntrospectionRequestsOptions;
  readonly #permits: Semaphore;
  /** Permits that tokens which are not known to be active need in addition. */
  readonly #unknownPermits: Semaphore;
  readonly #cooldown = new Cooldown(MAX_FAILURES);
  /** Requests in progress, keyed by the digest of the token. */
  readonly #requests = new Map<string, Promise<Introspection>>();
  /** Times at which tokens were found to be inactive, keyed by digest, the oldest first. */
  readonly #inactive = new Map<string, number>();
  /** Times at which tokens were found to be active, keyed by digest, the oldest first. */
  readonly #known = new Map<string, number>();

  constructor(options: IntrospectionRequestsOptions) {
    this.#options = options;
    const { maxConcurrent, maxQueued } = options;
    const reserved = Math.max(Math.floor(maxConcurrent * RESERVED), 1);
    this.#permits = new Semaphore(maxConcurrent, maxQueued);
    this.#unknownPermits = new Semaphore(Math.max(maxConcurrent - reserved, 1), maxQueued);
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
    if (this.#isKnown(key)) return await this.#withPermit(token, key);
    await this.#acquire(this.#unknownPermits);
    try {
      return await this.#withPermit(token, key);
    } finally {
      this.#unknownPermits.release();
    }
  }

  async #withPermit(token: string, key: string): Promise<Introspection> {
    await this.#acquire(this.#permits);
    try {
      this.#cooldown.assertOver();
      return await this.#send(token, key);
    } finally {
      this.#permits.release();
    }
  }

  async #send(token: string, key: string): Promise<Introspection> {
    try {
      const found = await this.#options.send(token);
      this.#cooldown.succeed();
      const isActive = found.active === true;
      if (isActive) addNewest(this.#known, key, MAX_KNOWN);
      else {
        this.#known.delete(key);
        addNewest(this.#inactive, key, MAX_INACTIVE);
      }
      return found;
    } catch (error) {
      // A client without a token could otherwise pause the verification of all tokens, for example
      // with tokens that are too long for the authorization server.
      if (!isCausedByToken(error)) this.#cooldown.fail(error);
      throw error;
    }
  }

  #isKnown(key: string): boolean {
    const activeSince = this.#known.get(key);
    return activeSince !== undefined && isWithin(activeSince, KNOWN_MS);
  }

  async #acquire(permits: Semaphore): Promise<void> {
    const { timeoutMs } = this.#options;
    const late = (): McpError =>
      McpError.authError(
        `waiting for other introspection requests timed out after ${timeoutMs} ms`,
      );
    const call = async ({ signal }: CallContext): Promise<void> => {
      const acquired = permits.acquire(signal);
      if (acquired === undefined) {
        throw McpError.authError('too many tokens wait for introspection: "maxQueued" is exceeded');
      }
      await acquired;
    };
    await callWithin(call, { signal: undefined, timeoutMs, late });
  }
}

/** Adds a key with the current time, and removes the oldest key beyond the maximum. */
function addNewest(times: Map<string, number>, key: string, max: number): void {
  times.delete(key);
  times.set(key, Date.now());
  const [oldest] = times.keys();
  if (times.size > max && oldest !== undefined) times.delete(oldest);
}

/** Returns `true` if a request has failed because of its token, not because of the server. */
function isCausedByToken(error: unknown): boolean {
  if (!(error instanceof McpError) || error.httpStatus === undefined) return false;
  const { httpStatus } = error;
  return httpStatus >= 400 && httpStatus < 500 && !SERVER_FAILURES.includes(httpStatus);
}

async function digest(token: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token));
  return toBase64Url(new Uint8Array(hash));
}
