/**
 * Resolution of the keys that can verify a message.
 *
 * @module
 */

import { assertFunction, assertOptionalSignal } from "@parley/internal/assert-argument";
import { isCachedResult } from "../did/cache.ts";
import {
  assertRelationship,
  type KeyEnd,
  type KeyRelationship,
  readKeys,
  takeCurrentKeys,
} from "../did/document.ts";
import { didJwkResolver } from "../did/jwk.ts";
import { didKeyResolver } from "../did/key.ts";
import type { Settings } from "@parley/internal/options";
import {
  callResolver,
  combineResolvers,
  type DidResolutionResult,
  readResult,
  type Resolvable,
  type ResolvedDocument,
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
   * Returns the current time, in milliseconds. Revoked and expired keys are not used. Defaults to
   * `Date.now`.
   */
  readonly now?: () => number;
  /** Aborts the operation. */
  readonly signal?: AbortSignal;
}

/** Options for resolving a sender's keys, with default values filled in. */
export type SenderKeySettings = Settings<SenderKeyOptions, "relationship" | "now">;

/** Validates the options for resolving a sender's keys, and fills in default values. */
export function readSenderKeyOptions(options: SenderKeyOptions): SenderKeySettings {
  const { resolver, relationship = DEFAULT_RELATIONSHIP, now = Date.now, signal } = options;
  if (resolver !== undefined) assertResolver("resolver", resolver);
  assertRelationship("relationship", relationship);
  assertFunction("now", now);
  assertOptionalSignal("signal", signal);
  return { resolver, relationship, now, signal };
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
 * Resolves a sender's DID and imports the authorized keys. Returns the keys that are currently
 * valid.
 */
export async function openSenderKeys(
  did: string,
  settings: SenderKeySettings,
): Promise<readonly SenderKey[]> {
  return takeCurrentKeys(await openAuthorizedKeys(did, settings), did, settings.now());
}

/**
 * Resolves a sender's DID and imports the authorized keys, including keys that are no longer valid.
 */
export async function openAuthorizedKeys(
  did: string,
  settings: Pick<SenderKeySettings, "resolver" | "relationship" | "signal">,
): Promise<readonly SenderKey[]> {
  const { resolver, relationship, signal } = settings;
  if (resolver !== undefined) return await resolveKeys(did, resolver, { relationship, signal });
  signal?.throwIfAborted();
  const name = `${relationship} ${did}`;
  const known = OFFLINE_KEYS.get(name);
  if (known !== undefined) return known;
  const keys = await resolveKeys(did, OFFLINE_RESOLVER, { relationship, signal });
  OFFLINE_KEYS.set(name, keys);
  return keys;
}

/** Maximum number of entries per generation of {@linkcode KeyCache}. */
const GENERATION_SIZE = 128;

/**
 * Imported keys of senders whose DID documents never change: did:key and did:jwk. If a sender's
 * keys are cached, only the signature of a message needs to be verified. If the current generation
 * is full, it replaces the previous one, so the cache holds 128 to 256 senders.
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

const OFFLINE_KEYS = new KeyCache();

async function resolveKeys(
  did: string,
  resolver: Resolvable,
  { relationship, signal }: Pick<SenderKeySettings, "relationship" | "signal">,
): Promise<readonly SenderKey[]> {
  const result = await callResolver(did, resolver, signal);
  const opened = OPENED_KEYS.get(result)?.find((keys) =>
    keys.did === did && keys.relationship === relationship
  );
  if (opened !== undefined) return opened.keys;
  const keys = await openKeys(readResult(did, result), relationship);
  if (isCachedResult(result)) cacheKeys(result, { did, relationship, keys });
  return keys;
}

interface OpenedKeys {
  readonly did: string;
  readonly relationship: KeyRelationship;
  readonly keys: readonly SenderKey[];
}

/**
 * Imported keys, keyed by cached resolution result. A cached result is deeply frozen, so its keys
 * cannot change. An entry is garbage-collected together with its result.
 */
const OPENED_KEYS = new WeakMap<DidResolutionResult, readonly OpenedKeys[]>();

function cacheKeys(result: DidResolutionResult, opened: OpenedKeys): void {
  OPENED_KEYS.set(result, [...OPENED_KEYS.get(result) ?? [], opened].slice(-MAX_OPENED));
}

/**
 * Maximum number of entries per resolution result: one for each of the two verification
 * relationships.
 */
const MAX_OPENED = 2;

async function openKeys(
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
