/**
 * Resolving each DID once: a cache in front of a resolver.
 *
 * @module
 */

import { abortable } from "../shared/abortable.ts";
import { copyJson } from "../shared/json.ts";
import {
  createFailure,
  type DidResolutionOptions,
  type DidResolutionResult,
  type Resolvable,
} from "./resolver.ts";

/** Limits of {@linkcode cachedResolver}. */
export interface CachedResolverOptions {
  /** How long a document is kept, in milliseconds; the default is 5 minutes. A revoked key is trusted that long. */
  readonly ttlMs?: number;
  /** How long a failure is kept, in milliseconds; the default is 30 seconds. A rejection is not kept. */
  readonly negativeTtlMs?: number;
  /** How many DIDs are kept, the least recently used being dropped first; the default is 1000. */
  readonly maxEntries?: number;
  /** The clock, in milliseconds; the default is `Date.now`. */
  readonly now?: () => number;
}

/**
 * Puts a cache in front of a resolver: several who ask for one DID at a time share one resolution, and keys of a cached
 * document are made ready once, which saves time with did:key as well.
 *
 * A caller's signal ends that caller's wait; the resolution ends when nobody waits any more.
 *
 * @param resolver who resolves what is not in the cache
 * @param options limits
 * @throws {RangeError} when a limit is negative or no number, or `maxEntries` not an integer of at least 1
 *
 * @example Ask once
 * ```ts
 * import { cachedResolver, didKeyResolver, resolveDid } from "@parley/comm/did";
 * import { assertEquals } from "@std/assert";
 *
 * let asked = 0;
 * const resolver = cachedResolver({
 *   resolve: (did) => {
 *     asked++;
 *     return didKeyResolver.resolve(did);
 *   },
 * });
 * const did = "did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw";
 * await Promise.all([resolveDid(did, resolver), resolveDid(did, resolver)]);
 * await resolveDid(did, resolver);
 * assertEquals(asked, 1);
 * ```
 */
export function cachedResolver(
  resolver: Resolvable,
  options: CachedResolverOptions = {},
): Resolvable {
  const { ttlMs = 300_000, negativeTtlMs = 30_000, maxEntries = 1000, now = Date.now } = options;
  for (const [name, value] of Object.entries({ ttlMs, negativeTtlMs })) {
    if (!(value >= 0)) throw new RangeError(`"${name}" must not be negative, got ${value}`);
  }
  if (!Number.isInteger(maxEntries) || maxEntries < 1) {
    throw new RangeError(`"maxEntries" must be a positive integer, got ${maxEntries}`);
  }
  const cache = new Cache(resolver, { ttlMs, negativeTtlMs, maxEntries, now });
  return { resolve: (did, how) => cache.resolve(did, how) };
}

/** Results that only this file could have changed, and does not. */
const CACHED_RESULTS = new WeakSet<DidResolutionResult>();

/** Whether a result is frozen for good, so that what is derived from it stays true. */
export function isCachedResult(result: DidResolutionResult): boolean {
  return CACHED_RESULTS.has(result);
}

interface Entry {
  readonly result: DidResolutionResult;
  readonly expiresMs: number;
}

interface SharedResolution {
  readonly promise: Promise<DidResolutionResult>;
  readonly controller: AbortController;
  waiters: number;
}

class Cache {
  readonly #resolver: Resolvable;
  readonly #options: Required<CachedResolverOptions>;
  readonly #entries = new Map<string, Entry>();
  readonly #pending = new Map<string, SharedResolution>();
  /** The entry at the end of the line, where those are that shall be kept longest. */
  #lastUsed: string | undefined;

  constructor(resolver: Resolvable, options: Required<CachedResolverOptions>) {
    this.#resolver = resolver;
    this.#options = options;
  }

  resolve(did: string, options: DidResolutionOptions = {}): Promise<DidResolutionResult> {
    const { signal } = options;
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    const cached = this.#read(did);
    return cached === undefined ? this.#resolveUncached(did, options) : Promise.resolve(cached);
  }

  async #resolveUncached(did: string, options: DidResolutionOptions): Promise<DidResolutionResult> {
    const pending = this.#pending.get(did);
    if (pending === undefined && this.#pending.size >= this.#options.maxEntries) {
      return await this.#resolver.resolve(did, options);
    }
    return await this.#waitFor(did, pending ?? this.#start(did), options.signal);
  }

  #read(did: string): DidResolutionResult | undefined {
    const entry = this.#entries.get(did);
    if (entry === undefined) return undefined;
    const isFresh = entry.expiresMs > this.#options.now();
    // Conversations ask for one DID again and again, which is then the last used already.
    if (isFresh && did === this.#lastUsed) return entry.result;
    this.#entries.delete(did);
    if (!isFresh) return undefined;
    this.#entries.set(did, entry);
    this.#lastUsed = did;
    return entry.result;
  }

  #start(did: string): SharedResolution {
    const controller = new AbortController();
    const promise = this.#resolver.resolve(did, { signal: controller.signal })
      .then((result) => this.#write(did, freeze(result)))
      .finally(() => {
        if (this.#pending.get(did) === pending) this.#pending.delete(did);
      });
    const pending: SharedResolution = { promise, controller, waiters: 0 };
    this.#pending.set(did, pending);
    return pending;
  }

  async #waitFor(
    did: string,
    pending: SharedResolution,
    signal: AbortSignal | undefined,
  ): Promise<DidResolutionResult> {
    pending.waiters++;
    try {
      return await abortable(pending.promise, signal);
    } catch (error) {
      if (pending.waiters === 1 && signal?.aborted === true) {
        this.#cancel(did, pending, signal.reason);
      }
      throw error;
    } finally {
      pending.waiters--;
    }
  }

  /** The last one who waited gave up: later callers shall not join a resolution that was ended. */
  #cancel(did: string, pending: SharedResolution, reason: unknown): void {
    if (this.#pending.get(did) === pending) this.#pending.delete(did);
    pending.controller.abort(reason);
  }

  #write(did: string, result: DidResolutionResult): DidResolutionResult {
    const { ttlMs, negativeTtlMs, maxEntries, now } = this.#options;
    const lifetime = result.didDocument === null ? negativeTtlMs : ttlMs;
    this.#entries.delete(did);
    this.#entries.set(did, { result, expiresMs: now() + lifetime });
    this.#lastUsed = did;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= maxEntries) break;
      this.#entries.delete(oldest);
    }
    return result;
  }
}

/** Copies and freezes a foreign result, so that nobody can change what the cache will answer. */
function freeze(result: DidResolutionResult): DidResolutionResult {
  const { didDocument, didResolutionMetadata, didDocumentMetadata } = result;
  const error = didResolutionMetadata?.error;
  if (error !== undefined || (didDocument ?? null) === null) {
    return Object.freeze(createFailure(error ?? "notFound"));
  }
  const document = copyJson(didDocument, { frozen: true });
  const deactivated = didDocumentMetadata?.deactivated === true;
  const frozen = Object.freeze({
    didDocument: document,
    didResolutionMetadata: Object.freeze({}),
    didDocumentMetadata: Object.freeze(deactivated ? { deactivated } : {}),
  });
  CACHED_RESULTS.add(frozen);
  return frozen;
}
