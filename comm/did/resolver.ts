/**
 * Resolving DIDs: the interface every resolver has, and the checks this package makes on what one answers.
 *
 * @module
 */

import {
  didDeactivated,
  didInvalid,
  didMethodUnsupported,
  didResolutionFailed,
  quote,
} from "../shared/error.ts";
import { isJsonObject } from "../shared/json.ts";
import { isDid, parseDid } from "./did.ts";

/** Options of one resolution. */
export interface DidResolutionOptions {
  /** Ends the resolution early. */
  readonly signal?: AbortSignal;
}

/** What a resolver answers. Nothing in it is trusted: documents are read before use. */
export interface DidResolutionResult {
  /** The DID document, or null when there is none. */
  readonly didDocument: unknown;
  /** `error`: why there is no document, e.g. `notFound`. */
  readonly didResolutionMetadata: { readonly error?: string };
  /** `deactivated`: whether the DID has come to its end. */
  readonly didDocumentMetadata: { readonly deactivated?: boolean };
}

/**
 * Anything that resolves DIDs: the resolvers of this package, a `Resolver` of the npm package did-resolver, or yours.
 *
 * @example A resolver over a table
 * ```ts
 * import { type Resolvable, resolveDid } from "@parley/comm/did";
 * import { assertEquals } from "@std/assert";
 *
 * const documents = new Map([["did:example:ann", { id: "did:example:ann" }]]);
 * const resolver: Resolvable = {
 *   resolve: (did) =>
 *     Promise.resolve({
 *       didDocument: documents.get(did) ?? null,
 *       didResolutionMetadata: documents.has(did) ? {} : { error: "notFound" },
 *       didDocumentMetadata: {},
 *     }),
 * };
 *
 * const document = await resolveDid("did:example:ann", resolver);
 * assertEquals(document.id, "did:example:ann");
 * ```
 */
export interface Resolvable {
  /**
   * Resolves a DID. Failures are told in `didResolutionMetadata.error` or by rejecting.
   *
   * @param didUrl a DID
   * @param options how
   */
  resolve(didUrl: string, options?: DidResolutionOptions): Promise<DidResolutionResult>;
}

/** A DID document whose `id` was checked, and nothing else. */
export interface ResolvedDocument {
  /** The DID that was resolved. */
  readonly id: string;
  /** Other members, not read yet. */
  readonly [member: string]: unknown;
}

/**
 * Resolves a DID and checks what came back.
 *
 * @param did the DID
 * @param resolver who resolves it
 * @param options `signal` ends it early
 * @throws {CommError} `did_invalid`, `did_method_unsupported`, `did_deactivated`, or `did_resolution_failed`, also when
 *   the document's `id` is not the DID
 * @throws the signal's reason, when aborted
 *
 * @example Resolve a did:key
 * ```ts
 * import { didKeyResolver, resolveDid } from "@parley/comm/did";
 * import { assertEquals } from "@std/assert";
 *
 * const did = "did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw";
 * const document = await resolveDid(did, didKeyResolver);
 * assertEquals(document.id, did);
 * ```
 */
export async function resolveDid(
  did: string,
  resolver: Resolvable,
  options: DidResolutionOptions = {},
): Promise<ResolvedDocument> {
  parseDid(did);
  return readResult(did, await callResolver(did, resolver, options));
}

/** The resolver's answer about what is known to be a DID, unchecked. */
export async function callResolver(
  did: string,
  resolver: Resolvable,
  options: DidResolutionOptions,
): Promise<DidResolutionResult> {
  const { signal } = options;
  signal?.throwIfAborted();
  try {
    const result = await resolver.resolve(did, options);
    signal?.throwIfAborted();
    return result;
  } catch (cause) {
    signal?.throwIfAborted();
    throw didResolutionFailed(did, "resolver threw an error", { cause });
  }
}

/** Checks a resolver's answer; answers the document. */
export function readResult(did: string, result: unknown): ResolvedDocument {
  const { didDocument, didResolutionMetadata, didDocumentMetadata } = toRecord(result);
  const { error } = toRecord(didResolutionMetadata);
  if (error !== undefined) throw toError(did, typeof error === "string" ? error : "unknown");
  if (toRecord(didDocumentMetadata).deactivated === true) throw didDeactivated(did);
  if (!isResolvedDocument(didDocument)) {
    throw didResolutionFailed(did, "resolver returned no document");
  }
  if (didDocument.id !== did) {
    throw didResolutionFailed(did, `document has the id ${quote(didDocument.id)}`);
  }
  return didDocument;
}

/** Resolvers are foreign code: what should be an object may be anything. */
function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {};
}

function isResolvedDocument(value: unknown): value is ResolvedDocument {
  return isJsonObject(value) && typeof value.id === "string";
}

/** Error names of DID Resolution §4, in the spelling of did-resolver. */
function toError(did: string, error: string): Error {
  switch (error) {
    case "invalidDid":
    case "invalidDidUrl":
      return didInvalid(did, "rejected by the resolver");
    case "methodNotSupported":
    case "unsupportedDidMethod":
      return didMethodUnsupported(did, parseDid(did).method);
    default:
      return didResolutionFailed(did, `resolver returned error ${quote(error)}`);
  }
}

/** The answer of a resolver that has no document. */
export function createFailure(error: string): DidResolutionResult {
  return { didDocument: null, didResolutionMetadata: { error }, didDocumentMetadata: {} };
}

/** The answer of a resolver that has one. */
export function createSuccess(didDocument: unknown): DidResolutionResult {
  return { didDocument, didResolutionMetadata: {}, didDocumentMetadata: {} };
}

/**
 * Joins resolvers of single methods into one.
 *
 * @param methods a resolver for each method, by the method's name
 *
 * @example Trust two methods, no others
 * ```ts
 * import { combineResolvers, didJwkResolver, didKeyResolver } from "@parley/comm/did";
 * import { assertEquals } from "@std/assert";
 *
 * const resolver = combineResolvers({ key: didKeyResolver, jwk: didJwkResolver });
 * const { didResolutionMetadata } = await resolver.resolve("did:web:example.com");
 * assertEquals(didResolutionMetadata.error, "methodNotSupported");
 * ```
 */
export function combineResolvers(methods: Readonly<Record<string, Resolvable>>): Resolvable {
  const byMethod = new Map(Object.entries(methods));
  return {
    resolve(didUrl, options): Promise<DidResolutionResult> {
      if (!isDid(didUrl)) return Promise.resolve(createFailure("invalidDid"));
      const resolver = byMethod.get(parseDid(didUrl).method);
      return resolver === undefined
        ? Promise.resolve(createFailure("methodNotSupported"))
        : resolver.resolve(didUrl, options);
    },
  };
}
