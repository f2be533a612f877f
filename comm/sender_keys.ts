/**
 * The keys a message can be verified with: from the sender's DID to keys that are ready.
 *
 * @module
 */

import { isCachedDocument } from "./did/cache.ts";
import { type KeyRelationship, selectKeys } from "./did/document.ts";
import { didJwkResolver } from "./did/jwk.ts";
import { didKeyResolver } from "./did/key.ts";
import {
  combineResolvers,
  type Resolvable,
  type ResolvedDocument,
  resolveDid,
} from "./did/resolver.ts";
import { detectBackend } from "./ed25519.ts";
import type { PublicKey } from "./ed25519_rules.ts";

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
  const document = await resolveDid(did, resolver, options);
  return isCachedDocument(document)
    ? await recall(document, relationship)
    : await openKeys(document, relationship);
}

type KeysByRelationship = Partial<Record<KeyRelationship, Promise<readonly SenderKey[]>>>;

/** Keys of cached documents, which never change; gone when the document is. */
const OPENED = new WeakMap<ResolvedDocument, KeysByRelationship>();

function recall(
  document: ResolvedDocument,
  relationship: KeyRelationship,
): Promise<readonly SenderKey[]> {
  const opened = OPENED.get(document) ?? {};
  OPENED.set(document, opened);
  return opened[relationship] ??= openKeys(document, relationship);
}

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
