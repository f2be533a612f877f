/**
 * Signing of messages: Ed25519 over canonical JSON.
 *
 * The signature covers `id`, `correlationId`, `sender`, `recipient`, `protocol`, `messageType` and
 * `payload`. The signature does not cover `replyTo`, `timestamp` or `extensions`.
 *
 * @module
 */

import { assertOptionalBoolean } from "@parley/internal/assert-argument";
import { optionsReader, withDefault } from "@parley/internal/options";
import { formatBase64url } from "../shared/base64url.ts";
import type { Bytes } from "./ed25519_strict.ts";
import type { JsonValue } from "../shared/json.ts";
import {
  type AgentCommMessage,
  ensureMessage,
  withSignature,
  writeCovered,
} from "../message/message.ts";
import { callSigner, readSignMessageOptions, type SignMessageOptions } from "./sign_options.ts";
import { formatJwk, formatPkcs8, type PrivateKeyJwk } from "./key_formats.ts";
import {
  assertSender,
  type LocalSigner,
  openSigner,
  type Signer,
  type SignerInit,
} from "./signer.ts";

/**
 * Members that a signature covers, in canonical order. If `correlationId` is absent, the signature
 * covers its absence.
 */
export const SIGNED_MEMBERS = [
  "correlationId",
  "id",
  "messageType",
  "payload",
  "protocol",
  "recipient",
  "sender",
] as const;

/** A signer that can also create signed replies. */
export interface MessageSigner extends LocalSigner {
  /**
   * Creates a signed reply to a message.
   *
   * @param original The message to reply to. The recipient of the message must be this signer's
   *   DID.
   * @param messageType Message type within the protocol.
   * @param payload Payload of the reply: any JSON value.
   * @throws {CommError} With code "invalid_argument" if this signer is not the recipient of the
   *   message.
   * @throws {CommError} Under the same conditions as the `AgentCommMessage` constructor.
   */
  reply(
    original: AgentCommMessage,
    messageType: string,
    payload: JsonValue,
  ): Promise<AgentCommMessage>;
}

const ENCODER = new TextEncoder();

/**
 * Creates a signer from a private key.
 *
 * @param init A 32-byte `seed`, a `jwk`, a `pkcs8` key in DER, or a WebCrypto `keyPair`. If `did`
 *   and `keyId` are omitted, the signer uses the `kid` of the JWK or, if it is absent, the did:key
 *   of its public key.
 * @throws {TypeError} If no key or more than one key is set, if a key has the wrong type, or a
 *   member is unknown.
 * @throws {RangeError} If `seed` is not 32 bytes.
 * @throws {CommError} With code "did_invalid" if `did` is not a valid DID.
 * @throws {CommError} With code "invalid_argument" if `keyId` does not start with `did` followed by
 *   `#`, or if `did` is the did:key of a different key.
 * @throws {CommError} With code "invalid_argument" if `jwk` or `pkcs8` is not a private Ed25519
 *   key, if its public key does not match its private key, or if `kid` is not a DID URL or differs
 *   from `keyId`.
 *
 * @example Restore a signer from a seed
 * ```ts
 * import { createSigner } from "@parley/comm";
 * import { assertEquals } from "@std/assert";
 *
 * const seed = crypto.getRandomValues(new Uint8Array(32));
 * const first = await createSigner({ seed });
 * const second = await createSigner({ seed });
 * assertEquals(first.did, second.did);
 * ```
 *
 * @example Restore a signer from a stored JWK
 * ```ts
 * import { createSigner, generateSigner } from "@parley/comm";
 * import { assertEquals } from "@std/assert";
 *
 * const signer = await generateSigner({ extractable: true });
 * const stored = JSON.stringify(await signer.exportJwk());
 * const restored = await createSigner({ jwk: JSON.parse(stored) });
 * assertEquals(restored.keyId, signer.keyId);
 * ```
 */
export async function createSigner(init: SignerInit): Promise<MessageSigner> {
  return toMessageSigner(await openSigner(init));
}

function toMessageSigner<S extends LocalSigner>(signer: S): S & MessageSigner {
  const reply: MessageSigner["reply"] = (original, messageType, payload) =>
    signMessage(original.reply(messageType, payload), signer);
  return Object.freeze(Object.assign(signer, { reply }));
}

/** A signer whose private key can be exported and stored. */
export interface ExportableSigner extends MessageSigner {
  /**
   * Exports the private key as a JSON Web Key (RFC 8037). `kid` is the key id, so
   * `createSigner({ jwk })` restores the DID too.
   */
  exportJwk(): Promise<Required<PrivateKeyJwk>>;
  /** Exports the private key in PKCS #8, DER-encoded (RFC 8410 §7). */
  exportPkcs8(): Promise<Uint8Array<ArrayBuffer>>;
}

/**
 * Creates a signer with a new key that can be exported. The signer's DID is the did:key of the new
 * key. To restore the signer, pass the exported key to `createSigner`.
 *
 * @param options Options in which `extractable` is `true`.
 *
 * @example Store a new identity
 * ```ts
 * import { createSigner, generateSigner } from "@parley/comm";
 * import { assertEquals } from "@std/assert";
 *
 * const signer = await generateSigner({ extractable: true });
 * const stored = await signer.exportPkcs8();
 * assertEquals((await createSigner({ pkcs8: stored })).did, signer.did);
 * ```
 */
export function generateSigner(options: { readonly extractable: true }): Promise<ExportableSigner>;
/**
 * Creates a signer with a new key. The signer's DID is the did:key of the new key. The private key
 * cannot be exported.
 *
 * @param options Options in which `extractable` is `false` or omitted.
 *
 * @example Create a new identity
 * ```ts
 * import { generateSigner } from "@parley/comm";
 * import { assert } from "@std/assert";
 *
 * const signer = await generateSigner();
 * assert(signer.did.startsWith("did:key:z6Mk"));
 * ```
 */
export function generateSigner(
  options?: { readonly extractable?: false },
): Promise<MessageSigner>;
/** Creates a signer with a new key. */
export async function generateSigner(
  options: { readonly extractable?: boolean } = {},
): Promise<MessageSigner> {
  const { extractable } = readGenerateOptions(options);
  const seed = crypto.getRandomValues(new Uint8Array(32));
  if (extractable) return await createExportableSigner(seed);
  try {
    return await createSigner({ seed });
  } finally {
    seed.fill(0);
  }
}

const readGenerateOptions = optionsReader<{ readonly extractable?: boolean }>("options")({
  extractable: withDefault(false, assertOptionalBoolean),
});

async function createExportableSigner(seed: Bytes): Promise<ExportableSigner> {
  const signer = await openSigner({ seed });
  return toMessageSigner(Object.assign(signer, {
    exportJwk: () => Promise.resolve(formatJwk(seed, signer.publicKey, signer.keyId)),
    exportPkcs8: () => Promise.resolve(formatPkcs8(seed)),
  }));
}

/**
 * Returns the bytes that a signature covers: an object with exactly the signed members, serialized
 * as canonical JSON (RFC 8785) and encoded as UTF-8. An absent `correlationId` is omitted.
 *
 * Decision: the signing payload is an object, without a prefix or hash. The specification requires
 * only "the canonical JSON serialization of the tuple", and this object is the message without its
 * unsigned members.
 *
 * @param message The message, signed or unsigned.
 *
 * @example Format the signing payload
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
 * @param message The message to sign. An existing signature is replaced.
 * @param signer Signer for the message's `sender`.
 * @param options Timeout and abort signal.
 * @returns A copy of the message with a signature.
 * @throws {CommError} With code "invalid_argument" if the signer's DID is not the sender.
 * @throws {TypeError} If `message` is not an object, if `signer` is not a `Signer`, or if the
 *   signer does not return 64 bytes, or an option is invalid or unknown.
 * @throws {RangeError} If `timeoutMs` is not positive.
 * @throws {CommError} With code "timeout" if the signer takes longer than `timeoutMs`.
 * @throws The signal's reason if the signal is aborted.
 *
 * @example Sign a message and detect tampering
 * ```ts
 * import { AgentCommMessage, generateSigner, signMessage, verifyMessage } from "@parley/comm";
 * import { assert, assertFalse } from "@std/assert";
 *
 * const ann = await generateSigner();
 * const recipient = "did:web:bob.example";
 * const message = new AgentCommMessage({
 *   sender: ann.did,
 *   recipient,
 *   protocol: "bank.transfer.v1",
 *   messageType: "request",
 *   payload: { amount: 10 },
 * });
 * const signed = await signMessage(message, ann);
 * assert((await verifyMessage(signed, { recipient })).ok);
 *
 * const tampered = new AgentCommMessage({ ...signed, payload: { amount: 10_000 } });
 * assertFalse((await verifyMessage(tampered, { recipient })).ok);
 * ```
 */
export async function signMessage(
  message: AgentCommMessage,
  signer: Signer,
  options?: SignMessageOptions,
): Promise<AgentCommMessage> {
  const limits = readSignMessageOptions(options);
  limits.signal?.throwIfAborted();
  const own = ensureMessage(message);
  assertSender(own, signer);
  const signature = await callSigner(signer, signingPayload(own), limits);
  return withSignature(own, formatBase64url(signature));
}
