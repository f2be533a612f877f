/**
 * Driver for signed messages, built from a canonicalizer, a signature library and a multibase
 * library.
 *
 * @module
 */

import { getPublicKeyAsync, signAsync, verifyAsync } from "@noble/ed25519";
import canonicalize from "canonicalize";
import { varint } from "multiformats";
import { base58btc } from "multiformats/bases/base58";
import { base64url } from "multiformats/bases/base64";
import {
  BadArgs,
  bytesOf,
  type Fields,
  isFields,
  type Operation,
  textOf,
  toHex,
  Unsupported,
} from "../../../conformance/drivers/typescript/operation.ts";
import { serveDriver } from "../../../conformance/drivers/typescript/serve_driver.ts";
import workspace from "./deno.json" with { type: "json" };

const DID_KEY = "did:key:";

/** Multicodec of an Ed25519 public key. */
const ED25519_CODEC = 0xed;

/** Members of a message that a signature covers. */
const SIGNED = [
  "id",
  "correlationId",
  "sender",
  "recipient",
  "protocol",
  "messageType",
  "payload",
] as const;

const OPS: Readonly<Record<string, Operation>> = {
  "comm.canonicalize": ({ args }) => textAndBytes(canonical(readValue(args))),
  "comm.ed25519.sign": async ({ args }) => {
    const seed = bytesOf(args, "seedHex");
    const signature = await signAsync(bytesOf(args, "messageHex"), seed);
    return { publicKeyHex: toHex(await getPublicKeyAsync(seed)), signatureHex: toHex(signature) };
  },
  "comm.ed25519.verify": async ({ args }) => ({
    valid: await isValid(
      bytesOf(args, "publicKeyHex"),
      bytesOf(args, "messageHex"),
      bytesOf(args, "signatureHex"),
    ),
  }),
  "comm.did.encode": ({ args }) => ({ did: encodeDid(bytesOf(args, "publicKeyHex")) }),
  "comm.did.decode": ({ args }) => ({ publicKeyHex: toHex(decodeDid(textOf(args, "did"))) }),
  "comm.message.payload": ({ args }) => textAndBytes(payloadOf(readMessage(args))),
  "comm.message.sign": async ({ args }) => {
    const message = readMessage(args);
    const signature = await signAsync(
      new TextEncoder().encode(payloadOf(message)),
      bytesOf(args, "seedHex"),
    );
    return { message: { ...message, signature: base64url.baseEncode(signature) } };
  },
  "comm.message.verify": async ({ args }) => await verifyMessage(readMessage(args), args),
};

async function verifyMessage(message: Fields, args: Fields): Promise<Fields> {
  if (args.didDocuments !== undefined) throw new Unsupported("a sender is a did:key");
  if (args.recipient !== undefined && args.recipient !== message.recipient) {
    return invalid("recipient_mismatch");
  }
  const { signature } = message;
  if (typeof signature !== "string") return invalid("signature_missing");
  const sender = textOf(message, "sender");
  if (!sender.startsWith(DID_KEY)) return invalid("did_method_unsupported");
  const key = attempt(() => decodeDid(sender));
  if (key === undefined) return invalid("did_invalid");
  const bytes = attempt(() => base64url.baseDecode(signature));
  if (bytes === undefined) return invalid("signature_malformed");
  const data = new TextEncoder().encode(payloadOf(message));
  if (!await isValid(key, data, bytes)) return invalid("signature_invalid");
  return {
    valid: true,
    keyId: `${sender}#${sender.slice(DID_KEY.length)}`,
    covered: SIGNED.filter((name) => message[name] !== undefined),
  };
}

function invalid(reason: string): Fields {
  return { valid: false, reason };
}

/**
 * Verifies a signature by the rules of RFC 8032, which are stricter than the library's default
 * rules.
 */
async function isValid(
  key: Uint8Array,
  data: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  try {
    return await verifyAsync(signature, data, key, { zip215: false });
  } catch {
    return false;
  }
}

function encodeDid(key: Uint8Array): string {
  const data = new Uint8Array(varint.encodingLength(ED25519_CODEC) + key.length);
  varint.encodeTo(ED25519_CODEC, data);
  data.set(key, varint.encodingLength(ED25519_CODEC));
  return `${DID_KEY}${base58btc.encode(data)}`;
}

function decodeDid(did: string): Uint8Array {
  if (!did.startsWith(DID_KEY)) throw new TypeError("not a did:key");
  const data = base58btc.decode(did.slice(DID_KEY.length));
  const [codec, length] = varint.decode(data);
  const key = data.subarray(length);
  if (codec !== ED25519_CODEC || key.length !== 32) throw new TypeError("not an Ed25519 key");
  return key;
}

/** Returns the canonical JSON that a signature covers. */
function payloadOf(message: Fields): string {
  const members = SIGNED.filter((name) =>
    name === "payload" ? name in message : message[name] !== undefined && message[name] !== null
  );
  return canonical(Object.fromEntries(members.map((name) => [name, message[name]])));
}

function canonical(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError("no value");
  return text;
}

function readValue(args: Fields): unknown {
  if (args.float64Hex === undefined) return JSON.parse(textOf(args, "text"));
  return new DataView(bytesOf(args, "float64Hex").buffer).getFloat64(0);
}

function readMessage(args: Fields): Fields {
  const message: unknown = JSON.parse(textOf(args, "messageText"));
  if (!isFields(message)) throw new BadArgs("a message must be an object");
  return message;
}

function textAndBytes(text: string): Fields {
  return { text, utf8Hex: toHex(new TextEncoder().encode(text)) };
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/**
 * Converts an exception to an outcome: a stack overflow is a fault, and every other exception is a
 * rejected input.
 */
function toErrorOutcome(error: unknown): Fields {
  const message = String(error);
  return error instanceof RangeError && message.includes("call stack")
    ? { fault: { message } }
    : { error: { code: "invalid_argument", message } };
}

function versionOf(specifier: string): string {
  return specifier.replace(/.*@/, "");
}

if (import.meta.main) {
  const { imports } = workspace;
  await serveDriver({
    implementation: {
      name: "canonicalize + @noble/ed25519 + multiformats",
      version: [imports.canonicalize, imports["@noble/ed25519"], imports.multiformats]
        .map(versionOf).join(", "),
      language: "typescript",
    },
    ops: OPS,
    features: {},
    toErrorOutcome,
  });
}
