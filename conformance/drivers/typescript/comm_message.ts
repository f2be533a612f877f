/**
 * `comm` operations on messages: canonical JSON, keys, DIDs, encoding, signing and verification.
 *
 * @module
 */

import {
  AgentCommMessage,
  type AgentCommMessageInit,
  createSigner,
  formatMessage,
  formatProtocolId,
  generateSigner,
  parseMessage,
  parseProtocolId,
  type ProtocolId,
  type SignerInit,
  signingPayload,
  signMessage,
  verifyAll,
  verifyMessage,
  type VerifyMessageOptions,
  type VerifyResult,
} from "@parley/comm";
import { canonicalize } from "@parley/comm/canonical-json";
import { formatDidJwk, formatDidKey, parseDidKey, resolveDid, selectKeys } from "@parley/comm/did";
import { detectBackend, WEB_CRYPTO } from "../../../comm/signing/ed25519.ts";
import { NOBLE } from "../../../comm/signing/ed25519_noble.ts";
import type { Ed25519Backend } from "../../../comm/signing/ed25519_strict.ts";
import { OFFLINE_RESOLVER, resolvingBy } from "./comm_resolver.ts";
import {
  BadArgs,
  bytesOf,
  type Fields,
  fieldsOf,
  messageTextOf,
  objectOf,
  type Operation,
  pick,
  textOf,
  toHex,
} from "./operation.ts";

/** Implementations of the operations, keyed by operation name. */
export const MESSAGE_OPS: Readonly<Record<string, Operation>> = {
  "comm.canonicalize": ({ args }) =>
    textAndBytes(canonicalize(inputOf(args), pick(args, "maxDepth"))),
  "comm.ed25519.sign": async ({ args }) =>
    await withEachBackend(async (backend) => {
      const key = await backend.openPrivateKey(bytesOf(args, "seedHex"));
      const signature = await key.sign(bytesOf(args, "messageHex"));
      return { publicKeyHex: toHex(key.publicKey), signatureHex: toHex(signature) };
    }),
  "comm.ed25519.verify": async ({ args }) =>
    await withEachBackend(async (backend) => {
      const key = await backend.openPublicKey(bytesOf(args, "publicKeyHex"));
      const signature = bytesOf(args, "signatureHex");
      return { valid: await key.verify(signature, bytesOf(args, "messageHex")) };
    }),
  "comm.did.encode": ({ args }) => {
    const format = args.method === "jwk" ? formatDidJwk : formatDidKey;
    return { did: format(bytesOf(args, "publicKeyHex")) };
  },
  "comm.did.decode": async ({ args }) => ({ publicKeyHex: await publicKeyOf(textOf(args, "did")) }),
  "comm.protocol.parse": ({ args }) => ({ ...parseProtocolId(textOf(args, "text")) }),
  // The library validates the parts.
  "comm.protocol.format": ({ args }) => ({ text: formatProtocolId(args as unknown as ProtocolId) }),
  "comm.message.new": ({ args }) => ({
    message: new AgentCommMessage(initOf(givenInit(args))).toJSON(),
  }),
  "comm.message.decode": ({ args }) => {
    const input = args.textHex === undefined ? paddedText(args) : bytesOf(args, "textHex");
    const limits = pick(args, "maxBytes", "maxDepth", "unknownMembers");
    const message = parseMessage(input, limits);
    if (args.thenChange === true) tryToChange(message);
    return { message: JSON.parse(formatMessage(message)) };
  },
  "comm.message.equals": ({ args }) => ({
    equal: parseMessage(textOf(args, "aText")).equals(parseMessage(textOf(args, "bText"))),
  }),
  "comm.message.reply": ({ args }) => {
    const { messageType, payload, signature } = initOf(args);
    const original = parseMessage(textOf(args, "messageText"));
    return { message: original.reply(messageType, payload, signature).toJSON() };
  },
  "comm.message.payload": ({ args }) => {
    const bytes = signingPayload(parseMessage(textOf(args, "messageText")));
    return { text: new TextDecoder().decode(bytes), utf8Hex: toHex(bytes) };
  },
  "comm.message.sign": async ({ args, signal }) => {
    const message = parseMessage(textOf(args, "messageText"));
    const signer = await createSigner({ seed: bytesOf(args, "seedHex") });
    return { message: (await signMessage(message, signer, { signal })).toJSON() };
  },
  "comm.signer.open": async ({ args }) => {
    // The cast is unchecked, because the library validates the key.
    const { did, keyId, publicKey } = await createSigner(keyOf(args) as SignerInit);
    return { did, keyId, publicKeyHex: toHex(publicKey) };
  },
  "comm.signer.generate": async ({ args }) => {
    if (args.extractable !== true) {
      const signer = await generateSigner();
      const { did, keyId, publicKey } = signer;
      return { did, keyId, publicKeyHex: toHex(publicKey), isExtractable: "exportJwk" in signer };
    }
    const signer = await generateSigner({ extractable: true });
    const { did, keyId, publicKey } = signer;
    const pkcs8Hex = toHex(await signer.exportPkcs8());
    return { did, keyId, publicKeyHex: toHex(publicKey), jwk: await signer.exportJwk(), pkcs8Hex };
  },
  "comm.signer.reply": async ({ args }) => {
    const { messageType, payload } = initOf(args);
    const signer = await createSigner({ seed: bytesOf(args, "seedHex") });
    const original = parseMessage(textOf(args, "messageText"));
    return { message: (await signer.reply(original, messageType, payload)).toJSON() };
  },
  "comm.message.verify": async ({ args, signal }) =>
    toVerdict(
      await verifyMessage(parseMessage(messageTextOf(args, "message")), howOf(args, signal)),
    ),
  "comm.message.verifyAll": async ({ args, signal }) => {
    const { messageTexts } = args;
    const messages = Array.isArray(messageTexts) ? messageTexts.map(String) : [];
    const how = { ...howOf(args, signal), ...pick(args, "concurrency") };
    const results = await verifyAll(messages.map((text) => parseMessage(text)), how);
    return { verdicts: results.map(toVerdict) };
  },
};

/** Returns the members of a message, given as an object or as JSON text. */
function givenInit(args: Fields): Fields {
  if (args.initText === undefined) return fieldsOf(args, "init");
  return objectOf(JSON.parse(textOf(args, "initText")), "initText");
}

/**
 * Tries to change all texts in a value, and to add a member to each object and an item to each
 * array.
 */
function tryToChange(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    tryToChange(member);
    if (typeof member === "string") Reflect.set(value, name, "changed");
  }
  Reflect.set(value, Array.isArray(value) ? value.length : "changed", true);
}

/**
 * Returns the options for verifying messages. Without a recipient, messages for any recipient are
 * accepted.
 */
function howOf(args: Fields, signal: AbortSignal): VerifyMessageOptions {
  const recipient = args.recipient === undefined ? "any" : textOf(args, "recipient");
  return { recipient, ...resolvingBy(args), signal, ...pick(args, "relationship") };
}

function keyOf(args: Fields): Fields {
  const { jwk, pkcs8Hex, did, keyId } = args;
  const key = pkcs8Hex === undefined ? { jwk } : { pkcs8: bytesOf(args, "pkcs8Hex") };
  return {
    ...key,
    ...(did === undefined ? {} : { did }),
    ...(keyId === undefined ? {} : { keyId }),
  };
}

/**
 * Calls a function with the detected backend and with the backends that the library uses on other
 * platforms. Throws if the results differ. A platform with Ed25519 in `node:crypto` also has it in
 * WebCrypto.
 */
async function withEachBackend(
  act: (backend: Ed25519Backend) => Promise<Fields>,
): Promise<Fields> {
  const backend = await detectBackend();
  const detected = await act(backend);
  for (const other of backend.name === "node" ? [WEB_CRYPTO, NOBLE] : [NOBLE]) {
    const [one, two] = [detected, await act(other)].map((each) => JSON.stringify(each));
    if (one !== two) throw new Error(`the backends differ: ${one}, and ${two} with ${other.name}`);
  }
  return detected;
}

/**
 * Returns members from a case as the library's type. The members are not validated here, because
 * the library validates them.
 */
export function initOf(fields: Fields): AgentCommMessageInit {
  return fields as unknown as AgentCommMessageInit;
}

/** Converts a verification result to the form that cases expect. */
export function toVerdict(result: VerifyResult): Fields {
  return result.ok
    ? { valid: true, keyId: result.keyId, covered: result.covered }
    : { valid: false, reason: result.reason };
}

function textAndBytes(text: string): { readonly text: string; readonly utf8Hex: string } {
  return { text, utf8Hex: toHex(new TextEncoder().encode(text)) };
}

/** Returns the argument `text`, padded with spaces to the given number of bytes. */
function paddedText(args: Fields): string {
  const text = textOf(args, "text");
  const { padToBytes } = args;
  if (typeof padToBytes !== "number") return text;
  return text + " ".repeat(Math.max(0, padToBytes - new TextEncoder().encode(text).length));
}

/**
 * Returns the argument `text`, parsed as JSON, or the number given as `float64Hex`, which JSON
 * might not be able to represent.
 */
function inputOf(args: Fields): unknown {
  if (args.float64Hex === undefined) return JSON.parse(textOf(args, "text"));
  return new DataView(bytesOf(args, "float64Hex").buffer).getFloat64(0);
}

async function publicKeyOf(did: string): Promise<string> {
  if (did.startsWith("did:key:")) return toHex(parseDidKey(did));
  const [key] = selectKeys(await resolveDid(did, OFFLINE_RESOLVER), "authentication");
  if (key === undefined) throw new BadArgs(`${did} has no key`);
  return toHex(key.publicKey);
}
