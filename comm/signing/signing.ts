/**
 * Signing and verifying messages: Ed25519 over canonical JSON.
 *
 * The signature covers `id`, `correlationId`, `sender`, `recipient`, `protocol`, `messageType` and `payload`. It leaves
 * `replyTo`, `timestamp` and extensions open.
 *
 * @module
 */

import { formatBase64url, readBase64url } from "../shared/base64url.ts";
import type { Bytes } from "./ed25519_strict.ts";
import { signatureInvalid, signatureMalformed, signatureMissing } from "../shared/error.ts";
import type { JsonValue } from "../shared/json.ts";
import {
  type AgentCommMessage,
  ensureMessage,
  withSignature,
  writeCovered,
} from "../message/message.ts";
import { openSenderKeys, type SenderKeyOptions } from "./sender_keys.ts";
import {
  assertSender,
  assertSignature,
  type LocalSigner,
  openSigner,
  type Signer,
  type SignerInit,
} from "./signer.ts";
import { assertRecipient, toFailure, type VerifyResult } from "./verify_result.ts";

/** The members that a signature covers, in canonical order; it proves an absent `correlationId` absent. */
export const SIGNED_MEMBERS = [
  "correlationId",
  "id",
  "messageType",
  "payload",
  "protocol",
  "recipient",
  "sender",
] as const;

/** A signer that answers messages as well. */
export interface MessageSigner extends LocalSigner {
  /**
   * Answers a message and signs the answer.
   *
   * @param original the message to answer, which must be for this signer's DID
   * @param messageType type within the protocol
   * @param payload any JSON value
   * @throws {CommError} `invalid_argument` when the message is for somebody else, and what the constructor of
   *   `AgentCommMessage` throws
   */
  reply(
    original: AgentCommMessage,
    messageType: string,
    payload: JsonValue,
  ): Promise<AgentCommMessage>;
}

/** Options of {@linkcode signMessage}. */
export interface SignMessageOptions {
  /** Ends it early. */
  readonly signal?: AbortSignal;
}

/** Options of {@linkcode verifyMessage}. */
export interface VerifyMessageOptions extends SenderKeyOptions {
  /** The DID that the message must be for; the default is any. Pass your own. */
  readonly recipient?: string;
}

const ENCODER = new TextEncoder();

/**
 * Creates a signer from a private key.
 *
 * @param init a `seed` of 32 bytes or a WebCrypto `keyPair`; and `did` with `keyId`, unless it signs as the did:key of
 *   its own key
 * @throws {TypeError} when there is no key
 * @throws {RangeError} when the seed has not 32 bytes
 * @throws {CommError} `did_invalid` or `invalid_argument` when `did` and `keyId` do not fit together or to the key
 *
 * @example The same seed, the same DID
 * ```ts
 * import { createSigner } from "@parley/comm";
 * import { assertEquals } from "@std/assert";
 *
 * const seed = crypto.getRandomValues(new Uint8Array(32));
 * const first = await createSigner({ seed });
 * const second = await createSigner({ seed });
 * assertEquals(first.did, second.did);
 * ```
 */
export async function createSigner(init: SignerInit): Promise<MessageSigner> {
  const signer = await openSigner(init);
  const reply: MessageSigner["reply"] = (original, messageType, payload) =>
    signMessage(original.reply(messageType, payload), signer);
  return Object.freeze(Object.assign(signer, { reply }));
}

/**
 * Creates a signer with a new key, which never leaves it, and signs as that key's did:key. To keep an identity, store
 * a seed of your own and use `createSigner`.
 *
 * @example A new identity
 * ```ts
 * import { generateSigner } from "@parley/comm";
 * import { assert } from "@std/assert";
 *
 * const signer = await generateSigner();
 * assert(signer.did.startsWith("did:key:z6Mk"));
 * ```
 */
export async function generateSigner(): Promise<MessageSigner> {
  const seed = crypto.getRandomValues(new Uint8Array(32));
  try {
    return await createSigner({ seed });
  } finally {
    seed.fill(0);
  }
}

/**
 * The bytes that a signature is made over: UTF-8 of the canonical JSON (RFC 8785) of the object with exactly the
 * members that it covers. An absent `correlationId` is left out.
 *
 * Decision: an object, neither prefixed nor hashed, since "the canonical JSON serialization of the tuple" is all that is
 * specified, and this is the envelope without what is not covered.
 *
 * @param message the message, signed or not
 *
 * @example What is signed
 * ```ts
 * import { AgentCommMessage, signingPayload } from "@parley/comm";
 * import { assertEquals } from "@std/assert";
 *
 * const message = new AgentCommMessage({
 *   id: "1",
 *   sender: "did:web:ann.example",
 *   recipient: "did:web:bob.example",
 *   protocol: "agent.heartbeat.v1",
 *   messageType: "request",
 *   payload: null,
 * });
 * assertEquals(
 *   new TextDecoder().decode(signingPayload(message)),
 *   '{"id":"1","messageType":"request","payload":null,"protocol":"agent.heartbeat.v1",' +
 *     '"recipient":"did:web:bob.example","sender":"did:web:ann.example"}',
 * );
 * ```
 */
export function signingPayload(message: AgentCommMessage): Uint8Array<ArrayBuffer> {
  return ENCODER.encode(writeCovered(message));
}

/**
 * Signs a message.
 *
 * @param message the message; a signature it carries is replaced
 * @param signer who signs, as the message's `sender`
 * @param options `signal`
 * @returns the same message with a signature
 * @throws {CommError} `invalid_argument` when the signer is not the sender
 * @throws {TypeError} when the signer answers no 64 bytes
 * @throws the signal's reason, when aborted
 *
 * @example Sign, and see tampering found out
 * ```ts
 * import { AgentCommMessage, generateSigner, signMessage, verifyMessage } from "@parley/comm";
 * import { assert, assertFalse } from "@std/assert";
 *
 * const ann = await generateSigner();
 * const message = new AgentCommMessage({
 *   sender: ann.did,
 *   recipient: "did:web:bob.example",
 *   protocol: "bank.transfer.v1",
 *   messageType: "request",
 *   payload: { amount: 10 },
 * });
 * const signed = await signMessage(message, ann);
 * assert((await verifyMessage(signed)).ok);
 *
 * const tampered = new AgentCommMessage({ ...signed, payload: { amount: 10_000 } });
 * assertFalse((await verifyMessage(tampered)).ok);
 * ```
 */
export async function signMessage(
  message: AgentCommMessage,
  signer: Signer,
  options: SignMessageOptions = {},
): Promise<AgentCommMessage> {
  options.signal?.throwIfAborted();
  const own = ensureMessage(message);
  assertSender(own, signer);
  const signature = await signer.sign(signingPayload(own), options);
  assertSignature(signature);
  return withSignature(own, formatBase64url(signature));
}

/**
 * Verifies a message's signature with the keys of the sender's DID document. Up to eight keys are tried, since a
 * signature does not say which one made it.
 *
 * This proves who wrote the covered members, and nothing about when: whoever keeps a message can send it again.
 *
 * @param message the message
 * @param options whom to ask for the keys, and what else must hold
 * @returns a result; that a message is unsigned, forged or unverifiable is an outcome, not an exception
 * @throws {CommError} `invalid_message` for what is no message
 * @throws the signal's reason, when aborted
 *
 * @example Branch on the outcome
 * ```ts
 * import { AgentCommMessage, verifyMessage } from "@parley/comm";
 * import { assertEquals } from "@std/assert";
 *
 * const unsigned = new AgentCommMessage({
 *   sender: "did:web:ann.example",
 *   recipient: "did:web:bob.example",
 *   protocol: "agent.task.v1",
 *   messageType: "task_assign",
 *   payload: null,
 * });
 * const result = await verifyMessage(unsigned, { recipient: "did:web:bob.example" });
 * assertEquals(result.ok ? result.keyId : result.reason, "signature_missing");
 * ```
 */
export async function verifyMessage(
  message: AgentCommMessage,
  options: VerifyMessageOptions = {},
): Promise<VerifyResult> {
  options.signal?.throwIfAborted();
  const own = ensureMessage(message);
  try {
    assertRecipient(own, options.recipient);
    const signature = readSignature(own.signature);
    const keys = await openSenderKeys(own.sender, options);
    const data = signingPayload(own);
    for (const { keyId, key } of keys) {
      if (await key.verify(signature, data)) {
        return { ok: true, level: "signature", keyId, covered: SIGNED_MEMBERS };
      }
    }
    throw signatureInvalid(own.sender);
  } catch (error) {
    return toFailure(error);
  }
}

function readSignature(text: string | undefined): Bytes {
  if (text === undefined) throw signatureMissing();
  if (text.length !== 86) throw signatureMalformed(`expected 86 characters, got ${text.length}`);
  const bytes = readBase64url(text);
  if (bytes === undefined) throw signatureMalformed("not canonical base64url");
  return bytes;
}
