/**
 * The owner of a DID.
 *
 * @module
 */

const WEB = "did:web:";

/**
 * Returns the owner of a DID. The owner of a did:web is the domain that is formed by the last two
 * labels of its host, because the owner of a domain can create any number of hosts and paths. Two
 * owners whose domains have the same parent of two labels, such as `co.uk`, count as one. All
 * spellings of a host that a resolver may decode to the same host have the same owner. The owner of
 * any other DID is the DID itself.
 */
export function ownerOf(did: string): string {
  if (!did.startsWith(WEB)) return did;
  const end = did.indexOf(":", WEB.length);
  const authority = did.slice(WEB.length, end < 0 ? undefined : end).toLowerCase();
  const labels = readHost(authority).split(".").filter((label) => label !== "");
  return WEB + labels.slice(-2).join(".");
}

/**
 * Returns the host that a resolver contacts which decodes percent-encoded characters. If there is
 * no such host, returns the authority unchanged.
 */
function readHost(authority: string): string {
  if (!authority.includes("%")) return authority;
  try {
    return new URL(`https://${decodeURIComponent(authority)}`).hostname;
  } catch {
    // No resolver can contact a host whose name cannot be decoded or is not valid.
    return authority;
  }
}
