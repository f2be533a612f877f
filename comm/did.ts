/**
 * Decentralized identifiers for agents: did:key and did:jwk, which hold their key, and the interface of resolvers for
 * other methods.
 *
 * @example From a DID to its keys
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
 * @module
 */

export { cachedResolver, type CachedResolverOptions } from "./did/cache.ts";
export { type Did, isDid, parseDid } from "./did/did.ts";
export { type KeyRelationship, selectKeys, type VerificationKey } from "./did/document.ts";
export { didJwkResolver, formatDidJwk } from "./did/jwk.ts";
export { didKeyResolver, formatDidKey, parseDidKey } from "./did/key.ts";
export {
  combineResolvers,
  type DidResolutionOptions,
  type DidResolutionResult,
  type Resolvable,
  type ResolvedDocument,
  resolveDid,
} from "./did/resolver.ts";
