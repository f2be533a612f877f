/**
 * DID resolution: the resolver interface, and validation of resolver results.
 *
 * @see https://w3c-ccg.github.io/did-resolution/
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import { quote } from "@parley/internal/format-value";
import {
  didDeactivated,
  didInvalid,
  didMethodUnsupported,
  didResolutionFailed,
} from "./did_error.ts";
import { isJsonObject } from "../shared/json.ts";
import { assertOptionalSignal, assertPositiveNumber } from "@parley/internal/assert-argument";
import { optionsReader, withDefault } from "@parley/internal/options";
import type { CallLimits } from "@parley/internal/call-within";
import { callSafely } from "../shared/call_safely.ts";
import { isDid, parseDid } from "./did.ts";

/** Options for resolving a DID. */
export interface DidResolutionOptions {
  /** Aborts the resolution. */
  readonly signal?: AbortSignal;
}

/** Options for {@linkcode resolveDid}. */
export interface ResolveDidOptions extends DidResolutionOptions {
  /**
   * Timeout for the resolution, in milliseconds. The resolver does not have to support signals.
   *
   * @default {10_000}
   */
  readonly timeoutMs?: number;
}

/** Default timeout for the resolution of a DID, in milliseconds. */
export const RESOLUTION_TIMEOUT_MS = 10_000;

const readOptions = optionsReader<ResolveDidOptions>("options", { abortSignal: "signal" })({
  signal: assertOptionalSignal,
  timeoutMs: withDefault(RESOLUTION_TIMEOUT_MS, assertPositiveNumber),
});

/** Result of a DID resolution. Results are untrusted; `resolveDid` validates them. */
export interface DidResolutionResult {
  /** The DID document, or `null` if the resolution failed. */
  readonly didDocument: unknown;
  /** Resolution metadata. `error` is the reason for a failure, such as `notFound`. */
  readonly didResolutionMetadata: { readonly error?: string };
  /** Document metadata. `deactivated` is `true` if the DID is deactivated. */
  readonly didDocumentMetadata: { readonly deactivated?: boolean };
}

/**
 * A DID resolver: a resolver from this package, a `Resolver` from the npm package `did-resolver`,
 * or a custom object.
 *
 * @example Resolve DIDs from a map
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
   * Resolves a DID. Reports failures in `didResolutionMetadata.error` or by rejecting.
   *
   * @param didUrl The DID.
   * @param options Options for DID resolution.
   */
  resolve(didUrl: string, options?: DidResolutionOptions): Promise<DidResolutionResult>;
}

/** A DID document in which only the `id` is validated. */
export interface ResolvedDocument {
  /** The DID of the document. */
  readonly id: string;
  /** Members of the DID document. Only `id` is validated. */
  readonly [member: string]: unknown;
}

/**
 * Resolves a DID and validates the result.
 *
 * @param did The DID.
 * @param resolver Resolver for the DID method.
 * @param options Timeout and abort signal.
 * @throws {CommError} With code "did_invalid" if the DID is invalid or the resolver rejects it.
 * @throws {CommError} With code "did_method_unsupported" if the resolver does not support the
 *   method.
 * @throws {CommError} With code "did_deactivated" if the DID is deactivated.
 * @throws {CommError} With code "did_resolution_failed" if the resolver fails or takes longer than
 *   `timeoutMs`, or if the document has a different `id`.
 * @throws {TypeError} If an option is invalid or unknown.
 * @throws {RangeError} If `timeoutMs` is not positive.
 * @throws The signal's reason if the signal is aborted.
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
  options: ResolveDidOptions = {},
): Promise<ResolvedDocument> {
  const limits = readOptions(options);
  parseDid(did);
  return await resolveDocument(did, resolver, limits);
}

/** Calls a resolver with a valid DID and validates the result. Returns the DID document. */
export async function resolveDocument(
  did: string,
  resolver: Resolvable,
  limits: CallLimits,
): Promise<ResolvedDocument> {
  const result = await callSafely<unknown>((context) => resolver.resolve(did, context), {
    ...limits,
    fail: (reason, options) => didResolutionFailed(did, `resolver ${reason}`, options),
  });
  return readResult(did, result);
}

/** Validates a resolver result. Returns the DID document. */
function readResult(did: string, result: unknown): ResolvedDocument {
  const { didDocument, didResolutionMetadata, didDocumentMetadata } = toRecord(result);
  const { error } = toRecord(didResolutionMetadata);
  if (error !== undefined) throw toError(did, typeof error === "string" ? error : "unknown");
  if (isDeactivated(toRecord(didDocumentMetadata).deactivated)) throw didDeactivated(did);
  if (!isResolvedDocument(didDocument)) {
    throw didResolutionFailed(did, "resolver returned no document");
  }
  if (didDocument.id !== did) {
    throw didResolutionFailed(did, `document has a different id, ${quote(didDocument.id)}`);
  }
  return didDocument;
}

/**
 * Returns `true` unless a resolver reports that a DID is not deactivated. Any value other than
 * `false` counts, because a key of a deactivated DID must not be used.
 */
export function isDeactivated(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}

/**
 * Returns an object unchanged, and an empty object for any other value, because a custom resolver
 * might return any value.
 */
function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {};
}

function isResolvedDocument(value: unknown): value is ResolvedDocument {
  return isJsonObject(value) && typeof value.id === "string";
}

/**
 * Maps the error names in DID Resolution §4, as spelled by did-resolver, to this package's errors.
 */
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

/** Creates a resolver result without a document. */
export function createFailure(error: string): DidResolutionResult {
  return { didDocument: null, didResolutionMetadata: { error }, didDocumentMetadata: {} };
}

/** Creates a resolver result with a document. */
export function createSuccess(didDocument: unknown): DidResolutionResult {
  return { didDocument, didResolutionMetadata: {}, didDocumentMetadata: {} };
}

/**
 * Combines resolvers for individual DID methods into one resolver.
 *
 * @param methods Resolvers, keyed by the name of their DID method.
 *
 * @example Support two DID methods
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
    async resolve(didUrl, options): Promise<DidResolutionResult> {
      if (!isDid(didUrl)) return createFailure("invalidDid");
      const resolver = byMethod.get(parseDid(didUrl).method);
      if (resolver === undefined) return createFailure("methodNotSupported");
      return await abortable(resolver.resolve(didUrl, options), options?.signal);
    },
  };
}
