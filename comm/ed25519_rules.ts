/**
 * What every implementation of Ed25519 (RFC 8032) has to keep to here, so that the verdict is one on every runtime.
 *
 * Native implementations disagree on small-order points, non-canonical encodings and cofactored equations. The checks
 * of {@linkcode withRules} run before every backend and refuse all of them, which is also what the W3C WebCrypto text
 * asks for; what is left, all backends judge alike.
 *
 * @module
 */

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

/** A backend that looks at a signature before it verifies one. */
export function withRules(backend: Ed25519Backend): Ed25519Backend {
  return {
    ...backend,
    async openPublicKey(publicKey) {
      const key = await backend.openPublicKey(publicKey);
      return {
        verify: (signature, data) =>
          isWellFormedSignature(signature, publicKey)
            ? key.verify(signature, data)
            : Promise.resolve(false),
      };
    },
  };
}

/**
 * The checks that come before every backend: 64 and 32 bytes; S below the group order, or the signature could be
 * rewritten; R and A in their one encoding and not of small order, or one signature could hold for many messages.
 */
function isWellFormedSignature(signature: Uint8Array, publicKey: Uint8Array): boolean {
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
