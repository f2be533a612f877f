/**
 * Private Ed25519 keys as JSON Web Keys (RFC 8037) and in PKCS #8 (RFC 8410).
 *
 * @module
 */

import { formatBase64url, readBase64url } from "../shared/base64url.ts";
import { invalidArgument } from "../shared/error.ts";
import { formatValue, quote } from "@parley/internal/format-value";
import type { Bytes } from "./ed25519_strict.ts";

/**
 * A private Ed25519 key as a JSON Web Key (RFC 8037 §2). Store the key like a password: it can be
 * used to sign on behalf of its DID.
 */
export interface PrivateKeyJwk {
  /** Key type: `OKP`. */
  readonly kty?: string;
  /** Curve: `Ed25519`. */
  readonly crv?: string;
  /** Public key, 32 bytes, encoded as base64url. */
  readonly x?: string;
  /** Private key, 32 bytes, encoded as base64url. */
  readonly d?: string;
  /** DID URL of the key, such as `did:web:ann.example#key-1`. */
  readonly kid?: string;
}

/** A private key that has been read, with the public key if the format contains one. */
export interface ReadPrivateKey {
  readonly seed: Bytes;
  readonly publicKey: Bytes | undefined;
}

/**
 * Reads a private key from a JWK. Throws a `TypeError` or `invalid_argument` if the JWK is not a
 * private Ed25519 key.
 */
export function readJwk(jwk: PrivateKeyJwk): ReadPrivateKey {
  if (typeof jwk !== "object" || jwk === null) {
    throw new TypeError(`"jwk" must be a JSON Web Key, got ${formatValue(jwk)}`);
  }
  const { kty, crv, x, d } = jwk;
  if (kty !== "OKP") throw invalidArgument("jwk.kty", `must be "OKP", got ${formatValue(kty)}`);
  if (crv !== "Ed25519") {
    throw invalidArgument("jwk.crv", `must be "Ed25519", got ${formatValue(crv)}`);
  }
  // Error messages must not contain the value of `d`.
  if (d === undefined) throw invalidArgument("jwk.d", "is missing: the JWK is a public key");
  return { seed: readKeyMember("jwk.d", d), publicKey: readKeyMember("jwk.x", x) };
}

function readKeyMember(name: string, value: unknown): Bytes {
  const bytes = typeof value === "string" ? readBase64url(value) : undefined;
  if (bytes?.length === 32) return bytes;
  throw invalidArgument(name, "must be the base64url encoding of 32 bytes");
}

/**
 * Reads the identity from the `kid` of a JWK. Returns an empty object if `kid` is absent. Throws
 * `invalid_argument` if `kid` is not a DID URL with a fragment.
 */
export function readKeyId({ kid }: PrivateKeyJwk): { did?: string; keyId?: string } {
  if (kid === undefined) return {};
  const end = typeof kid === "string" ? kid.indexOf("#") : -1;
  if (typeof kid !== "string" || end < 0 || !kid.startsWith("did:")) {
    const got = formatValue(kid);
    throw invalidArgument("jwk.kid", `must be the DID URL of the key, got ${got}`);
  }
  return { did: kid.slice(0, end), keyId: kid };
}

/** Throws `invalid_argument` if the `kid` of a JWK names a different key than `keyId`. */
export function assertKeyId(kid: string | undefined, keyId: string | undefined): void {
  if (kid === undefined || keyId === undefined || kid === keyId) return;
  throw invalidArgument("jwk.kid", `must be equal to "keyId" ${quote(keyId)}, got ${quote(kid)}`);
}

/** Formats a private key as a JWK. */
export function formatJwk(seed: Bytes, publicKey: Bytes, kid: string): Required<PrivateKeyJwk> {
  return {
    kty: "OKP",
    crv: "Ed25519",
    x: formatBase64url(publicKey),
    d: formatBase64url(seed),
    kid,
  };
}

/** DER of a PKCS #8 key, version 1, up to its seed (RFC 8410 §7). */
const PREFIX = Uint8Array.of(48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32);
/** DER from the algorithm to the seed, which is the same in versions 1 and 2 of PKCS #8. */
const ALGORITHM = PREFIX.subarray(5);
/** DER before the public key, a bit string of 32 bytes. */
const PUBLIC_KEY = Uint8Array.of(0x81, 33, 0);
/** DER tag of the attributes. */
const ATTRIBUTES = 0xa0;

/** Formats a private key in PKCS #8, version 1, as WebCrypto and OpenSSL do. */
export function formatPkcs8(seed: Bytes): Bytes {
  return Uint8Array.of(...PREFIX, ...seed);
}

/**
 * Reads a private key from PKCS #8 (RFC 5958 §2). Version 2 can contain attributes, which are
 * ignored, and the public key. Throws a `TypeError` or `invalid_argument` if the bytes are not a
 * private Ed25519 key.
 */
export function readPkcs8(pkcs8: Uint8Array): ReadPrivateKey {
  if (!(pkcs8 instanceof Uint8Array)) {
    throw new TypeError(`"pkcs8" must be a Uint8Array, got ${formatValue(pkcs8)}`);
  }
  const [tag, length, versionTag, versionLength, version = 2] = pkcs8;
  const isKey = tag === 48 && length === pkcs8.length - 2 && length < 128 &&
    versionTag === 2 && versionLength === 1 && version <= 1 &&
    pkcs8.length >= 48 && startsWith(pkcs8.subarray(5), ALGORITHM);
  if (isKey) {
    const publicKey = skipAttributes(pkcs8.subarray(48));
    const seed = new Uint8Array(pkcs8.subarray(16, 48));
    if (publicKey.length === 0) return { seed, publicKey: undefined };
    if (publicKey.length === 35 && startsWith(publicKey, PUBLIC_KEY)) {
      return { seed, publicKey: new Uint8Array(publicKey.subarray(3)) };
    }
  }
  throw invalidArgument("pkcs8", "must be an Ed25519 private key in DER");
}

/**
 * Returns the bytes that follow the attributes of a PKCS #8 key. Attributes that extend beyond the
 * end of the bytes are not skipped.
 */
function skipAttributes(bytes: Uint8Array): Uint8Array {
  const end = 2 + (bytes[1] ?? Infinity);
  return bytes[0] === ATTRIBUTES && end <= bytes.length ? bytes.subarray(end) : bytes;
}

function startsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  return prefix.every((byte, index) => bytes[index] === byte);
}
