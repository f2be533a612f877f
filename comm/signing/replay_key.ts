/**
 * Keys under which replay stores in databases track messages.
 *
 * @module
 */

import { formatBase64url } from "../shared/base64url.ts";

/**
 * Returns the SHA-256 digest of a sender and id, as 43 characters of base64url. A DID contains no
 * spaces, so different pairs have different digests.
 */
export async function digestReplayKey(sender: string, id: string): Promise<string> {
  const bytes = new TextEncoder().encode(`${sender} ${id}`);
  return formatBase64url(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

/** Returns the digest of a sender and id, and the digest of the sender. */
export async function digestReplayEntry(
  sender: string,
  id: string,
): Promise<readonly [key: string, party: string]> {
  return await Promise.all([digestReplayKey(sender, id), digestReplayKey(sender, "")]);
}
