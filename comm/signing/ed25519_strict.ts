/**
 * Strict Ed25519 verification (RFC 8032), which returns the same result with every implementation.
 *
 * Native implementations disagree on points of small order, non-canonical encodings and the
 * cofactor. {@linkcode withStrictChecks} rejects points of small order and non-canonical encodings
 * before it calls the implementation, as the WebCrypto specification requires. All implementations
 * agree on signatures that pass the strict checks.
 *
 * @module
 */

/** Bytes that WebCrypto accepts: not backed by a `SharedArrayBuffer`. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** An imported private key. */
export interface PrivateKey {
  /** The public key, 32 bytes. */
  readonly publicKey: Bytes;
  /** Signs data. Returns 64 bytes. */
  sign(data: Bytes): Promise<Bytes>;
}

/** An imported public key. */
export interface PublicKey {
  /** Returns `true` if a 64-byte signature is valid for the data. */
  verify(signature: Bytes, data: Bytes): Promise<boolean>;
}

/** An Ed25519 implementation. */
export interface Ed25519Backend {
  /** Name of the implementation. */
  readonly name: "node" | "webcrypto" | "noble";
  /** Imports a private key from its 32-byte seed (RFC 8032 §5.1.5). */
  openPrivateKey(seed: Bytes): Promise<PrivateKey>;
  /**
   * Imports a 32-byte public key. Does not throw for an invalid key; verification with an invalid
   * key always fails.
   */
  openPublicKey(publicKey: Bytes): Promise<PublicKey>;
}

/** Adds strict checks of the public key and the signature to a backend. */
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

/** The prime 2^255 - 19. Canonical coordinates are less than 2^255 - 19. */
const PRIME = toBytes("edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f");

/** The group order 2^252 + 27742317777372353535851937790883648493. */
const ORDER = toBytes("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");

/** The y coordinates of the points of small order. */
const SMALL_ORDER_Y = [
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
].map(toBytes);

/** Converts little-endian hexadecimal digits to bytes. */
function toBytes(hex: string): Uint8Array {
  return Uint8Array.from(
    { length: 32 },
    (_, index) => parseInt(hex.slice(index * 2, index * 2 + 2), 16),
  );
}

/**
 * Returns `true` if R passes `isStrictPoint` and S is less than the group order. If a larger S were
 * accepted, a second valid signature could be computed from the first.
 */
function isStrictSignature(signature: Uint8Array): boolean {
  return signature.length === 64 && isStrictPoint(signature) &&
    isBelow(signature.subarray(32), ORDER);
}

/**
 * Returns `true` if the point in the first 32 bytes (y coordinate and sign of x) is canonically
 * encoded and does not have small order. A signature with a point of small order could be valid for
 * many messages.
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
