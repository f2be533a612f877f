/**
 * The owner of a DID.
 *
 * @module
 */

const WEB = "did:web:";

/**
 * Returns the owner of a DID. The owner of a did:web is the domain that is formed by the last two
 * labels of its host, because the owner of a domain can create any number of hosts and paths. Two
 * owners whose domains have the same parent of two labels, such as `co.uk`, count as one. The owner
 * of any other DID is the DID itself.
 */
export function ownerOf(did: string): string {
  if (!did.startsWith(WEB)) return did;
  const end = did.indexOf(":", WEB.length);
  const authority = did.slice(WEB.length, end < 0 ? undefined : end);
  const [host = ""] = authority.toLowerCase().split("%3a");
  return WEB + host.split(".").slice(-2).join(".");
}
