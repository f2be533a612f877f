/**
 * The party that a limit counts a message against before the message is verified.
 *
 * @module
 */

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

/**
 * Returns the owner of a DID. Different names of one owner resolve equally fast.
 *
 * The owner of a did:web is the domain that is formed by the last two labels of its host, because
 * the owner of a domain can create any number of hosts and paths. Two owners whose domains have the
 * same parent of two labels, such as `co.uk`, count as one. The owner of any other DID is the DID
 * itself.
 */
export function ownerOf(did: string): string {
  if (!did.startsWith(WEB)) return did;
  const end = did.indexOf(":", WEB.length);
  const authority = did.slice(WEB.length, end < 0 ? undefined : end);
  const [host = ""] = authority.toLowerCase().split("%3a");
  return WEB + host.split(".").slice(-2).join(".");
}

/** Returns `true` if a DID contains its own keys, so that resolving it needs no network access. */
export function isSelfContained(did: string): boolean {
  return /^did:(?:key|jwk):/.test(did);
}

const WEB = "did:web:";
