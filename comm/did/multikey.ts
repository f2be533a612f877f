/**
 * Ed25519 public keys in Multikey format: a multicodec prefix and 32 bytes, encoded as base58btc.
 *
 * @module
 */

import { formatBase58, readBase58 } from "../shared/base58.ts";

/** Multicodec `ed25519-pub` (0xed), encoded as a varint. */
const ED25519_PUB = [0xed, 0x01] as const;

/** Length of an Ed25519 Multikey, in characters: `z` and 47 characters of base58btc. */
const MULTIKEY_LENGTH = 48;

/** Formats a 32-byte public key as a Multikey, such as `z6Mk…`. */
export function formatMultikey(publicKey: Uint8Array): string {
  return `z${formatBase58(Uint8Array.of(...ED25519_PUB, ...publicKey))}`;
}

/**
 * Decodes a Multikey. Returns `undefined` if the text is not the canonical encoding of an Ed25519
 * public key. The length is checked first, because decoding base58 takes quadratic time.
 */
export function readMultikey(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length !== MULTIKEY_LENGTH || !text.startsWith("z6Mk")) return undefined;
  const bytes = readBase58(text.slice(1), MULTIKEY_LENGTH);
  return bytes?.length === 34 && bytes[0] === ED25519_PUB[0] && bytes[1] === ED25519_PUB[1]
    ? bytes.slice(2)
    : undefined;
}
