/**
 * Decentralized identifiers (DIDs): resolvers for did:key and did:jwk, whose identifiers contain
 * the public key, and an interface for resolvers of other DID methods.
 *
 * Use {@linkcode resolveDid} to resolve a DID, and {@linkcode selectKeys} to find its keys. The
 * resolver for did:web is in `@parley/comm/did-web`.
 *
 * @example Resolve a DID and select its keys
 * ```ts
 * import { didKeyResolver, resolveDid, selectKeys } from "@parley/comm/did";
 * import { assertEquals } from "@std/assert";
 *
 * const did = "did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw";
 * const document = await resolveDid(did, didKeyResolver);
 * const [key] = selectKeys(document, "authentication");
 * assertEquals(key?.publicKey.length, 32);
 * ```
 *
 * @see https://www.w3.org/TR/did-core/
 * @module
 */

export { cachedResolver, type CachedResolverOptions } from "./did/cache.ts";
export { type Did, isDid, parseDid } from "./did/did.ts";
export {
  type KeyEnd,
  type KeyRelationship,
  selectKeys,
  type SelectKeysOptions,
  type VerificationKey,
} from "./did/document.ts";
export { didJwkResolver, formatDidJwk } from "./did/jwk.ts";
export { didKeyResolver, formatDidKey, parseDidKey } from "./did/key.ts";
export {
  combineResolvers,
  type DidResolutionOptions,
  type DidResolutionResult,
  type Resolvable,
  type ResolvedDocument,
  resolveDid,
  type ResolveDidOptions,
} from "./did/resolver.ts";
