/**
 * Ed25519 arithmetic (RFC 8032 §5.1) for signatures that no regular signer creates. The code does
 * not run in constant time and must not be used with real keys.
 *
 * @module
 */

import { createHash } from "node:crypto";

/** Modulus of the field over which the curve is defined. */
export const P: bigint = 2n ** 255n - 19n;
/** Order of the base point. */
export const L: bigint = 2n ** 252n + 27742317777372353535851937790883648493n;
const D = mod(-121665n * inverse(121666n), P);
const SQRT_MINUS_ONE = power(2n, (P - 1n) / 4n);

/** A point on the curve, in affine coordinates. */
export interface Point {
  readonly x: bigint;
  readonly y: bigint;
}

/** The identity element of the curve's group. */
export const IDENTITY: Point = { x: 0n, y: 1n };
/** The base point of the curve. */
export const BASE: Point = { x: recoverX(4n * inverse(5n)), y: mod(4n * inverse(5n), P) };
/** A point of order 8 on the curve. */
export const ORDER_8: Point = findOrder8();

/** Returns the non-negative remainder of a division. */
export function mod(value: bigint, modulus: bigint): bigint {
  return ((value % modulus) + modulus) % modulus;
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let square = mod(base, P), rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = result * square % P;
    square = square * square % P;
  }
  return result;
}

function inverse(value: bigint): bigint {
  return power(value, P - 2n);
}

/**
 * Returns the even x coordinate for y (RFC 8032 §5.1.3). Throws a `RangeError` if the curve has no
 * point with this y.
 */
function recoverX(y: bigint): bigint {
  const square = mod((y * y - 1n) * inverse(D * y * y + 1n), P);
  let x = power(square, (P + 3n) / 8n);
  if (mod(x * x - square, P) !== 0n) x = mod(x * SQRT_MINUS_ONE, P);
  if (mod(x * x - square, P) !== 0n) throw new RangeError(`Cannot decode ${y}: not on the curve`);
  return x & 1n ? P - x : x;
}

/** Adds two points. */
export function add(a: Point, b: Point): Point {
  const product = D * a.x * b.x * a.y * b.y;
  return {
    x: mod((a.x * b.y + b.x * a.y) * inverse(1n + product), P),
    y: mod((a.y * b.y + a.x * b.x) * inverse(1n - product), P),
  };
}

/** Multiplies a point by a scalar. */
export function multiply(point: Point, times: bigint): Point {
  let result = IDENTITY;
  for (let double = point, rest = times; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = add(result, double);
    double = add(double, double);
  }
  return result;
}

/** Finds a point of order 8. L times any point on the curve is in the subgroup of order 8. */
function findOrder8(): Point {
  for (let y = 2n;; y++) {
    try {
      const point = multiply({ x: recoverX(y), y }, L);
      if (!isIdentity(multiply(point, 4n))) return point;
    } catch {
      // About half of all y values do not belong to any point on the curve.
    }
  }
}

/** Returns true if a point is the identity element. */
export function isIdentity({ x, y }: Point): boolean {
  return x === 0n && y === 1n;
}

/** Encodes a point in 32 bytes. */
export function encodePoint({ x, y }: Point): Uint8Array {
  return encodeNumber(y | (x & 1n) << 255n);
}

/** Encodes a number in 32 little-endian bytes. */
export function encodeNumber(value: bigint): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, index) => Number(value >> BigInt(8 * index) & 255n));
}

/** Decodes a number from little-endian bytes. */
export function decodeNumber(bytes: Uint8Array): bigint {
  return bytes.reduceRight((value, byte) => value << 8n | BigInt(byte), 0n);
}

/** Returns the SHA-512 hash of the concatenated parts. */
export function sha512(...parts: readonly Uint8Array[]): Uint8Array {
  const hash = createHash("sha512");
  for (const part of parts) hash.update(part);
  return new Uint8Array(hash.digest());
}

/** Derives the secret scalar from a seed (RFC 8032 §5.1.5). */
export function secretScalar(seed: Uint8Array): bigint {
  const bytes = sha512(seed).slice(0, 32);
  const value = decodeNumber(bytes);
  return value & (2n ** 254n - 8n) | 2n ** 254n;
}

/** Returns the challenge, which binds a signature to its key and message (RFC 8032 §5.1.7). */
export function challenge(r: Uint8Array, publicKey: Uint8Array, message: Uint8Array): bigint {
  return mod(decodeNumber(sha512(r, publicKey, message)), L);
}
