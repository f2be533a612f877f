/**
 * Signers: the signer interface, and signers with a local private key.
 *
 * @module
 */

import { formatDidKey, parseDidKey } from "../did/key.ts";
import { isDid, parseDid } from "../did/did.ts";
import { detectBackend, exportPublicKey, openCryptoKey } from "./ed25519.ts";
import type { Bytes, PrivateKey } from "./ed25519_strict.ts";
import {
  assertKeyId,
  type PrivateKeyJwk,
  readJwk,
  readKeyId,
  readPkcs8,
  type ReadPrivateKey,
} from "./key_formats.ts";
import { assertMethods, assertObject, rejectArgument } from "@parley/internal/assert-argument";
import { assertNames, namesOf } from "@parley/internal/options";
import { formatBase64url } from "../shared/base64url.ts";
import { invalidArgument } from "../shared/error.ts";
import { formatValue, quote } from "@parley/internal/format-value";
import type { AgentCommMessage } from "../message/message.ts";

/**
 * Signs data on behalf of a DID. The interface can be implemented with a remote key, for example in
 * a key management service. The service must support Ed25519 without prehashing, and must accept
 * data of the required size: `signMessage` passes the whole signing payload, and `proveMessage`
 * passes 64 bytes. For example, AWS KMS signs at most 4096 bytes, so use proofs with AWS KMS.
 *
 * @example Create a signer with a remote key
 * ```ts
 * import { generateSigner, type Signer } from "@parley/comm";
 * import { assertEquals } from "@std/assert";
 *
 * const vault = await generateSigner();
 * const signer: Signer = {
 *   did: "did:web:ann.example",
 *   keyId: "did:web:ann.example#key-1",
 *   sign: (data, { signal } = {}) => vault.sign(data, signal === undefined ? {} : { signal }),
 * };
 * assertEquals((await signer.sign(new Uint8Array(3))).length, 64);
 * ```
 */
export interface Signer {
  /** The DID of the signer. */
  readonly did: string;
  /** DID URL of the verification method. */
  readonly keyId: string;
  /**
   * Signs data with Ed25519.
   *
   * @param data Data to sign: 64 bytes for a proof, otherwise the signing payload, whose size
   *   depends on the message. Sign the data as is: do not hash it or add a prefix.
   * @param options An optional abort signal.
   * @returns The signature, 64 bytes.
   */
  sign(
    data: Uint8Array<ArrayBuffer>,
    options?: { readonly signal?: AbortSignal },
  ): Promise<Uint8Array<ArrayBuffer>>;
}

/** A private key and its DID. */
export type SignerInit = SignerKey & SignerIdentity;

/**
 * A private key, which is copied: a 32-byte seed (RFC 8032 §5.1.5), a JSON Web Key (RFC 8037), a
 * PKCS #8 key in DER (RFC 8410), or a WebCrypto key pair.
 */
export type SignerKey =
  | KeyIn<"seed", Uint8Array>
  | KeyIn<"jwk", PrivateKeyJwk>
  | KeyIn<"pkcs8", Uint8Array>
  | KeyIn<"keyPair", CryptoKeyPair>;

/** A private key in exactly one of the formats of a {@linkcode SignerKey}. */
export type KeyIn<Format extends string, Key> =
  & { readonly [F in Format]: Key }
  & { readonly [F in Exclude<"seed" | "jwk" | "pkcs8" | "keyPair", Format>]?: undefined };

/**
 * DID and key id of the signer. If `did` and `keyId` are omitted, the signer uses the `kid` of its
 * JWK or, if it is absent, the did:key of its public key. If `did` and `keyId` are set, the DID
 * document must list the key under `keyId`.
 */
export type SignerIdentity =
  | { readonly did?: undefined; readonly keyId?: undefined }
  | { readonly did: string; readonly keyId: string };

/** A signer whose private key is held in this process. */
export interface LocalSigner extends Signer {
  /** The Ed25519 public key, 32 bytes, as a new copy on each access. */
  readonly publicKey: Uint8Array<ArrayBuffer>;
}

/** Throws a `TypeError` unless a value is a signer with a valid DID. */
export function assertSigner(name: string, value: unknown): void {
  assertMethods(name, "a Signer", value, ["sign"]);
  const did: unknown = Reflect.get(Object(value), "did");
  if (!isDid(did)) rejectArgument(`${name}.did`, "a DID", did);
}

/** Throws `invalid_argument` if the signer is not the sender of the message. */
export function assertSender(message: AgentCommMessage, signer: Signer): void {
  assertMethods("signer", "a Signer", signer, ["sign"], "create one with createSigner()");
  if (signer.did !== message.sender) {
    const expected = `must have the DID of the sender, ${quote(message.sender)}`;
    throw invalidArgument("signer", `${expected}, got ${formatValue(signer.did)}`);
  }
}

/** Validates the signature, because a custom signer might return any value. */
export function assertSignature(signature: unknown): void {
  if (!(signature instanceof Uint8Array) || signature.length !== 64) {
    throw new TypeError("Cannot sign message: signer did not return 64 bytes");
  }
}

const INIT_NAMES = namesOf<SignerInit>({
  seed: true,
  jwk: true,
  pkcs8: true,
  keyPair: true,
  did: true,
  keyId: true,
});

/** Imports a private key. Derives the DID from the key unless `init` contains one. */
export async function openSigner(init: SignerInit): Promise<LocalSigner> {
  assertObject("init", init);
  assertNames("init", init, INIT_NAMES);
  const key = await openKey(init);
  const identity = readIdentity(init, key.publicKey);
  const sign: LocalSigner["sign"] = (data, { signal } = {}) =>
    signal?.aborted === true ? Promise.reject(signal.reason) : key.sign(data);
  LOCAL_SIGN_FUNCTIONS.add(sign);
  return {
    ...identity,
    get publicKey(): Bytes {
      return key.publicKey.slice();
    },
    sign,
  };
}

/** The `sign` functions that this module has created. */
const LOCAL_SIGN_FUNCTIONS = new WeakSet<Signer["sign"]>();

/** Returns `true` if a signer signs with a key that this package has imported. */
export function isLocalSigner({ sign }: Signer): boolean {
  return LOCAL_SIGN_FUNCTIONS.has(sign);
}

async function openKey({ seed, jwk, pkcs8, keyPair }: SignerInit): Promise<PrivateKey> {
  const formats = Object.entries({ seed, jwk, pkcs8, keyPair }).filter(([, key]) =>
    key !== undefined
  );
  if (formats.length > 1) {
    const names = formats.map(([name]) => `"${name}"`).join(" and ");
    throw new TypeError(`Exactly one key must be set, got ${names}`);
  }
  if (keyPair !== undefined) {
    return openCryptoKey(keyPair.privateKey, await exportPublicKey(keyPair.publicKey));
  }
  if (jwk !== undefined) return await openReadKey("jwk.x", readJwk(jwk));
  if (pkcs8 !== undefined) return await openReadKey("pkcs8", readPkcs8(pkcs8));
  if (!(seed instanceof Uint8Array)) {
    throw new TypeError(
      `"seed" must be a Uint8Array if no other key is set, got ${formatValue(seed)}`,
    );
  }
  if (seed.length !== 32) {
    throw new RangeError(`"seed" must be 32 bytes, got ${seed.length}`);
  }
  const backend = await detectBackend();
  return await backend.openPrivateKey(new Uint8Array(seed));
}

/**
 * Imports a key that was read from the named argument, and overwrites the copy of its seed with
 * zeros.
 */
async function openReadKey(name: string, { seed, publicKey }: ReadPrivateKey): Promise<PrivateKey> {
  const backend = await detectBackend();
  const key = await backend.openPrivateKey(seed);
  seed.fill(0);
  if (publicKey !== undefined && formatBase64url(publicKey) !== formatBase64url(key.publicKey)) {
    throw invalidArgument(name, "must contain the public key of the private key");
  }
  return key;
}

function readIdentity(init: SignerInit, publicKey: Bytes): { did: string; keyId: string } {
  const own = formatDidKey(publicKey);
  assertKeyId(init.jwk?.kid, init.keyId);
  const given = init.did === undefined && init.jwk !== undefined ? readKeyId(init.jwk) : init;
  const { did = own, keyId = `${own}#${own.slice("did:key:".length)}` } = given;
  if (!keyId.startsWith(`${did}#`)) {
    throw invalidArgument("keyId", `must start with ${quote(`${did}#`)}, got ${quote(keyId)}`);
  }
  if (parseDid(did).method === "key") checkDidKey(did, own);
  return { did, keyId };
}

function checkDidKey(did: string, own: string): void {
  parseDidKey(did);
  if (did !== own) {
    throw invalidArgument("did", `must be the did:key of the given key, got ${quote(did)}`);
  }
}
