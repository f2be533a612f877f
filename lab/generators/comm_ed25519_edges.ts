/**
 * Cases for Ed25519 signatures that some implementations accept and others reject.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { JsonObject } from "../../conformance/kit/json.ts";
import type { GeneratedArea } from "./generated_area.ts";
import {
  add,
  BASE,
  challenge,
  encodeNumber,
  encodePoint,
  IDENTITY,
  isIdentity,
  L,
  mod,
  multiply,
  ORDER_8,
  P,
  type Point,
  secretScalar,
} from "./ed25519_curve.ts";
import { ALICE } from "./keys.ts";

const AREA = "comm/ed25519-edges";
const SECRET = secretScalar(Buffer.from(ALICE.seedHex, "hex"));
const HONEST_KEY = multiply(BASE, SECRET);
/** Fixed nonce of the signatures. A real signer must never use the same nonce for two messages. */
const NONCE = 7n;
const NONCE_POINT = encodePoint(multiply(BASE, NONCE));
const MIXED_KEY = encodePoint(add(HONEST_KEY, ORDER_8));
const RFC8032 = "https://www.rfc-editor.org/rfc/rfc8032#section-5.1.7";
const WEBCRYPTO = "https://www.w3.org/TR/webcrypto-2/#ed25519-operations-verify";

interface Edge {
  readonly publicKey: Uint8Array;
  readonly message: Uint8Array;
  readonly r: Uint8Array;
  readonly s: bigint;
}

/**
 * Computes S = r + k·a, which satisfies the verification equation however R and A are encoded in
 * the challenge k.
 */
function makeEdge(
  publicKey: Uint8Array,
  message: Uint8Array,
  options: { readonly r?: Uint8Array; readonly nonce?: bigint; readonly secret?: bigint } = {},
): Edge {
  const { r = NONCE_POINT, nonce = NONCE, secret = SECRET } = options;
  return { publicKey, message, r, s: mod(nonce + challenge(r, publicKey, message) * secret, L) };
}

/** Finds the first message whose signature challenge satisfies a condition. */
function findMessage(
  publicKey: Uint8Array,
  r: Uint8Array,
  fits: (k: bigint) => boolean,
): Uint8Array {
  for (let number = 0n;; number++) {
    const message = encodeNumber(number).slice(0, 4);
    if (fits(challenge(r, publicKey, message))) return message;
  }
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

function toRow(name: string, { publicKey, message, r, s }: Edge, valid: boolean): JsonObject {
  return {
    name,
    input: {
      publicKeyHex: toHex(publicKey),
      messageHex: toHex(message),
      signatureHex: toHex(r) + toHex(encodeNumber(s)),
    },
    expect: { ok: { valid } },
  };
}

interface Text {
  readonly slug: string;
  readonly title: string;
  readonly clause: string;
  readonly why: string;
  readonly ref: string;
  readonly basis?: string;
}

function toCase(text: Text, rows: readonly JsonObject[], control?: string): JsonObject {
  const { slug, title, clause, why, ref, basis = "decision" } = text;
  return {
    id: `${AREA}/${slug}`,
    kind: "vector",
    title,
    level: "MUST",
    basis,
    clauses: [clause],
    refs: [ref],
    why,
    ...(control === undefined ? {} : { control: `${AREA}/${control}` }),
    op: "comm.ed25519.verify",
    rows,
  };
}

/** Returns the canonical and non-canonical encodings of the points whose order divides 8. */
function smallOrderEncodings(): readonly (readonly [string, Uint8Array])[] {
  const sign = 2n ** 255n;
  const canonical = [0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n].map((times): [string, Uint8Array] => [
    `${times} times the point of order 8`,
    encodePoint(multiply(ORDER_8, times)),
  ]);
  const others: readonly (readonly [string, bigint])[] = [
    ["y = p, which is 0", P],
    ["y = p with the sign of x", P + sign],
    ["y = p + 1, which is 1", P + 1n],
    ["y = 1 with the sign bit set, although x is 0", 1n + sign],
    ["y = p + 1 with the sign of x", P + 1n + sign],
    ["y = p - 1 with the sign bit set, although x is 0", P - 1n + sign],
  ];
  return [
    ...canonical,
    ...others.map(([name, y]): [string, Uint8Array] => [name, encodeNumber(y)]),
  ];
}

/**
 * Creates signatures with keys of small order. Creating these signatures requires no secret: if the
 * challenge k times the key is the identity, S = r satisfies the verification equation.
 */
function smallOrderKeyRows(): readonly JsonObject[] {
  return smallOrderEncodings().map(([name, publicKey]) => {
    const message = findMessage(publicKey, NONCE_POINT, (k) => k % 8n === 0n);
    return toRow(name, makeEdge(publicKey, message, { secret: 0n }), false);
  });
}

/**
 * Creates signatures whose point R has small order, with a key of mixed order whose torsion
 * component cancels R.
 */
function smallOrderNonceRows(): readonly JsonObject[] {
  return smallOrderEncodings().map(([name, r]) => {
    const publicKey = MIXED_KEY;
    const torsion = decodeTorsion(r);
    const message = findMessage(
      publicKey,
      r,
      (k) => isIdentity(add(torsion, multiply(ORDER_8, k % 8n))),
    );
    return toRow(name, makeEdge(publicKey, message, { r, nonce: 0n }), false);
  });
}

/** Decodes the canonical or non-canonical encoding of a point of small order. */
function decodeTorsion(bytes: Uint8Array): Point {
  const known = [0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n].map((times) => multiply(ORDER_8, times));
  const canonical = known.find((point) => toHex(encodePoint(point)) === toHex(bytes));
  if (canonical !== undefined) return canonical;
  const value = BigInt(`0x${toHex(bytes.toReversed())}`);
  const y = mod(value & (2n ** 255n - 1n), P);
  const odd = value >> 255n;
  const found = known.find((point) => point.y === y && (point.x === 0n || (point.x & 1n) === odd));
  return found ?? IDENTITY;
}

function cofactorRows(): readonly JsonObject[] {
  return [1n, 2n, 4n].map((remainder) => {
    const message = findMessage(MIXED_KEY, NONCE_POINT, (k) => k % 8n === remainder);
    return toRow(`k mod 8 = ${remainder}`, makeEdge(MIXED_KEY, message), false);
  });
}

function malleableRows(honest: Edge): readonly JsonObject[] {
  return [1n, 2n, 8n].map((times) =>
    toRow(`S + ${times} L`, { ...honest, s: honest.s + times * L }, false)
  );
}

/** Creates `comm/ed25519_edges.json`. */
export function makeEd25519Edges(): GeneratedArea {
  const message = new TextEncoder().encode("edge");
  const honest = makeEdge(encodePoint(HONEST_KEY), message);
  const mixed = makeEdge(MIXED_KEY, findMessage(MIXED_KEY, NONCE_POINT, (k) => k % 8n === 0n));
  const cases = [
    toCase({
      slug: "honest",
      title: "A signature that satisfies the verification equation in RFC 8032 passes verification",
      clause: "COMM-SIG-1",
      why:
        "Control case: every other case in this file changes one part of the calculation behind this valid signature.",
      ref: RFC8032,
      basis: "rfc8032",
    }, [toRow("honest key and nonce", honest, true)]),
    toCase({
      slug: "mixed-order-key",
      title: "A public key of mixed order is accepted if the verification equation holds",
      clause: "COMM-SIG-15",
      why:
        "All implementations in use accept public keys of mixed order, so an implementation that rejects them is incompatible.",
      ref: WEBCRYPTO,
    }, [toRow("k mod 8 = 0", mixed, true)]),
    toCase(
      {
        slug: "s-not-below-the-order",
        title: "A signature whose S was increased by a multiple of the group order is rejected",
        clause: "COMM-SIG-11",
        why:
          "A third party could derive a second valid signature, so a store keyed by signature would contain the message twice.",
        ref: RFC8032,
        basis: "rfc8032",
      },
      malleableRows(honest),
      "honest",
    ),
    toCase(
      {
        slug: "small-order-key",
        title: "A public key of small order is rejected in every encoding",
        clause: "COMM-SIG-12",
        why: "The owner of a public key of small order could use one signature for many messages.",
        ref: WEBCRYPTO,
      },
      smallOrderKeyRows(),
      "honest",
    ),
    toCase(
      {
        slug: "small-order-nonce",
        title: "A signature whose point R has small order is rejected, whatever the encoding of R",
        clause: "COMM-SIG-12",
        why:
          "Implementations that disagree on points of small order disagree on whether a message is valid.",
        ref: WEBCRYPTO,
      },
      smallOrderNonceRows(),
      "mixed-order-key",
    ),
    toCase(
      {
        slug: "cofactored-only",
        title:
          "A signature that satisfies only the verification equation with the cofactor is rejected",
        clause: "COMM-SIG-14",
        why:
          "RFC 8032 allows a verification equation with or without the cofactor, and agents that use different equations disagree on such signatures.",
        ref: WEBCRYPTO,
      },
      cofactorRows(),
      "mixed-order-key",
    ),
  ];
  return {
    area: AREA,
    source: "lab/generators/comm_ed25519_edges.ts: the arithmetic of RFC 8032 section 5.1",
    cases: [...cases, makeNonCanonicalCase(), makeLengthCase(honest)],
  };
}

/**
 * Creates the case for non-canonical encodings of R and the key: y ≥ p, or a sign bit for x = 0.
 * For each challenge k = 7 (mod 8), R plus k times the key is the identity, so S = 0 satisfies the
 * verification equation.
 */
function makeNonCanonicalCase(): JsonObject {
  const rows = smallOrderEncodings().filter(([name]) => name.startsWith("y = "));
  return toCase(
    {
      slug: "non-canonical-key-and-nonce",
      title: "A public key or a point R with a non-canonical encoding is rejected",
      clause: "COMM-SIG-13",
      why: "If non-canonical encodings were accepted, one key could count as two identities.",
      ref: "https://www.rfc-editor.org/rfc/rfc8032#section-5.1.3",
      basis: "rfc8032",
    },
    rows.map(([name, bytes]) => {
      const message = findMessage(bytes, bytes, (k) => k % 8n === 7n);
      const edge = makeEdge(bytes, message, { r: bytes, nonce: 0n, secret: 0n });
      return toRow(`key and R: ${name}`, edge, false);
    }),
    "honest",
  );
}

function makeLengthCase(honest: Edge): JsonObject {
  const signature = toHex(honest.r) + toHex(encodeNumber(honest.s));
  const row = (name: string, signatureHex: string): JsonObject => ({
    name,
    input: {
      publicKeyHex: toHex(honest.publicKey),
      messageHex: toHex(honest.message),
      signatureHex,
    },
    expect: { ok: { valid: false } },
  });
  return toCase(
    {
      slug: "wrong-length",
      title: "An Ed25519 signature that is not 64 bytes long fails verification",
      clause: "COMM-SIG-2",
      why:
        "A verifier that uses only the first 64 bytes accepts many different strings as one signature.",
      ref: RFC8032,
      basis: "rfc8032",
    },
    [
      row("empty", ""),
      row("63 bytes", signature.slice(0, -2)),
      row("65 bytes", `${signature}00`),
      row("R alone", signature.slice(0, 64)),
    ],
    "honest",
  );
}
