/**
 * Ed25519 in JavaScript. This is the only module that imports `@noble/ed25519`.
 *
 * @module
 */

import { getPublicKeyAsync, Point, signAsync } from "@noble/ed25519";
import { type Bytes, type Ed25519Backend, withStrictChecks } from "./ed25519_strict.ts";

/** Ed25519 backend that uses `@noble/ed25519`. */
export const NOBLE: Ed25519Backend = withStrictChecks({
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
      verify: (signature, data) => verifyCofactorless(signature, data, publicKey),
    });
  },
});

/**
 * Verifies a signature without the cofactor (RFC 8032 §5.1.7), as native implementations do:
 * compares R with [S]B - [k]A.
 */
async function verifyCofactorless(
  signature: Bytes,
  data: Bytes,
  publicKey: Bytes,
): Promise<boolean> {
  const point = readPoint(publicKey);
  if (point === undefined) return false;
  const hashed = new Uint8Array(64 + data.length);
  hashed.set(signature.subarray(0, 32));
  hashed.set(publicKey, 32);
  hashed.set(data, 64);
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
    // The bytes are not a point on the curve, so no signature is valid.
    return undefined;
  }
}

function toInteger(littleEndian: Uint8Array): bigint {
  return littleEndian.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}
