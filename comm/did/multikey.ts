/**
 * Ed25519 public keys as Multikey text: multibase base58btc over a multicodec prefix and the 32 bytes.
 *
 * @module
 */

import { formatBase58, readBase58 } from "../shared/base58.ts";

/** The multicodec `ed25519-pub`, 0xed, as the shortest varint. */
const ED25519_PUB = [0xed, 0x01] as const;

/** Every Ed25519 Multikey has this many characters: `z` and 47 of base58. */
const MULTIKEY_LENGTH = 48;

/** Writes a public key of 32 bytes as Multikey text, `z6Mk…`. */
export function formatMultikey(publicKey: Uint8Array): string {
  return `z${formatBase58(Uint8Array.of(...ED25519_PUB, ...publicKey))}`;
}

/**
 * Reads Multikey text; undefined when it is not an Ed25519 public key in its one spelling. The length is checked
 * first: decoding base58 takes time quadratic in it.
 */
export function readMultikey(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length !== MULTIKEY_LENGTH || !text.startsWith("z6Mk")) return undefined;
  const bytes = readBase58(text.slice(1), MULTIKEY_LENGTH);
  return bytes?.length === 34 && bytes[0] === ED25519_PUB[0] && bytes[1] === ED25519_PUB[1]
    ? bytes.slice(2)
    : undefined;
}
