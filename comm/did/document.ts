/**
 * Selection of Ed25519 keys from DID documents.
 *
 * @module
 */

import { askClock } from "@parley/internal/ask-clock";
import { assertFunction } from "@parley/internal/assert-argument";
import { oneOf } from "@parley/internal/option-checks";
import { type OptionCheck, optionsReader, withDefault } from "@parley/internal/options";
import { readBase58 } from "../shared/base58.ts";
import { readBase64url } from "../shared/base64url.ts";
import { keyExpired, keyNotFound, keyRevoked, keyUnsupported } from "./did_error.ts";
import { isJsonObject } from "../shared/json.ts";
import { readTimestamp } from "../shared/timestamp.ts";
import { readMultikey } from "./multikey.ts";
import type { ResolvedDocument } from "./resolver.ts";

/**
 * A verification relationship: `authentication` for keys that authenticate the DID subject,
 * `assertionMethod` for keys that sign its claims.
 */
export type KeyRelationship = "authentication" | "assertionMethod";

/**
 * Throws a `TypeError` unless a value is a verification relationship. Another member of a DID
 * document, such as `verificationMethod`, can list keys that the document does not authorize.
 */
export const assertRelationship: OptionCheck = oneOf("authentication", "assertionMethod");

/** A key that a DID document authorizes. */
export interface VerificationKey {
  /** Absolute DID URL of the verification method. */
  readonly keyId: string;
  /** The Ed25519 public key: 32 bytes that might not encode a point on the curve. */
  readonly publicKey: Uint8Array<ArrayBuffer>;
  /** The end of the key's validity. Absent if the document does not limit the key's validity. */
  readonly end?: KeyEnd;
}

/** The end of a key's validity, as specified in a DID document. */
export interface KeyEnd {
  /** `key_revoked` if the key is revoked, `key_expired` if the key expires. */
  readonly code: "key_revoked" | "key_expired";
  /**
   * The time at which the key becomes unusable, in milliseconds since the Unix epoch. `-Infinity`
   * if the document contains a time that is not a valid timestamp.
   */
  readonly atMs: number;
}

/** Options for {@linkcode selectKeys}. */
export interface SelectKeysOptions {
  /**
   * Returns the current time, in milliseconds. If the result is not a finite number, `selectKeys`
   * throws a `TypeError`. Defaults to `Date.now`.
   */
  readonly now?: () => number;
}

const readOptions = optionsReader<SelectKeysOptions>("options")({
  now: withDefault((): number => Date.now(), assertFunction),
});

/** Maximum number of verification methods in a document. */
const MAX_METHODS = 16;

/** Maximum number of keys to try per signature. */
const MAX_KEYS = 8;

/**
 * Selects the Ed25519 keys that a DID document authorizes for a verification relationship. Returns
 * at most eight keys, in document order.
 *
 * Supported verification methods, referenced or embedded, are `Multikey` and
 * `Ed25519VerificationKey2020` (`publicKeyMultibase`), `JsonWebKey` and `JsonWebKey2020`
 * (`publicKeyJwk`), and `Ed25519VerificationKey2018` (`publicKeyBase58`). A verification method is
 * ignored if its `id` does not belong to the DID, if its `controller` is a different DID, if it
 * contains a private key, or if it contains two different keys. A verification method is also
 * ignored from the time in its `revoked` or `expires` member onward, or at any time if `revoked` or
 * `expires` is not a valid timestamp.
 *
 * @param document A resolved DID document.
 * @param relationship Verification relationship that the keys must be authorized for.
 * @param options Clock that determines which keys are valid.
 * @throws {TypeError} If `relationship` is not one of the two relationships, or an option is
 *   invalid or unknown.
 * @throws {CommError} With code "key_not_found" if no valid key is authorized, or if the document
 *   has more than 16 verification methods or two with the same id.
 * @throws {CommError} With code "key_unsupported" if all authorized keys have unsupported types.
 * @throws {CommError} With code "key_revoked" or "key_expired" if all authorized keys are revoked
 *   or have expired.
 * @see https://www.w3.org/TR/did-core/#verification-relationships
 * @see https://www.w3.org/TR/cid-1.0/#verification-methods
 *
 * @example Select the key of a did:key
 * ```ts
 * import { didKeyResolver, resolveDid, selectKeys } from "@parley/comm/did";
 * import { assertEquals } from "@std/assert";
 *
 * const did = "did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw";
 * const keys = selectKeys(await resolveDid(did, didKeyResolver), "authentication");
 * assertEquals(keys.map((key) => key.keyId), [`${did}#${did.slice("did:key:".length)}`]);
 * ```
 */
export function selectKeys(
  document: ResolvedDocument,
  relationship: KeyRelationship,
  options: SelectKeysOptions = {},
): VerificationKey[] {
  assertRelationship("relationship", relationship);
  const { now } = readOptions(options);
  return takeCurrentKeys(readKeys(document, relationship), document.id, askClock(now));
}

/**
 * Reads the keys that a DID document authorizes, including keys that are no longer valid. Throws if
 * the document authorizes no key.
 */
export function readKeys(
  document: ResolvedDocument,
  relationship: KeyRelationship,
): VerificationKey[] {
  const did = document.id;
  const entries = readArray(document[relationship]);
  const methods = indexMethods(document, entries);
  const authorized = entries
    .map((entry) => typeof entry === "string" ? methods.get(toAbsolute(entry, did)) : entry)
    .filter(isJsonObject);
  if (authorized.length === 0) throw keyNotFound(did, `no key is authorized for ${relationship}`);
  const types = authorized.map((method) => toText(method.type));
  if (!types.some((type) => KEY_MEMBERS.has(type))) throw keyUnsupported(did, types);
  const keys = authorized.map((method) => readMethod(method, did))
    .filter((key) => key !== undefined);
  if (keys.length === 0) throw keyNotFound(did, `no valid key is authorized for ${relationship}`);
  return keys;
}

/**
 * Returns the first eight keys that are valid at the given time. If no key is valid, throws
 * `key_revoked` or `key_expired` for the first key.
 */
export function takeCurrentKeys<K extends Pick<VerificationKey, "keyId" | "end">>(
  keys: readonly K[],
  did: string,
  nowMs: number,
): K[] {
  const current = keys.filter(({ end }) => end === undefined || nowMs < end.atMs);
  const [first] = keys;
  if (current.length === 0 && first !== undefined) {
    const { keyId, end } = first;
    throw end?.code === "key_expired" ? keyExpired(did, keyId) : keyRevoked(did, keyId);
  }
  return current.slice(0, MAX_KEYS);
}

/**
 * Returns the listed verification methods, keyed by id. Throws if there are too many listed and
 * embedded verification methods, or if two of them have the same id.
 */
function indexMethods(
  document: ResolvedDocument,
  entries: readonly unknown[],
): Map<string, unknown> {
  const listed = readArray(document.verificationMethod).filter(isJsonObject);
  const all = [...listed, ...entries.filter(isJsonObject)];
  if (all.length > MAX_METHODS || entries.length > MAX_METHODS) {
    throw keyNotFound(document.id, `document has more than ${MAX_METHODS} verification methods`);
  }
  const methods = new Map(
    all.map((method) => [toAbsolute(toText(method.id), document.id), method]),
  );
  if (methods.size < all.length) {
    throw keyNotFound(document.id, "document has two verification methods with the same id");
  }
  return methods;
}

function readArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Returns a string unchanged, and an empty string for any other value. Unlike `String()`, this
 * function does not convert an array that contains one string.
 */
function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Prepends the DID to a relative DID URL, such as `#key-1` (DID Core §3.2.2). */
function toAbsolute(id: string, did: string): string {
  return id.startsWith("#") ? did + id : id;
}

/** Name of the member that contains the key, for each type of verification method. */
const KEY_MEMBERS: ReadonlyMap<string, string> = new Map([
  ["Multikey", "publicKeyMultibase"],
  ["Ed25519VerificationKey2020", "publicKeyMultibase"],
  ["JsonWebKey", "publicKeyJwk"],
  ["JsonWebKey2020", "publicKeyJwk"],
  ["Ed25519VerificationKey2018", "publicKeyBase58"],
]);

const PRIVATE_MEMBERS = ["secretKeyMultibase", "privateKeyMultibase", "privateKeyJwk"];

type Method = Readonly<Record<string, unknown>>;

function readMethod(method: Method, did: string): VerificationKey | undefined {
  const keyId = toAbsolute(toText(method.id), did);
  const member = KEY_MEMBERS.get(toText(method.type));
  if (member === undefined || !keyId.startsWith(`${did}#`) || method.controller !== did) {
    return undefined;
  }
  if (PRIVATE_MEMBERS.some((name) => name in method)) return undefined;
  const publicKey = readKey(method, member);
  const end = readEnd(method);
  if (publicKey === undefined) return undefined;
  return end === undefined ? { keyId, publicKey } : { keyId, publicKey, end };
}

/**
 * Reads the earlier of the times in `revoked` and `expires` (Controlled Identifiers 1.0 §2.2). A
 * time that cannot be parsed ends the key's validity, so a typo does not keep a revoked key valid.
 */
function readEnd({ revoked, expires }: Method): KeyEnd | undefined {
  const ends: KeyEnd[] = [];
  if (revoked !== undefined) ends.push({ code: "key_revoked", atMs: readTime(revoked) });
  if (expires !== undefined) ends.push({ code: "key_expired", atMs: readTime(expires) });
  return ends.reduce<KeyEnd | undefined>(
    (first, end) => first === undefined || end.atMs < first.atMs ? end : first,
    undefined,
  );
}

function readTime(value: unknown): number {
  return typeof value === "string" ? readTimestamp(value) ?? -Infinity : -Infinity;
}

/**
 * Reads the key from the given member of a verification method. Returns `undefined` if the
 * verification method contains two different keys.
 */
function readKey(method: Method, member: string): Uint8Array<ArrayBuffer> | undefined {
  const spelled = Object.entries(KEY_READERS).filter(([name]) => method[name] !== undefined)
    .map(([name, read]) => ({ name, key: read(method[name]) }));
  const key = spelled.find(({ name }) => name === member)?.key;
  return key !== undefined && spelled.every((other) => areEqual(other.key, key)) ? key : undefined;
}

const KEY_READERS = {
  publicKeyMultibase: (value: unknown) =>
    typeof value === "string" ? readMultikey(value) : undefined,
  publicKeyJwk: readJwkKey,
  publicKeyBase58: readBase58Key,
};

function readJwkKey(value: unknown): Uint8Array<ArrayBuffer> | undefined {
  if (!isJsonObject(value) || value.kty !== "OKP" || value.crv !== "Ed25519") return undefined;
  if ("d" in value || typeof value.x !== "string" || value.x.length !== 43) return undefined;
  if (value.use !== undefined && value.use !== "sig") return undefined;
  return readBase64url(value.x);
}

/** Maximum length of 32 base58-encoded bytes, in characters. */
const MAX_BASE58_KEY = 44;

function readBase58Key(value: unknown): Uint8Array<ArrayBuffer> | undefined {
  const bytes = typeof value === "string" ? readBase58(value, MAX_BASE58_KEY) : undefined;
  return bytes?.length === 32 ? bytes : undefined;
}

function areEqual(a: Uint8Array | undefined, b: Uint8Array): boolean {
  return a !== undefined && a.length === b.length && a.every((byte, index) => byte === b[index]);
}
