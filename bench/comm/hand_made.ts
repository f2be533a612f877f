/**
 * A signed message written by hand, for one sender whose key is known: it creates an id, serializes
 * the message canonically, signs it, encodes and decodes it, checks the type and the format of each
 * member, the recipient and the set of members, and verifies the signature with `node:crypto`. It
 * detects no duplicate names, has no limits, and resolves no DIDs.
 *
 * @module
 */

import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import type { Contender } from "../measure.ts";

/** Parts of the message that are the same in all contenders. */
export interface HandMadeMessage {
  /** Seed of the sender's key. */
  readonly seed: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly members: Readonly<Record<string, unknown>>;
  readonly recipient: string;
}

/** PKCS #8 header of an Ed25519 key. */
const PKCS8 = Uint8Array.of(48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32);

/** Format of each member of a message, except the payload. */
const FORMATS: Readonly<Record<string, RegExp>> = {
  id: /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/,
  correlationId: /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/,
  sender: /^did:[a-z\d]+:[\w.:%-]+$/,
  recipient: /^did:[a-z\d]+:[\w.:%-]+$/,
  protocol: /^.{1,256}$/,
  messageType: /^.{1,256}$/,
  timestamp: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/,
  signature: /^[\w-]{86}$/,
};
const MEMBER_COUNT = Object.keys(FORMATS).length + 1;

/** Creates the contender. */
export function createHandMade(message: HandMadeMessage): Contender {
  const privateKey = createPrivateKey({
    key: Buffer.from([...PKCS8, ...message.seed]),
    format: "der",
    type: "pkcs8",
  });
  const x = Buffer.from(message.publicKey).toString("base64url");
  const publicKey = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
  return {
    name: "hand-made message",
    run: () => receive(send(message, privateKey), message.recipient, publicKey),
  };
}

function send({ members }: HandMadeMessage, key: KeyObject): string {
  const covered = { ...members, id: crypto.randomUUID() };
  const signature = sign(null, Buffer.from(canonicalize(covered)), key).toString("base64url");
  const timestamp = new Date().toISOString();
  return JSON.stringify({ ...covered, signature, timestamp });
}

function receive(text: string, recipient: string, key: KeyObject): void {
  const message: Readonly<Record<string, unknown>> = JSON.parse(text);
  for (const [name, format] of Object.entries(FORMATS)) {
    const value = message[name];
    if (typeof value !== "string" || !format.test(value)) throw new TypeError(`Invalid "${name}"`);
  }
  if (Object.keys(message).length !== MEMBER_COUNT || !("payload" in message)) {
    throw new TypeError("Unknown or missing member");
  }
  if (message.recipient !== recipient) throw new Error("The message is for another agent");
  const { signature, timestamp: _timestamp, ...covered } = message;
  const bytes = Buffer.from(String(signature), "base64url");
  if (!verify(null, Buffer.from(canonicalize(covered)), key, bytes)) {
    throw new Error("The signature is invalid");
  }
}

/** Serializes a value with sorted names. */
function canonicalize(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalize).join(",")}]`;
  const members = Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1);
  return `{${
    members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalize(member)}`).join(",")
  }}`;
}
