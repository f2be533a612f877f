/**
 * Proofs that cover a whole message: W3C Data Integrity, cryptosuite `eddsa-jcs-2022`.
 *
 * A signature leaves `replyTo`, `timestamp` and extensions open. A proof is an extension itself, the member `proof`, and
 * covers every other member, `signature` included. Receivers that do not know it pass over it. Sign first, then prove.
 *
 * @example Prove a whole message
 * ```ts
 * import { AgentCommMessage, generateSigner } from "@parley/comm";
 * import { proveMessage, verifyProof } from "@parley/comm/proof";
 * import { assert, assertEquals } from "@std/assert";
 *
 * const ann = await generateSigner();
 * const message = new AgentCommMessage({
 *   sender: ann.did,
 *   recipient: "did:web:bob.example",
 *   protocol: "agent.task.v1",
 *   messageType: "task_assign",
 *   payload: null,
 * });
 * const proven = await proveMessage(message, ann, { expires: new Date(Date.now() + 60_000) });
 * assert((await verifyProof(proven)).ok);
 *
 * const moved = new AgentCommMessage({ ...proven, timestamp: "2026-01-02T03:04:05Z" });
 * const result = await verifyProof(moved);
 * assertEquals(result.ok || result.reason, "proof_invalid");
 * ```
 *
 * @see https://www.w3.org/TR/vc-di-eddsa/#eddsa-jcs-2022
 * @module
 */

import { canonicalize } from "./canonical/canonical_json.ts";
import {
  formatProofValue,
  hashProofInput,
  readProofValue,
  withContext,
} from "./signing/data_integrity.ts";
import {
  expired,
  formatValue,
  keyNotFound,
  notYetValid,
  proofInvalid,
  proofMissing,
} from "./shared/error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "./shared/json.ts";
import { AgentCommMessage, ensureMessage, toDocument } from "./message/message.ts";
import { openSenderKeys, type SenderKeyOptions } from "./signing/sender_keys.ts";
import { assertSender, assertSignature, type Signer } from "./signing/signer.ts";
import { formatTimestamp, readTimestamp } from "./shared/timestamp.ts";
import { assertRecipient, toFailure, type VerifyResult } from "./signing/verify_result.ts";

/** Options of {@linkcode proveMessage}. */
export interface ProveMessageOptions {
  /** When the proof was made; the default is now. */
  readonly created?: Date;
  /** When the proof ends to hold; the default is never. */
  readonly expires?: Date;
  /** A value of one use that the recipient gave. */
  readonly challenge?: string;
  /** Ends it early. */
  readonly signal?: AbortSignal;
}

/** Options of {@linkcode verifyProof}. */
export interface VerifyProofOptions extends SenderKeyOptions {
  /** The DID that the message must be for; the default is any. Pass your own. */
  readonly recipient?: string;
  /** The `challenge` that the proof must carry; the default is any or none. */
  readonly challenge?: string;
  /** How far the sender's clock may be ahead, in milliseconds; the default is 60,000. */
  readonly clockSkewMs?: number;
  /** The clock, in milliseconds; the default is `Date.now`. */
  readonly now?: () => number;
}

/**
 * Adds a proof to a message. It names the key, its purpose (`authentication`) and the recipient (`domain`).
 *
 * @param message the message; a proof it carries is replaced
 * @param signer who proves, as the message's `sender`
 * @param options when the proof holds
 * @throws {CommError} `invalid_argument` when the signer is not the sender
 * @throws {TypeError} when the signer answers no 64 bytes
 * @throws {RangeError} when a date is none, or outside the years 0000 to 9999
 * @throws the signal's reason, when aborted
 *
 * @example A proof for one minute
 * ```ts
 * import { AgentCommMessage, generateSigner, signMessage } from "@parley/comm";
 * import { proveMessage } from "@parley/comm/proof";
 * import { assert } from "@std/assert";
 *
 * const ann = await generateSigner();
 * const message = new AgentCommMessage({
 *   sender: ann.did,
 *   recipient: "did:web:bob.example",
 *   protocol: "agent.task.v1",
 *   messageType: "task_assign",
 *   payload: null,
 * });
 * const signed = await signMessage(message, ann);
 * const proven = await proveMessage(signed, ann, { expires: new Date(Date.now() + 60_000) });
 * assert("proof" in proven.extensions);
 * ```
 */
export async function proveMessage(
  message: AgentCommMessage,
  signer: Signer,
  options: ProveMessageOptions = {},
): Promise<AgentCommMessage> {
  const { created = new Date(), expires, challenge, signal } = options;
  signal?.throwIfAborted();
  const own = ensureMessage(message);
  assertSender(own, signer);
  const { proof: _replaced, ...document } = toDocument(own);
  const config = {
    ...(document["@context"] === undefined ? {} : { "@context": document["@context"] }),
    type: "DataIntegrityProof",
    cryptosuite: "eddsa-jcs-2022",
    created: formatTimestamp(created.getTime()),
    ...(expires === undefined ? {} : { expires: formatTimestamp(expires.getTime()) }),
    verificationMethod: signer.keyId,
    proofPurpose: "authentication",
    domain: own.recipient,
    ...(challenge === undefined ? {} : { challenge }),
  };
  const data = await hashProofInput(document, config);
  const signature = await signer.sign(data, signal === undefined ? {} : { signal });
  assertSignature(signature);
  const proof = { ...config, proofValue: formatProofValue(signature) };
  return new AgentCommMessage({ ...own, extensions: { ...own.extensions, proof } });
}

/**
 * Verifies a message's proof with the key that it names, which the sender's DID document must authorize. A `signature`
 * beside it is covered, but not verified: the proof says more.
 *
 * @param message the message
 * @param options whom to ask for the key, and what else must hold
 * @returns a result at level `proof`; that a proof is missing or does not hold is an outcome, not an exception
 * @throws {CommError} `invalid_message` for what is no message
 * @throws the signal's reason, when aborted
 *
 * @example Refuse a message without proof
 * ```ts
 * import { AgentCommMessage } from "@parley/comm";
 * import { verifyProof } from "@parley/comm/proof";
 * import { assertEquals } from "@std/assert";
 *
 * const message = new AgentCommMessage({
 *   sender: "did:web:ann.example",
 *   recipient: "did:web:bob.example",
 *   protocol: "agent.task.v1",
 *   messageType: "task_assign",
 *   payload: null,
 * });
 * const result = await verifyProof(message);
 * assertEquals(result.ok || result.reason, "proof_missing");
 * ```
 */
export async function verifyProof(
  message: AgentCommMessage,
  options: VerifyProofOptions = {},
): Promise<VerifyResult> {
  options.signal?.throwIfAborted();
  const own = ensureMessage(message);
  try {
    assertRecipient(own, options.recipient);
    return await checkProof(own, options);
  } catch (error) {
    return toFailure(error);
  }
}

async function checkProof(
  message: AgentCommMessage,
  options: VerifyProofOptions,
): Promise<VerifyResult> {
  const { proof, ...document } = toDocument(message);
  if (proof === undefined) throw proofMissing();
  if (!isJsonObject(proof)) throw proofInvalid("not an object");
  const { proofValue, ...config } = proof;
  const signature = readProofValue(proofValue);
  const keyId = readConfig(config, message, options);
  const hashed = withContext(document, config);
  const data = await hashProofInput(hashed, config);
  const keys = await openSenderKeys(message.sender, options);
  const key = keys.find((candidate) => candidate.keyId === keyId)?.key;
  if (key === undefined) throw keyNotFound(message.sender, "no key has the id of the proof");
  if (!await key.verify(signature, data)) {
    throw proofInvalid("signature does not match the message");
  }
  return { ok: true, level: "proof", keyId, covered: listCovered(document, hashed) };
}

/** The names of the members that were hashed as they are: of `@context`, a proof need not name all. */
function listCovered(document: JsonObject, hashed: JsonObject): string[] {
  const [actual, proven] = [document, hashed].map((of) => canonicalize(of["@context"] ?? null));
  return Object.keys(document).filter((name) => name !== "@context" || actual === proven);
}

/** Checks what a proof says of itself; answers the id of its key. */
function readConfig(
  config: JsonObject,
  message: AgentCommMessage,
  options: VerifyProofOptions,
): string {
  const { type, cryptosuite, verificationMethod, proofPurpose, domain, challenge } = config;
  if (type !== "DataIntegrityProof" || cryptosuite !== "eddsa-jcs-2022") {
    throw proofInvalid("cryptosuite is not eddsa-jcs-2022");
  }
  if (typeof verificationMethod !== "string") {
    throw proofInvalid(`"verificationMethod" is not a string`);
  }
  const { relationship = "authentication" } = options;
  if (proofPurpose !== relationship) {
    throw proofInvalid(`"proofPurpose" is not ${formatValue(relationship)}`);
  }
  if (domain !== undefined && domain !== message.recipient) {
    throw proofInvalid(`"domain" is not the recipient`);
  }
  if (options.challenge !== undefined && challenge !== options.challenge) {
    throw proofInvalid(`"challenge" is not the expected value`);
  }
  checkTimes(config, options);
  return verificationMethod;
}

function checkTimes(config: JsonObject, options: VerifyProofOptions): void {
  const { clockSkewMs = 60_000, now = Date.now } = options;
  const created = readTime(config.created);
  const expires = readTime(config.expires);
  const nowMs = now();
  if (created !== undefined && created > nowMs + clockSkewMs) throw notYetValid(created);
  if (expires !== undefined && expires <= nowMs) throw expired(expires);
}

function readTime(value: JsonValue | undefined): number | undefined {
  if (value === undefined) return undefined;
  const ms = typeof value === "string" ? readTimestamp(value) : undefined;
  if (ms === undefined) throw proofInvalid("timestamp is not an RFC 3339 date-time");
  return ms;
}
