/**
 * Generated edge cases for Ed25519 signatures, with the expected results of strict, cofactorless
 * verification.
 *
 * @module
 */

import { Point } from "@noble/ed25519";
import { concatBytes } from "../shared/concat_bytes.ts";
import type { Bytes } from "../signing/ed25519_strict.ts";

/** A signature and its expected result. */
export interface EdgeVector {
  readonly name: string;
  readonly publicKey: Bytes;
  readonly data: Bytes;
  readonly signature: Bytes;
  readonly holds: boolean;
}

const { n: L, p: P } = Point.CURVE();

/** A point of order 8, whose multiples are all the points of small order. */
const TORSION = Point.fromHex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05");
const TORSION_ORDERS = [1n, 8n, 4n, 8n, 2n, 8n, 4n, 8n] as const;

/** Creates all edge cases. Each call returns the same cases. */
export async function createEdgeVectors(): Promise<EdgeVector[]> {
  const groups = await Promise.all([
    createHonest(),
    createMalleable(),
    createSmallOrder(),
    createSmallOrderR(),
    createMixedOrderA(),
    createMixedOrderR(),
    createNonCanonical(),
    createOffCurve(),
    createBitFlips(),
    createWrongLengths(),
  ]);
  return groups.flat();
}

interface Honest {
  readonly a: bigint;
  readonly r: bigint;
  readonly data: Bytes;
}

/** Derives scalars and data from a label. */
async function derive(label: string): Promise<Honest> {
  const [a, r] = [await scalar(`${label} a`), await scalar(`${label} r`)];
  return { a, r, data: new TextEncoder().encode(label) };
}

async function scalar(label: string): Promise<bigint> {
  return toInteger(await sha512(new TextEncoder().encode(label))) % L;
}

async function sha512(data: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest("SHA-512", data));
}

function toInteger(bytes: Uint8Array): bigint {
  return bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}

function toBytes(value: bigint): Bytes {
  return Uint8Array.from({ length: 32 }, (_, index) => Number((value >> BigInt(8 * index)) & 255n));
}

function multiply(point: Point, by: bigint): Point {
  return by === 0n ? Point.ZERO : point.multiply(by, false);
}

function encode(point: Point): Bytes {
  return new Uint8Array(point.toBytes());
}

async function hash(r: Bytes, publicKey: Bytes, data: Bytes): Promise<bigint> {
  return toInteger(await sha512(concatBytes([r, publicKey, data]))) % L;
}

/** Computes S = r + k a for the given encodings of R and A. */
async function sign(key: Honest, r: Bytes, publicKey: Bytes): Promise<{ s: bigint; k: bigint }> {
  const k = await hash(r, publicKey, key.data);
  return { s: (key.r + k * key.a) % L, k };
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

async function createHonestOne(label: string): Promise<EdgeVector & { readonly s: bigint }> {
  const key = await derive(label);
  const publicKey = encode(multiply(Point.BASE, key.a));
  const r = encode(multiply(Point.BASE, key.r));
  const { s } = await sign(key, r, publicKey);
  const signature = concatBytes([r, toBytes(s)]);
  return { name: label, publicKey, data: key.data, signature, holds: true, s };
}

function createHonest(): Promise<EdgeVector[]> {
  return Promise.all(range(20).map((index) => createHonestOne(`honest ${index}`)));
}

/**
 * Creates signatures in which a multiple of the group order is added to S, and signatures in which
 * S is 0, the order, or the order minus 1.
 */
async function createMalleable(): Promise<EdgeVector[]> {
  const vectors: EdgeVector[] = [];
  for (const index of range(5)) {
    const { s, ...vector } = await createHonestOne(`malleable ${index}`);
    const scalars = [...range(15).map((times) => s + BigInt(times + 1) * L), L, L - 1n, 0n];
    for (const value of scalars) {
      const signature = concatBytes([vector.signature.subarray(0, 32), toBytes(value)]);
      vectors.push({ ...vector, name: `${vector.name} S=${value}`, signature, holds: value === s });
    }
  }
  return vectors;
}

/**
 * Returns all encodings of points of small order, canonical or not: y in the torsion set or y + p,
 * with both signs.
 */
function smallOrderEncodings(): Bytes[] {
  const ys = new Set(
    range(8).map((times) => toInteger(encode(multiply(TORSION, BigInt(times)))) & MASK),
  );
  for (const y of [...ys]) if (y + P <= MASK) ys.add(y + P);
  return [...ys].flatMap((y) => [toBytes(y), toBytes(y | (1n << 255n))]);
}

const MASK = (1n << 255n) - 1n;

function createSmallOrder(): EdgeVector[] {
  const encodings = smallOrderEncodings();
  return encodings.flatMap((publicKey, a) =>
    encodings.map((r, b) => ({
      name: `small order A ${a}, R ${b}`,
      publicKey,
      data: new TextEncoder().encode("Zcash"),
      signature: concatBytes([r, new Uint8Array(32)]),
      holds: false,
    }))
  );
}

/**
 * Creates signatures with regular keys and an R of small order. Without the cofactor, a signature
 * with an R of small order is valid only if R is the identity.
 */
function createSmallOrderR(): Promise<EdgeVector[]> {
  return Promise.all(
    smallOrderEncodings().map(async (r, index) => {
      const key = { ...await derive(`small order R ${index}`), r: 0n };
      const publicKey = encode(multiply(Point.BASE, key.a));
      const { s } = await sign(key, r, publicKey);
      const signature = concatBytes([r, toBytes(s)]);
      return { name: `small order R ${index}`, publicKey, data: key.data, signature, holds: false };
    }),
  );
}

/**
 * Creates signatures with keys that have a component of small order. Without the cofactor, a
 * signature with a key that has a small-order component is valid if and only if k cancels that
 * component.
 */
async function createMixedOrderA(): Promise<EdgeVector[]> {
  const vectors: EdgeVector[] = [];
  for (const times of [1, 2, 3, 4, 5, 6, 7]) {
    for (const index of range(16)) {
      const key = await derive(`mixed order A ${times} ${index}`);
      const torsion = multiply(TORSION, BigInt(times));
      const publicKey = encode(multiply(Point.BASE, key.a).add(torsion));
      const r = encode(multiply(Point.BASE, key.r));
      const { s, k } = await sign(key, r, publicKey);
      const name = `mixed order A ${times} ${index}`;
      const signature = concatBytes([r, toBytes(s)]);
      const holds = k % (TORSION_ORDERS[times] ?? 1n) === 0n;
      vectors.push({ name, publicKey, data: key.data, signature, holds });
    }
  }
  return vectors;
}

/**
 * Creates signatures in which R has a component of small order, which are valid with the cofactor
 * but not without it.
 */
function createMixedOrderR(): Promise<EdgeVector[]> {
  return Promise.all([1, 2, 3, 4, 5, 6, 7].map(async (times) => {
    const key = await derive(`mixed order R ${times}`);
    const publicKey = encode(multiply(Point.BASE, key.a));
    const r = encode(multiply(Point.BASE, key.r).add(multiply(TORSION, BigInt(times))));
    const { s } = await sign(key, r, publicKey);
    const signature = concatBytes([r, toBytes(s)]);
    return { name: `mixed order R ${times}`, publicKey, data: key.data, signature, holds: false };
  }));
}

/** Creates cases in which the y coordinate of the key or of R is between p and 2^255 - 1. */
async function createNonCanonical(): Promise<EdgeVector[]> {
  const { data, signature, publicKey } = await createHonestOne("non-canonical");
  return range(19).flatMap((offset) =>
    [0n, 1n << 255n].flatMap((sign) => {
      const encoding = toBytes((P + BigInt(offset)) | sign);
      const name = `non-canonical p+${offset}`;
      const moved = concatBytes([encoding, signature.subarray(32)]);
      return [
        { name: `${name} A`, publicKey: encoding, data, signature, holds: false },
        { name: `${name} R`, publicKey, data, signature: moved, holds: false },
      ];
    })
  );
}

async function createOffCurve(): Promise<EdgeVector[]> {
  const { data, signature, publicKey } = await createHonestOne("off curve");
  const encodings = range(200).map((y) => toBytes(BigInt(y))).filter((bytes) => !isPoint(bytes));
  return encodings.slice(0, 20).flatMap((encoding, index) => {
    const moved = concatBytes([encoding, signature.subarray(32)]);
    return [
      { name: `off curve A ${index}`, publicKey: encoding, data, signature, holds: false },
      { name: `off curve R ${index}`, publicKey, data, signature: moved, holds: false },
    ];
  });
}

function isPoint(bytes: Bytes): boolean {
  try {
    Point.fromBytes(bytes, true);
    return true;
  } catch {
    return false;
  }
}

async function createBitFlips(): Promise<EdgeVector[]> {
  const vector = await createHonestOne("bit flips");
  return range(64).flatMap((index) => [
    {
      ...vector,
      name: `flip S/R ${index}`,
      signature: flip(vector.signature, index * 8 + index % 8),
      holds: false,
    },
    {
      ...vector,
      name: `flip A ${index}`,
      publicKey: flip(vector.publicKey, index * 4),
      holds: false,
    },
  ]);
}

function flip(bytes: Bytes, bit: number): Bytes {
  const flipped = bytes.slice();
  flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return flipped;
}

async function createWrongLengths(): Promise<EdgeVector[]> {
  const vector = await createHonestOne("lengths");
  const { signature, publicKey } = vector;
  const zero = Uint8Array.of(0);
  return [
    { ...vector, name: "63 bytes", signature: signature.slice(0, 63), holds: false },
    { ...vector, name: "65 bytes", signature: concatBytes([signature, zero]), holds: false },
    { ...vector, name: "no signature", signature: new Uint8Array(), holds: false },
    { ...vector, name: "a 31-byte key", publicKey: publicKey.slice(0, 31), holds: false },
    { ...vector, name: "a 33-byte key", publicKey: concatBytes([publicKey, zero]), holds: false },
  ];
}
