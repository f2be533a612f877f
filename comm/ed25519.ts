/**
 * Ed25519 (RFC 8032) with one verdict on every runtime.
 *
 * Native implementations disagree on small-order points, non-canonical encodings and cofactored equations. The checks
 * of {@linkcode isWellFormedSignature} run before every backend and refuse all of them, which is also what the W3C
 * WebCrypto text asks for; what is left, all backends judge alike.
 *
 * This is the one door to `@noble/ed25519`, used where WebCrypto has no Ed25519.
 *
 * @module
 */

import { getPublicKeyAsync, Point, signAsync } from "@noble/ed25519";
import { readBase64url } from "./base64url.ts";
import { concatBytes } from "./bytes.ts";

/** Bytes that WebCrypto takes: not over a SharedArrayBuffer. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** A private key that is ready to sign. */
export interface PrivateKey {
  /** The public key, 32 bytes. */
  readonly publicKey: Bytes;
  /** Signs data; 64 bytes. */
  sign(data: Bytes): Promise<Bytes>;
}

/** A public key that is ready to verify. */
export interface PublicKey {
  /** Whether the key's owner made the 64 bytes of signature over the data. */
  verify(signature: Bytes, data: Bytes): Promise<boolean>;
}

/** An implementation of Ed25519. */
export interface Ed25519Backend {
  /** Which one. */
  readonly name: "webcrypto" | "noble";
  /** Makes a private key ready, from its seed of 32 bytes (RFC 8032 §5.1.5). */
  openPrivateKey(seed: Bytes): Promise<PrivateKey>;
  /** Makes a public key ready, from its 32 bytes; any bytes will do, wrong ones verify nothing. */
  openPublicKey(publicKey: Bytes): Promise<PublicKey>;
}

const ED25519 = { name: "Ed25519" };

/** PKCS #8 around a seed (RFC 8410 §7). */
const PKCS8_PREFIX = Uint8Array.of(48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32);

/** Ed25519 by the platform: 6 to 20 times quicker than JavaScript. */
export const WEB_CRYPTO: Ed25519Backend = {
  name: "webcrypto",
  async openPrivateKey(seed) {
    const pkcs8 = Uint8Array.of(...PKCS8_PREFIX, ...seed);
    // WebCrypto derives the public key only on the way out of an extractable key.
    const extractable = await crypto.subtle.importKey("pkcs8", pkcs8, ED25519, true, ["sign"]);
    const jwk = await crypto.subtle.exportKey("jwk", extractable);
    const publicKey = readBase64url(jwk.x ?? "");
    if (publicKey?.length !== 32) throw new TypeError("Cannot derive public key: the JWK has none");
    const key = await crypto.subtle.importKey("pkcs8", pkcs8, ED25519, false, ["sign"]);
    pkcs8.fill(0);
    return openCryptoKey(key, publicKey);
  },
  async openPublicKey(publicKey) {
    const key = await importPublicKey(publicKey);
    return {
      async verify(signature, data): Promise<boolean> {
        if (key === undefined || !isWellFormedSignature(signature, publicKey)) return false;
        return await crypto.subtle.verify(ED25519, key, signature, data);
      },
    };
  },
};

/** Wraps a WebCrypto private key. */
export function openCryptoKey(key: CryptoKey, publicKey: Bytes): PrivateKey {
  return {
    publicKey,
    sign: async (data) => new Uint8Array(await crypto.subtle.sign(ED25519, key, data)),
  };
}

/** The bytes of a WebCrypto public key. */
export async function exportPublicKey(key: CryptoKey): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.exportKey("raw", key));
}

async function importPublicKey(publicKey: Bytes): Promise<CryptoKey | undefined> {
  try {
    return await crypto.subtle.importKey("raw", publicKey, ED25519, false, ["verify"]);
  } catch {
    // Some platforms look at the point here, others when they verify; either way the key verifies nothing.
    return undefined;
  }
}

/** Ed25519 in JavaScript. */
export const NOBLE: Ed25519Backend = {
  name: "noble",
  async openPrivateKey(seed) {
    const secret = seed.slice();
    return {
      publicKey: new Uint8Array(await getPublicKeyAsync(secret)),
      sign: async (data) => new Uint8Array(await signAsync(data, secret)),
    };
  },
  openPublicKey(publicKey) {
    return Promise.resolve({
      verify: (signature, data) =>
        isWellFormedSignature(signature, publicKey)
          ? verifyCofactorless(signature, data, publicKey)
          : Promise.resolve(false),
    });
  },
};

/** RFC 8032 §5.1.7 without the cofactor, as every native implementation has it: R = [S]B - [k]A, compared as bytes. */
async function verifyCofactorless(
  signature: Bytes,
  data: Bytes,
  publicKey: Bytes,
): Promise<boolean> {
  const point = readPoint(publicKey);
  if (point === undefined) return false;
  const hashed = concatBytes([signature.subarray(0, 32), publicKey, data]);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-512", hashed));
  const k = toInteger(digest) % Point.CURVE().n;
  const s = toInteger(signature.subarray(32));
  const r = Point.BASE.multiply(s, false).subtract(point.multiply(k, false)).toBytes();
  return r.every((byte, index) => byte === signature[index]);
}

function readPoint(publicKey: Bytes): Point | undefined {
  try {
    return Point.fromBytes(publicKey, false);
  } catch {
    // The bytes are no point of the curve: nothing verifies under them.
    return undefined;
  }
}

function toInteger(littleEndian: Uint8Array): bigint {
  return littleEndian.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}

let detected: Promise<Ed25519Backend> | undefined;

/** The quickest backend this platform has; found out once. */
export function detectBackend(): Promise<Ed25519Backend> {
  detected ??= hasWebCryptoEd25519().then((found) => found ? WEB_CRYPTO : NOBLE);
  return detected;
}

async function hasWebCryptoEd25519(): Promise<boolean> {
  const basePoint = new Uint8Array(32).fill(0x66).fill(0x58, 0, 1);
  return await importPublicKey(basePoint) !== undefined;
}

/**
 * The checks that come before every backend: 64 and 32 bytes; S below the group order, or the signature could be
 * rewritten; R and A in their one encoding and not of small order, or one signature could hold for many messages.
 */
export function isWellFormedSignature(signature: Uint8Array, publicKey: Uint8Array): boolean {
  return signature.length === 64 && publicKey.length === 32 &&
    isStrictPoint(publicKey, 0) && isStrictPoint(signature, 0) && isBelowOrder(signature);
}

/** The y coordinates of the points of small order, little-endian, without the sign bit. */
const SMALL_ORDER_Y = [
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
].map(toBytes);

/** The order of the group, little-endian: 2^252 + 27742317777372353535851937790883648493. */
const ORDER = toBytes("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");

function toBytes(hex: string): Uint8Array {
  return Uint8Array.from(
    { length: 32 },
    (_, index) => parseInt(hex.slice(index * 2, index * 2 + 2), 16),
  );
}

function isStrictPoint(bytes: Uint8Array, offset: number): boolean {
  return !isNonCanonical(bytes, offset) &&
    !SMALL_ORDER_Y.some((y) => hasY(bytes, offset, y));
}

/** Whether y is at least p = 2^255 - 19: 0xed or more, then only ones. */
function isNonCanonical(bytes: Uint8Array, offset: number): boolean {
  if (((bytes[offset + 31] ?? 0) & 0x7f) !== 0x7f || (bytes[offset] ?? 0) < 0xed) return false;
  for (let index = 30; index >= 1; index--) {
    if (bytes[offset + index] !== 0xff) return false;
  }
  return true;
}

function hasY(bytes: Uint8Array, offset: number, y: Uint8Array): boolean {
  if (((bytes[offset + 31] ?? 0) & 0x7f) !== y[31]) return false;
  for (let index = 0; index < 31; index++) {
    if (bytes[offset + index] !== y[index]) return false;
  }
  return true;
}

function isBelowOrder(signature: Uint8Array): boolean {
  for (let index = 31; index >= 0; index--) {
    const difference = (signature[32 + index] ?? 0) - (ORDER[index] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
