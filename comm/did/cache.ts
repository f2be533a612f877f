/**
 * A cache for DID resolution results.
 *
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import { askClock } from "@parley/internal/ask-clock";
import { timedOut } from "../shared/error.ts";
import { copyJson } from "../shared/json.ts";
import {
  assertCount,
  assertFunction,
  assertNonNegative,
  assertPositiveNumber,
} from "@parley/internal/assert-argument";
import { optionsReader, type Settings, withDefault } from "@parley/internal/options";
import { LruEntries } from "../shared/lru_entries.ts";
import { isSelfContained, partyOf } from "../shared/party.ts";
import { callWithin } from "@parley/internal/call-within";
import {
  type DidResolutionOptions,
  type DidResolutionResult,
  isDeactivated,
  RESOLUTION_TIMEOUT_MS,
  type Resolvable,
} from "./resolver.ts";

/** Options for {@linkcode cachedResolver}. */
export interface CachedResolverOptions {
  /**
   * Lifetime of a cached document, in milliseconds. If a key is revoked, a cached document keeps
   * the key trusted for up to `ttlMs`.
   *
   * @default {300_000}
   */
  readonly ttlMs?: number;
  /**
   * Lifetime of a cached resolution failure, in milliseconds. Rejected promises are not cached, and
   * neither are failures with `invalidDid`, `invalidDidUrl` and `methodNotSupported`, which need no
   * network access, and with `tooManyRequests`: a short flood of forged messages would otherwise
   * lock out a sender for `negativeTtlMs`.
   *
   * @default {30_000}
   */
  readonly negativeTtlMs?: number;
  /**
   * Maximum number of cached DIDs. If the cache is full, the party with the most entries loses its
   * least recently used entry. All did:web DIDs with the same domain are one party, and so are all
   * DIDs of another method whose documents must be fetched. `maxEntries` and `maxBytes` apply
   * separately to documents that were fetched, to documents of DIDs that contain their keys
   * (did:key, did:jwk), and to failures: forged messages cause any number of the latter two, which
   * must not evict the former.
   *
   * @default {1000}
   */
  readonly maxEntries?: number;
  /**
   * Maximum total memory of the cached results, in bytes. The memory usage of a result is estimated
   * from its values: a document of 64 KiB can take more than 1 MiB. If the memory is used up, the
   * party that uses most of it loses its least recently used entry. A result that alone exceeds
   * `maxBytes` is not cached.
   *
   * @default {16_777_216}
   */
  readonly maxBytes?: number;
  /**
   * Timeout for a resolution that concurrent calls share, in milliseconds. After the timeout, the
   * calls reject.
   *
   * @default {10_000}
   */
  readonly timeoutMs?: number;
  /**
   * Returns the current time, in milliseconds. If the result is not a finite number, `resolve`
   * rejects with a `TypeError`. Defaults to `Date.now`.
   */
  readonly now?: () => number;
}

type CacheSettings = Settings<CachedResolverOptions, keyof CachedResolverOptions>;

const readOptions = optionsReader<CachedResolverOptions>("options")({
  ttlMs: withDefault(300_000, assertNonNegative),
  negativeTtlMs: withDefault(30_000, assertNonNegative),
  maxEntries: withDefault(1000, assertCount),
  maxBytes: withDefault(16_777_216, assertCount),
  timeoutMs: withDefault(RESOLUTION_TIMEOUT_MS, assertPositiveNumber),
  now: withDefault((): number => Date.now(), assertFunction),
});

/**
 * Creates a resolver that caches the results of another resolver. Concurrent calls for the same DID
 * share one resolution. Keys in a cached document are imported only once, so the cache speeds up
 * verification even for did:key.
 *
 * Aborting a caller's signal rejects only that caller's promise. A shared resolution is aborted
 * when all of its callers have aborted.
 *
 * @param resolver Resolver to call on a cache miss.
 * @param options Lifetimes of entries, size of the cache, and timeout.
 * @throws {TypeError} If `now` is not a function, or an option is unknown.
 * @throws {RangeError} If a lifetime is negative or `NaN`, or if `maxEntries` or `maxBytes` is
 *   not a positive integer, or if `timeoutMs` is not positive.
 *
 * @example Resolve a DID only once
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
  const cache = new Cache(resolver, readOptions(options));
  return { resolve: (did, how) => cache.resolve(did, how) };
}

/**
 * Deeply frozen documents that this module has created. Code outside this module cannot mark its
 * own documents as created by this module.
 */
const CACHED_DOCUMENTS = new WeakSet<object>();

/**
 * Returns `true` if a document was created by this module. A document created by this module is
 * deeply frozen, so values derived from it can be cached.
 */
export function isCachedDocument(document: object): boolean {
  return CACHED_DOCUMENTS.has(document);
}

interface Entry {
  readonly result: DidResolutionResult;
  readonly storedMs: number;
  readonly lifetimeMs: number;
  /** Estimated memory of the entry, in bytes. */
  readonly bytes: number;
}

interface SharedResolution {
  readonly promise: Promise<DidResolutionResult>;
  readonly controller: AbortController;
  waiters: number;
}

/**
 * Failures that a resolver finds without network access. They are not cached: any agent can cause
 * any number of them.
 */
const LOCAL_FAILURES: ReadonlySet<string> = new Set([
  "invalidDid",
  "invalidDidUrl",
  "methodNotSupported",
]);

class Cache {
  readonly #resolver: Resolvable;
  readonly #options: CacheSettings;
  /** Documents that were fetched. */
  readonly #documents: LruEntries<Entry>;
  /** Documents of DIDs that contain their keys. Any agent can create any number of them. */
  readonly #selfContained: LruEntries<Entry>;
  /** Failures, which any agent can cause, too. */
  readonly #failures: LruEntries<Entry>;
  readonly #pending = new Map<string, SharedResolution>();

  constructor(resolver: Resolvable, options: CacheSettings) {
    this.#resolver = resolver;
    this.#options = options;
    this.#documents = new LruEntries(options);
    this.#selfContained = new LruEntries(options);
    this.#failures = new LruEntries(options);
  }

  async resolve(did: string, options: DidResolutionOptions = {}): Promise<DidResolutionResult> {
    options.signal?.throwIfAborted();
    return this.#read(did) ?? await this.#resolveUncached(did, options);
  }

  async #resolveUncached(did: string, options: DidResolutionOptions): Promise<DidResolutionResult> {
    const pending = this.#pending.get(did);
    if (pending === undefined && this.#pending.size >= this.#options.maxEntries) {
      return await this.#callResolver(did, options.signal);
    }
    return await this.#waitFor(did, pending ?? this.#start(did), options.signal);
  }

  #read(did: string): DidResolutionResult | undefined {
    const documents = this.#documentsOf(did);
    const document = documents.use(did);
    const entry = document ?? this.#failures.use(did);
    if (entry === undefined) return undefined;
    const ageMs = askClock(this.#options.now) - entry.storedMs;
    // If the clock has been set back, the age of the entry is unknown.
    if (ageMs >= 0 && ageMs < entry.lifetimeMs) return entry.result;
    if (document === undefined) this.#failures.delete(did);
    else documents.delete(did);
    return undefined;
  }

  #documentsOf(did: string): LruEntries<Entry> {
    return isSelfContained(did) ? this.#selfContained : this.#documents;
  }

  #start(did: string): SharedResolution {
    const controller = new AbortController();
    const promise = this.#callResolver(did, controller.signal)
      .then((result) => this.#write(did, freeze(result)))
      .finally(() => {
        if (this.#pending.get(did) === pending) this.#pending.delete(did);
      });
    const pending: SharedResolution = { promise, controller, waiters: 0 };
    this.#pending.set(did, pending);
    return pending;
  }

  async #callResolver(did: string, caller: AbortSignal | undefined): Promise<DidResolutionResult> {
    const { timeoutMs } = this.#options;
    const late = (): Error => timedOut("resolve DID", timeoutMs);
    const settings = { signal: caller, timeoutMs, late };
    return await callWithin((context) => this.#resolver.resolve(did, context), settings);
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

  /** Aborts a resolution that has no callers left, so that a later call starts a new resolution. */
  #cancel(did: string, pending: SharedResolution, reason: unknown): void {
    if (this.#pending.get(did) === pending) this.#pending.delete(did);
    pending.controller.abort(reason);
  }

  #write(did: string, result: DidResolutionResult): DidResolutionResult {
    const { ttlMs, negativeTtlMs, now } = this.#options;
    const { didDocument, didResolutionMetadata: { error } } = result;
    if (error === "tooManyRequests" || LOCAL_FAILURES.has(error ?? "")) return result;
    const bytes = estimateBytes(did) + estimateBytes(result);
    const isFailure = didDocument === null;
    const lifetimeMs = isFailure ? negativeTtlMs : ttlMs;
    const entries = isFailure ? this.#failures : this.#documentsOf(did);
    entries.add(did, { result, storedMs: askClock(now), lifetimeMs, bytes }, partyOf(did));
    return result;
  }
}

/**
 * Memory usage of an object member, excluding its name and value, if the object has a unique shape.
 */
const MEMBER_BYTES = 96;

/**
 * Estimates the memory usage of a JSON value, in bytes. The estimate uses V8's object sizes: 2
 * bytes per UTF-16 code unit, 24 bytes for a number in an array, and at least 64 bytes for an
 * object or array.
 */
function estimateBytes(value: unknown): number {
  if (typeof value === "string") return 32 + 2 * value.length;
  if (typeof value === "number") return 24;
  if (typeof value !== "object" || value === null) return 8;
  if (Array.isArray(value)) {
    return value.reduce<number>((bytes, each) => bytes + estimateBytes(each), 64);
  }
  return Object.entries(value).reduce(
    (bytes, [name, member]) => bytes + MEMBER_BYTES + estimateBytes(name) + estimateBytes(member),
    64,
  );
}

/** Copies and freezes a result, so that no other code can modify a cached value. */
function freeze(result: DidResolutionResult): DidResolutionResult {
  const { didDocument, didResolutionMetadata, didDocumentMetadata } = result;
  const wasDeactivated = isDeactivated(didDocumentMetadata?.deactivated);
  // A resolver can omit the document of a deactivated DID.
  const isMissing = (didDocument ?? null) === null && !wasDeactivated;
  const given = didResolutionMetadata?.error;
  const error = given === undefined && isMissing ? "notFound" : given;
  const document = error === undefined ? copyJson(didDocument ?? null, { frozen: true }) : null;
  if (typeof document === "object" && document !== null) CACHED_DOCUMENTS.add(document);
  return Object.freeze({
    didDocument: document,
    didResolutionMetadata: Object.freeze(error === undefined ? {} : { error }),
    didDocumentMetadata: Object.freeze(wasDeactivated ? { deactivated: true } : {}),
  });
}
