/**
 * The party that a limit counts a message against before the message is verified.
 *
 * @module
 */

import { ownerOf } from "@parley/internal/did-owner";

export { ownerOf };

/**
 * Returns the party of a DID. Different names of one party share the party's share of a limit.
 *
 * The party of a did:web is its owner, and the party of a DID that contains its keys is the DID
 * itself. All DIDs of another method, such as did:plc, are one party: their names are free to
 * create, and the keys of each name have to be fetched.
 */
export function partyOf(did: string): string {
  if (did.startsWith(WEB) || isSelfContained(did)) return ownerOf(did);
  return did.slice(0, did.indexOf(":", "did:".length));
}

/** Returns `true` if a DID contains its own keys, so that resolving it needs no network access. */
export function isSelfContained(did: string): boolean {
  return /^did:(?:key|jwk):/.test(did);
}

const WEB = "did:web:";
