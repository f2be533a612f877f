/**
 * Agents in the cases, with signatures from `node:crypto` and did:key DIDs.
 *
 * @module
 */

import { createPrivateKey, createPublicKey, sign } from "node:crypto";
import { Buffer } from "node:buffer";

/** PKCS #8 header that precedes an Ed25519 seed (RFC 8410 §7). */
const PKCS8 = "302e020100300506032b657004220420";
const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const MULTICODEC_ED25519 = "ed01";

/** A key pair and its DID. */
export interface Agent {
  readonly seedHex: string;
  readonly publicKeyHex: string;
  readonly did: string;
}

/** Seed from RFC 8032 §7.1, TEST 1. */
export const ALICE: Agent = createAgent(
  "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
);
/** Seed from RFC 8032 §7.1, TEST 2. */
export const BOB: Agent = createAgent(
  "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
);
/** Seed from RFC 8032 §7.1, TEST 3. */
export const CAROL: Agent = createAgent(
  "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
);

/** Creates an agent from a 32-byte seed. */
export function createAgent(seedHex: string): Agent {
  const jwk = createPublicKey(importSeed(seedHex)).export({ format: "jwk" });
  const publicKeyHex = Buffer.from(jwk.x ?? "", "base64url").toString("hex");
  return { seedHex, publicKeyHex, did: `did:key:${toMultibase(publicKeyHex)}` };
}

/** Signs the UTF-8 encoding of a string. Returns the signature in base64url without padding. */
export function signText({ seedHex }: Agent, text: string): string {
  return sign(null, Buffer.from(text), importSeed(seedHex)).toString("base64url");
}

/** Returns the `publicKeyMultibase` of an Ed25519 key. */
export function toMultibase(publicKeyHex: string, codecHex: string = MULTICODEC_ED25519): string {
  return `z${toBase58(codecHex + publicKeyHex)}`;
}

/** Encodes bytes as base58btc. Each leading zero byte is encoded as the digit 1. */
export function toBase58(hex: string): string {
  const zeros = /^(?:00)*/.exec(hex)?.[0].length ?? 0;
  let text = "";
  for (let rest = BigInt(`0x${hex}`); rest > 0n; rest /= 58n) {
    text = BASE58.charAt(Number(rest % 58n)) + text;
  }
  return "1".repeat(zeros / 2) + text;
}

/** Converts hexadecimal to base64url. */
export function toBase64url(hex: string): string {
  return Buffer.from(hex, "hex").toString("base64url");
}

/** Creates a `node:crypto` private key from a seed. */
export function importSeed(seedHex: string): ReturnType<typeof createPrivateKey> {
  return createPrivateKey({
    key: Buffer.from(PKCS8 + seedHex, "hex"),
    format: "der",
    type: "pkcs8",
  });
}
