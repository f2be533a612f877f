/**
 * The keys a message can be verified with: from the sender's DID to keys that are ready.
 *
 * @module
 */

import { isCachedResult } from "../did/cache.ts";
import { type KeyRelationship, selectKeys } from "../did/document.ts";
import { didJwkResolver } from "../did/jwk.ts";
import { didKeyResolver } from "../did/key.ts";
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

/** How to find a sender's keys. */
export interface SenderKeyOptions {
  /** Who resolves the sender's DID; the default knows did:key and did:jwk and needs no network. */
  readonly resolver?: Resolvable;
  /** What the sender's document must authorize the key for; the default is `authentication`. */
  readonly relationship?: KeyRelationship;
  /** Ends it early. */
  readonly signal?: AbortSignal;
}

/** A key of the sender, ready to verify. */
export interface SenderKey {
  /** The DID URL of its verification method. */
  readonly keyId: string;
  /** The key. */
  readonly key: PublicKey;
}

/** The resolver for DIDs that are keys themselves. */
const OFFLINE_RESOLVER = combineResolvers({ key: didKeyResolver, jwk: didJwkResolver });

/** Resolves a sender's DID and makes the keys that it authorizes ready. */
export async function openSenderKeys(
  did: string,
  options: SenderKeyOptions,
): Promise<readonly SenderKey[]> {
  const { resolver = OFFLINE_RESOLVER, relationship = "authentication" } = options;
  const result = await callResolver(did, resolver, options);
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

/** Keys of cached results, which never change; gone when the result is. */
const OPENED_KEYS = new WeakMap<DidResolutionResult, readonly OpenedKeys[]>();

function cacheKeys(result: DidResolutionResult, opened: OpenedKeys): void {
  OPENED_KEYS.set(result, [...OPENED_KEYS.get(result) ?? [], opened].slice(-MAX_OPENED));
}

/** A result is of one DID, and there are two relationships. */
const MAX_OPENED = 2;

async function openKeys(
  document: ResolvedDocument,
  relationship: KeyRelationship,
): Promise<readonly SenderKey[]> {
  const keys = selectKeys(document, relationship);
  const backend = await detectBackend();
  return await Promise.all(keys.map(async ({ keyId, publicKey }) => ({
    keyId,
    key: await backend.openPublicKey(publicKey),
  })));
}
