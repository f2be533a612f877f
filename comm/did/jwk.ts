/**
 * did:jwk for Ed25519: DIDs that contain a public JSON Web Key.
 *
 * @see https://github.com/quartzjer/did-jwk/blob/main/spec.md
 * @module
 */

import { formatBase64url, readBase64url } from "../shared/base64url.ts";
import { canonicalize } from "../canonical/canonical_json.ts";
import { isJsonObject, type JsonObject } from "../shared/json.ts";
import { parseJson } from "../shared/json_parse.ts";
import { isDid, parseDid } from "./did.ts";
import { createFailure, createSuccess, type Resolvable } from "./resolver.ts";

/**
 * Formats an Ed25519 public key as a did:jwk.
 *
 * @param publicKey The public key, 32 bytes.
 * @throws {RangeError} If the key is not 32 bytes.
 *
 * @example Format a public key as a did:jwk
 * ```ts
 * import { formatDidJwk, parseDidKey } from "@parley/comm/did";
 * import { assert } from "@std/assert";
 *
 * const key = parseDidKey("did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw");
 * assert(formatDidJwk(key).startsWith("did:jwk:eyJjcnYiOiJFZDI1NTE5"));
 * ```
 */
export function formatDidJwk(publicKey: Uint8Array): string {
  if (publicKey.length !== 32) {
    throw new RangeError(`"publicKey" must be 32 bytes, got ${publicKey.length}`);
  }
  const jwk = canonicalize({ crv: "Ed25519", kty: "OKP", x: formatBase64url(publicKey) });
  return `did:jwk:${formatBase64url(new TextEncoder().encode(jwk))}`;
}

/**
 * Resolver for did:jwk. Resolution needs no network access. The resolver accepts all key types, but
 * `selectKeys` rejects unsupported types.
 */
export const didJwkResolver: Resolvable = {
  resolve(did) {
    const jwk = isDid(did) && did.startsWith("did:jwk:") ? readJwk(parseDid(did).id) : undefined;
    if (jwk === undefined) return Promise.resolve(createFailure("invalidDid"));
    const keyId = `${did}#0`;
    return Promise.resolve(createSuccess({
      "@context": [
        "https://www.w3.org/ns/did/v1",
        "https://w3id.org/security/suites/jws-2020/v1",
      ],
      id: did,
      verificationMethod: [
        { id: keyId, type: "JsonWebKey2020", controller: did, publicKeyJwk: jwk },
      ],
      ...listRelationships(jwk, keyId),
    }));
  },
};

/** Curves that support signatures only (RFC 8037 §3.1). */
const SIGNATURE_CURVES: ReadonlySet<unknown> = new Set(["Ed25519", "Ed448"]);

/**
 * Returns the verification relationships of a key: only `keyAgreement` if `use` is `enc`, and all
 * but `keyAgreement` if the key can only sign.
 */
function listRelationships({ use, crv }: JsonObject, keyId: string): JsonObject {
  const canAgree = use !== "sig" && !SIGNATURE_CURVES.has(crv);
  return {
    ...(use === "enc" ? {} : {
      authentication: [keyId],
      assertionMethod: [keyId],
      capabilityInvocation: [keyId],
      capabilityDelegation: [keyId],
    }),
    ...(use === "enc" || canAgree ? { keyAgreement: [keyId] } : {}),
  };
}

function readJwk(id: string): JsonObject | undefined {
  const bytes = readBase64url(id);
  if (bytes === undefined) return undefined;
  try {
    const value = parseJson(bytes);
    // Reject a JWK with a private key (`d`), because anyone who knows the DID could sign on its
    // behalf.
    return isJsonObject(value) && !("d" in value) ? value : undefined;
  } catch {
    // The DID is untrusted input. If the DID does not contain valid JSON, it is not a valid
    // did:jwk.
    return undefined;
  }
}
