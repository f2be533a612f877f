/**
 * did:key for Ed25519: DIDs that contain a public key.
 *
 * @see https://w3c-ccg.github.io/did-key-spec/
 * @module
 */

import { didInvalid } from "./did_error.ts";
import { isDid, parseDid } from "./did.ts";
import { formatMultikey, readMultikey } from "./multikey.ts";
import { createFailure, createSuccess, type Resolvable } from "./resolver.ts";

/**
 * Formats an Ed25519 public key as a did:key.
 *
 * @param publicKey The public key, 32 bytes.
 * @throws {RangeError} If the key is not 32 bytes.
 *
 * @example Format a public key as a did:key
 * ```ts
 * import { formatDidKey, parseDidKey } from "@parley/comm/did";
 * import { assertEquals } from "@std/assert";
 *
 * const did = "did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw";
 * assertEquals(formatDidKey(parseDidKey(did)), did);
 * ```
 */
export function formatDidKey(publicKey: Uint8Array): string {
  if (publicKey.length !== 32) {
    throw new RangeError(`"publicKey" must be 32 bytes, got ${publicKey.length}`);
  }
  return `did:key:${formatMultikey(publicKey)}`;
}

/**
 * Parses the Ed25519 public key in a did:key.
 *
 * @param did A DID such as `did:key:z6Mk…`.
 * @returns The public key: 32 bytes that might not encode a point on the curve.
 * @throws {CommError} With code "did_invalid" if the DID's method or key type is unsupported, or
 *   its encoding is not canonical.
 *
 * @example Parse the public key in a did:key
 * ```ts
 * import { parseDidKey } from "@parley/comm/did";
 * import { assertEquals } from "@std/assert";
 *
 * const key = parseDidKey("did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw");
 * assertEquals(key.length, 32);
 * ```
 */
export function parseDidKey(did: string): Uint8Array<ArrayBuffer> {
  const { method, id } = parseDid(did);
  if (method !== "key") throw didInvalid(did, 'method is not "key"');
  const publicKey = readMultikey(id);
  if (publicKey === undefined) throw didInvalid(did, "not an Ed25519 key in base58btc");
  return publicKey;
}

/**
 * Resolver for did:key with Ed25519 keys. Resolution needs no network access. The key is authorized
 * for `authentication`, `assertionMethod`, `capabilityInvocation` and `capabilityDelegation`.
 *
 * Decision: the DID document of a did:key has no `keyAgreement`. The did:key specification makes
 * the derivation of an X25519 key optional, and this package does not encrypt messages.
 */
export const didKeyResolver: Resolvable = {
  resolve(did) {
    const id = isDid(did) && did.startsWith("did:key:") ? parseDid(did).id : "";
    if (readMultikey(id) === undefined) return Promise.resolve(createFailure("invalidDid"));
    const keyId = `${did}#${id}`;
    return Promise.resolve(createSuccess({
      "@context": ["https://www.w3.org/ns/did/v1", "https://w3id.org/security/multikey/v1"],
      id: did,
      verificationMethod: [
        { id: keyId, type: "Multikey", controller: did, publicKeyMultibase: id },
      ],
      authentication: [keyId],
      assertionMethod: [keyId],
      capabilityInvocation: [keyId],
      capabilityDelegation: [keyId],
    }));
  },
};
