/**
 * Keys in DID documents: which Ed25519 keys a document authorizes for a purpose.
 *
 * @module
 */

import { readBase58 } from "../shared/base58.ts";
import { readBase64url } from "../shared/base64url.ts";
import { keyNotFound, keyUnsupported } from "../shared/error.ts";
import { isJsonObject } from "../shared/json.ts";
import { readMultikey } from "./multikey.ts";
import type { ResolvedDocument } from "./resolver.ts";

/** What a key may be used for: to act as the DID's subject, or to make statements. */
export type KeyRelationship = "authentication" | "assertionMethod";

/** A key that a DID document authorizes. */
export interface VerificationKey {
  /** The verification method's absolute DID URL. */
  readonly keyId: string;
  /** The Ed25519 public key, 32 bytes, which need not be a point of the curve. */
  readonly publicKey: Uint8Array<ArrayBuffer>;
}

/** How many verification methods a document may have. */
const MAX_METHODS = 16;

/** How many keys are tried on one signature. */
const MAX_KEYS = 8;

/**
 * Selects the Ed25519 keys that a document authorizes for a purpose, in its order, eight at most.
 *
 * Accepted are `Multikey` and `Ed25519VerificationKey2020` (`publicKeyMultibase`), `JsonWebKey` and `JsonWebKey2020`
 * (`publicKeyJwk`) and `Ed25519VerificationKey2018` (`publicKeyBase58`), referenced or embedded. A method counts for
 * nothing when its `id` lies outside the DID, its `controller` is another, it holds a private key, or it spells two
 * different keys.
 *
 * @param document a resolved document
 * @param relationship the purpose
 * @throws {CommError} `key_not_found` when no usable key is authorized, `key_unsupported` when all that are authorized
 *   are of other types
 * @see https://www.w3.org/TR/did-core/#verification-relationships
 *
 * @example The keys a did:key authorizes
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
): VerificationKey[] {
  const did = document.id;
  const methods = indexMethods(document);
  const authorized = readArray(document[relationship]).slice(0, MAX_METHODS)
    .map((entry) => typeof entry === "string" ? methods.get(toAbsolute(entry, did)) : entry)
    .filter(isJsonObject);
  if (authorized.length === 0) throw keyNotFound(did, `no key is authorized for ${relationship}`);
  const types = authorized.map((method) => toText(method.type));
  if (!types.some((type) => KEY_MEMBERS.has(type))) throw keyUnsupported(did, types);
  const keys = authorized.map((method) => readMethod(method, did))
    .filter((key) => key !== undefined);
  if (keys.length === 0) throw keyNotFound(did, `no valid key is authorized for ${relationship}`);
  return keys.slice(0, MAX_KEYS);
}

function indexMethods(document: ResolvedDocument): Map<string, unknown> {
  const listed = readArray(document.verificationMethod).filter(isJsonObject);
  if (listed.length > MAX_METHODS) {
    throw keyNotFound(document.id, `document has more than ${MAX_METHODS} verification methods`);
  }
  const methods = new Map(
    listed.map((method) => [toAbsolute(toText(method.id), document.id), method]),
  );
  if (methods.size < listed.length) {
    throw keyNotFound(document.id, "document has two verification methods with the same id");
  }
  return methods;
}

function readArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A list with one text in it is no text, though `String` makes it one. */
function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** DID Core §3.2.2: `#key-1` is relative to the DID. */
function toAbsolute(id: string, did: string): string {
  return id.startsWith("#") ? did + id : id;
}

/** The member that holds the key, by type of method. */
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
  return publicKey === undefined ? undefined : { keyId, publicKey };
}

/** Reads the key where the method's type puts it; every other spelling present must say the same. */
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

/** 32 bytes take at most this many characters. */
const MAX_BASE58_KEY = 44;

function readBase58Key(value: unknown): Uint8Array<ArrayBuffer> | undefined {
  const bytes = typeof value === "string" ? readBase58(value, MAX_BASE58_KEY) : undefined;
  return bytes?.length === 32 ? bytes : undefined;
}

function areEqual(a: Uint8Array | undefined, b: Uint8Array): boolean {
  return a !== undefined && a.length === b.length && a.every((byte, index) => byte === b[index]);
}
