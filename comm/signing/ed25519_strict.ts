/**
 * What every implementation of Ed25519 (RFC 8032) has to keep to here, so that the verdict is one on every runtime.
 *
 * Native implementations disagree on small-order points, non-canonical encodings and cofactored equations. The checks
 * of {@linkcode withStrictChecks} run before every backend and refuse all of them, which is also what the W3C WebCrypto text
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

/** A backend that looks at a key and a signature before it verifies with them. */
export function withStrictChecks(backend: Ed25519Backend): Ed25519Backend {
  return {
    ...backend,
    async openPublicKey(publicKey) {
      const key = await backend.openPublicKey(publicKey);
      const isStrictKey = publicKey.length === 32 && isStrictPoint(publicKey);
      return {
        verify: (signature, data) =>
          isStrictKey && isStrictSignature(signature)
            ? key.verify(signature, data)
            : Promise.resolve(false),
      };
    },
  };
}

/** 2^255 - 19: coordinates are below it. */
const PRIME = toBytes("edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f");

/** The order of the group: 2^252 + 27742317777372353535851937790883648493. */
const ORDER = toBytes("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");

/** The y coordinates of the points of small order. */
const SMALL_ORDER_Y = [
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
].map(toBytes);

/** Numbers are little-endian here. */
function toBytes(hex: string): Uint8Array {
  return Uint8Array.from(
    { length: 32 },
    (_, index) => parseInt(hex.slice(index * 2, index * 2 + 2), 16),
  );
}

/** S must be below the group order, or the signature could be rewritten. */
function isStrictSignature(signature: Uint8Array): boolean {
  return signature.length === 64 && isStrictPoint(signature) &&
    isBelow(signature.subarray(32), ORDER);
}

/**
 * The first 32 bytes, which are a y coordinate and the sign of x: in their one encoding and not of small order, or one
 * signature could hold for many messages.
 */
function isStrictPoint(bytes: Uint8Array): boolean {
  const y = bytes.slice(0, 32);
  y[31] = (y[31] ?? 0) & 0x7f;
  return isBelow(y, PRIME) &&
    !SMALL_ORDER_Y.some((small) => small.every((byte, index) => byte === y[index]));
}

function isBelow(number: Uint8Array, limit: Uint8Array): boolean {
  for (let index = 31; index >= 0; index--) {
    const difference = (number[index] ?? 0) - (limit[index] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
