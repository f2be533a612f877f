/**
 * Resolution of the keys that can verify a message.
 *
 * @module
 */

import {
  assertFunction,
  assertOptionalSignal,
  assertPositiveNumber,
} from "@parley/internal/assert-argument";
import { isCachedDocument } from "../did/cache.ts";
import {
  assertRelationship,
  type KeyEnd,
  type KeyRelationship,
  readKeys,
} from "../did/document.ts";
import { didJwkResolver } from "../did/jwk.ts";
import { didKeyResolver } from "../did/key.ts";
import type { Settings } from "@parley/internal/options";
import {
  combineResolvers,
  RESOLUTION_TIMEOUT_MS,
  type Resolvable,
  type ResolvedDocument,
  resolveDocument,
} from "../did/resolver.ts";
import { detectBackend } from "./ed25519.ts";
import type { PublicKey } from "./ed25519_strict.ts";
import { assertResolver, DEFAULT_RELATIONSHIP } from "./verify_options.ts";

/** Options for resolving a sender's keys. */
export interface SenderKeyOptions {
  /**
   * Resolver for sender DIDs. If omitted, only did:key and did:jwk are supported, which need no
   * network access.
   */
  readonly resolver?: Resolvable;
  /**
   * Verification relationship that the sender's DID document must authorize the key for.
   *
   * @default {"authentication"}
   */
  readonly relationship?: KeyRelationship;
  /**
   * Returns the current time, in milliseconds. Revoked and expired keys are not used. If the result
   * is not a finite number, the verification rejects with a `TypeError`. Defaults to `Date.now`.
   */
  readonly now?: () => number;
  /**
   * Timeout for the resolution of the sender's DID, in milliseconds. After the timeout, the
   * verification fails with `did_resolution_failed`.
   *
   * @default {10_000}
   */
  readonly timeoutMs?: number;
  /** Aborts the operation. */
  readonly signal?: AbortSignal;
}

/** Names of the options for resolving a sender's keys that have a default. */
export type SenderKeyDefault = "relationship" | "now" | "timeoutMs";

/** Options for resolving a sender's keys, with default values filled in. */
export type SenderKeySettings = Settings<SenderKeyOptions, SenderKeyDefault>;

/** Validates the options for resolving a sender's keys, and fills in default values. */
export function readSenderKeyOptions(options: SenderKeyOptions): SenderKeySettings {
  const { resolver, relationship = DEFAULT_RELATIONSHIP, now = Date.now, signal } = options;
  const { timeoutMs = RESOLUTION_TIMEOUT_MS } = options;
  if (resolver !== undefined) assertResolver("resolver", resolver);
  assertRelationship("relationship", relationship);
  assertFunction("now", now);
  assertPositiveNumber("timeoutMs", timeoutMs);
  assertOptionalSignal("signal", signal);
  return { resolver, relationship, now, timeoutMs, signal };
}

/** An imported key of a sender. */
export interface SenderKey {
  /** DID URL of the verification method. */
  readonly keyId: string;
  /** The imported key. */
  readonly key: PublicKey;
  /** The end of the key's validity. Absent if the document does not limit the validity. */
  readonly end?: KeyEnd;
}

/** Resolver for DID methods that need no network access. */
const OFFLINE_RESOLVER = combineResolvers({ key: didKeyResolver, jwk: didJwkResolver });

/**
 * Resolves a sender's DID and imports the keys that its document authorizes, including keys that
 * are no longer valid. Cached keys are not imported again.
 */
export async function openSenderKeys(
  did: string,
  settings: Omit<SenderKeySettings, "now">,
): Promise<readonly SenderKey[]> {
  const { resolver = OFFLINE_RESOLVER, relationship, timeoutMs, signal } = settings;
  signal?.throwIfAborted();
  const name = `${relationship} ${did}`;
  const known = KEY_CACHES.get(resolver)?.get(name);
  if (known !== undefined) return known;
  const document = await resolveDocument(did, resolver, { signal, timeoutMs });
  const cache = KEY_CACHES.get(resolver) ?? cacheOf(document);
  const keys = cache?.get(name) ?? await importKeys(document, relationship);
  cache?.set(name, keys);
  return keys;
}

async function importKeys(
  document: ResolvedDocument,
  relationship: KeyRelationship,
): Promise<readonly SenderKey[]> {
  const keys = readKeys(document, relationship);
  const backend = await detectBackend();
  return await Promise.all(keys.map(async ({ publicKey, ...rest }) => ({
    ...rest,
    key: await backend.openPublicKey(publicKey),
  })));
}

/**
 * Maximum number of entries per generation of {@linkcode KeyCache}. An entry occupies about 1.6 kB,
 * and resolving and importing a key again adds 22 µs to a verification of 27 µs.
 */
const GENERATION_SIZE = 1024;

/**
 * Imported keys of senders. If the current generation is full, it replaces the previous one, so the
 * cache holds 1024 to 2048 senders.
 */
class KeyCache {
  #current = new Map<string, readonly SenderKey[]>();
  #previous = new Map<string, readonly SenderKey[]>();

  get(name: string): readonly SenderKey[] | undefined {
    const keys = this.#current.get(name);
    if (keys !== undefined) return keys;
    const older = this.#previous.get(name);
    if (older !== undefined) this.set(name, older);
    return older;
  }

  set(name: string, keys: readonly SenderKey[]): void {
    if (this.#current.size >= GENERATION_SIZE) {
      this.#previous = this.#current;
      this.#current = new Map();
    }
    this.#current.set(name, keys);
  }
}

/**
 * Caches of imported keys, keyed by a source whose keys never change: the offline resolver, because
 * a did:key or did:jwk contains its key, and each document of a cached resolver, because it is
 * deeply frozen. The keys of a document are garbage-collected together with the document.
 */
const KEY_CACHES = new WeakMap<object, KeyCache>([[OFFLINE_RESOLVER, new KeyCache()]]);

/** Returns the cache for the keys of a document, or `undefined` if the document can change. */
function cacheOf(document: ResolvedDocument): KeyCache | undefined {
  const known = KEY_CACHES.get(document);
  if (known !== undefined || !isCachedDocument(document)) return known;
  const cache = new KeyCache();
  KEY_CACHES.set(document, cache);
  return cache;
}
