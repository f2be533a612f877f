/**
 * Proofs that cover an entire message (W3C Data Integrity, cryptosuite `eddsa-jcs-2022`).
 *
 * Create a proof with {@linkcode proveMessage} and verify it with {@linkcode verifyProof}. A
 * signature does not cover `replyTo`, `timestamp` or `extensions`. A proof is an extension named
 * `proof` that covers all other members, including `signature`. Receivers that do not support
 * proofs ignore this extension. To use both a signature and a proof, sign the message first.
 *
 * @example Add a proof to a message and detect tampering
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
 * const recipient = "did:web:bob.example";
 * assert((await verifyProof(proven, { recipient })).ok);
 *
 * const moved = new AgentCommMessage({ ...proven, timestamp: "2026-01-02T03:04:05Z" });
 * const result = await verifyProof(moved, { recipient });
 * assertEquals(result.ok || result.reason, "proof_invalid");
 * ```
 *
 * @see https://www.w3.org/TR/vc-di-eddsa/#eddsa-jcs-2022
 * @module
 */

import { canonicalize } from "./canonical/canonical_json.ts";
import { takeCurrentKeys } from "./did/document.ts";
import {
  formatProofValue,
  hashProofInput,
  readProofValue,
  withContext,
} from "./signing/data_integrity.ts";
import { askClock } from "@parley/internal/ask-clock";
import { quote } from "@parley/internal/format-value";
import { keyNotFound } from "./did/did_error.ts";
import { expired, notYetValid, proofInvalid, proofMissing } from "./signing/verify_error.ts";
import type { Bytes } from "./signing/ed25519_strict.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "./shared/json.ts";
import {
  assertDate,
  assertNonNegative,
  assertObject,
  assertOptionalSignal,
  assertPositiveNumber,
  assertString,
} from "@parley/internal/assert-argument";
import { assertNames, namesOf, type Settings } from "@parley/internal/options";
import { AgentCommMessage, ensureMessage, toDocument } from "./message/message.ts";
import {
  openSenderKeys,
  readSenderKeyOptions,
  type SenderKeyDefault,
  type SenderKeyOptions,
} from "./signing/sender_keys.ts";
import { assertSender, type Signer } from "./signing/signer.ts";
import { callSigner, SIGNER_TIMEOUT_MS } from "./signing/sign_options.ts";
import {
  assertVerifyOptions,
  DEFAULT_CLOCK_SKEW_MS,
  DEFAULT_MAX_AGE_MS,
} from "./signing/verify_options.ts";
import { formatTimestamp, readTimestamp } from "./shared/timestamp.ts";
import { assertRecipient, toFailure, type VerifyResult } from "./signing/verify_result.ts";

/** Options for {@linkcode proveMessage}. */
export interface ProveMessageOptions {
  /** Creation time of the proof. Defaults to the current time. */
  readonly created?: Date;
  /**
   * Expiration time of the proof. If omitted, the recipient decides how long the proof is valid,
   * see {@linkcode VerifyProofOptions.maxAgeMs}.
   */
  readonly expires?: Date;
  /** Single-use value provided by the recipient. */
  readonly challenge?: string;
  /**
   * Timeout for the signer, in milliseconds. The signer does not have to support signals.
   *
   * @default {30_000}
   */
  readonly timeoutMs?: number;
  /** Aborts the operation. */
  readonly signal?: AbortSignal;
}

/** Options for {@linkcode verifyProof}. */
export interface VerifyProofOptions extends SenderKeyOptions {
  /**
   * DID of this agent, or `any`. Messages for other recipients fail with `recipient_mismatch`. With
   * `any`, messages for any recipient are accepted.
   */
  readonly recipient: string;
  /** Expected `challenge` in the proof. If omitted, any challenge is accepted. */
  readonly challenge?: string;
  /**
   * Maximum clock skew: how far the sender's clock may be ahead, in milliseconds.
   *
   * @default {60_000}
   */
  readonly clockSkewMs?: number;
  /**
   * Maximum age of a proof without an expiration time, in milliseconds. The age is computed from
   * the `created` member of the proof or, if it is absent, from the `timestamp` of the message.
   * `Infinity` disables the check.
   *
   * @default {300_000}
   */
  readonly maxAgeMs?: number;
}

/** Options for {@linkcode verifyProof}, with default values filled in. */
type VerifyProofSettings = Settings<
  VerifyProofOptions,
  SenderKeyDefault | "clockSkewMs" | "maxAgeMs"
>;

const PROVE_NAMES = namesOf<ProveMessageOptions>({
  created: true,
  expires: true,
  challenge: true,
  timeoutMs: true,
  signal: true,
});

const VERIFY_NAMES = namesOf<VerifyProofOptions>({
  recipient: true,
  challenge: true,
  clockSkewMs: true,
  maxAgeMs: true,
  resolver: true,
  relationship: true,
  now: true,
  timeoutMs: true,
  signal: true,
});

/**
 * Adds a proof to a message. The proof contains the key id, the purpose (`authentication`) and the
 * recipient (`domain`).
 *
 * @param message The message. An existing proof or proof set is replaced.
 * @param signer Signer for the message's `sender`.
 * @param options Creation time, expiration time and challenge of the proof, and timeout.
 * @throws {CommError} With code "invalid_argument" if the signer's DID is not the sender.
 * @throws {TypeError} If the signer does not return 64 bytes.
 * @throws {TypeError} If a date is not a valid `Date`, or an option is invalid or unknown.
 * @throws {RangeError} If a date is outside the years 0000 to 9999, or `timeoutMs` is not positive.
 * @throws {CommError} With code "timeout" if the signer takes longer than `timeoutMs`.
 * @throws The signal's reason if the signal is aborted.
 *
 * @example Create a proof that expires after one minute
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
  assertObject("options", options);
  assertNames("options", options, PROVE_NAMES);
  const { created = new Date(), expires, challenge, signal } = options;
  const { timeoutMs = SIGNER_TIMEOUT_MS } = options;
  assertDate("created", created);
  if (expires !== undefined) assertDate("expires", expires);
  if (challenge !== undefined) assertString("challenge", challenge);
  assertPositiveNumber("timeoutMs", timeoutMs);
  assertOptionalSignal("signal", signal);
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
  const signature = await callSigner(signer, data, { signal, timeoutMs });
  const proof = { ...config, proofValue: formatProofValue(signature) };
  return new AgentCommMessage({ ...own, extensions: { ...own.extensions, proof } });
}

/**
 * Verifies the proof of a message with the key that the proof identifies. The sender's DID document
 * must authorize this key. The proof covers the message's `signature`, but this function does not
 * verify that signature.
 *
 * A proof is valid until its expiration time or, if it has none, for `maxAgeMs`. Until then, anyone
 * who has the message can send it again. To detect replayed messages, use `createVerifier` from
 * `@parley/comm/policy`, or a `challenge` for each message.
 *
 * If `proof` is an array (a proof set), it must contain 1 to 8 proofs, and each of them must be
 * valid. The result contains the key of the first proof and the members that all proofs cover.
 * Proof chains are not supported: a proof with `previousProof` is invalid.
 *
 * @param message The message to verify.
 * @param options Expected recipient, expected challenge, resolver and clock.
 * @returns The result of the verification. If the proof is valid, the `level` of the result is
 *   `proof`. The function does not throw if the proof is missing or invalid.
 * @throws {TypeError} If `recipient` is neither a DID nor `any`, if another option is invalid or
 *   unknown, or if `now` does not return a finite number.
 * @throws {CommError} With code "invalid_message" if the argument is not a valid message.
 * @throws {RangeError} If `clockSkewMs` or `maxAgeMs` is negative or not a number, or if
 *   `timeoutMs` is not positive.
 * @throws The signal's reason if the signal is aborted.
 *
 * @example Reject a message without a proof
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
 * const result = await verifyProof(message, { recipient: "did:web:bob.example" });
 * assertEquals(result.ok || result.reason, "proof_missing");
 * ```
 */
export async function verifyProof(
  message: AgentCommMessage,
  options: VerifyProofOptions,
): Promise<VerifyResult> {
  assertVerifyOptions(options, VERIFY_NAMES);
  const { recipient, challenge, clockSkewMs = DEFAULT_CLOCK_SKEW_MS } = options;
  const { maxAgeMs = DEFAULT_MAX_AGE_MS } = options;
  if (challenge !== undefined) assertString("challenge", challenge);
  assertNonNegative("clockSkewMs", clockSkewMs);
  assertNonNegative("maxAgeMs", maxAgeMs);
  const limits = { clockSkewMs, maxAgeMs };
  const settings = { recipient, challenge, ...limits, ...readSenderKeyOptions(options) };
  settings.signal?.throwIfAborted();
  const own = ensureMessage(message);
  try {
    assertRecipient(own, recipient);
    return await checkProofs(own, settings);
  } catch (error) {
    return toFailure(error);
  }
}

/**
 * Maximum number of proofs in a set. Verifying each proof requires hashing the message and
 * verifying a signature.
 */
const MAX_PROOFS = 8;

async function checkProofs(
  message: AgentCommMessage,
  settings: VerifyProofSettings,
): Promise<VerifyResult> {
  const { proof, ...document } = toDocument(message);
  if (proof === undefined) throw proofMissing();
  const proofs = Array.isArray(proof) ? proof : [proof];
  if (proofs.length > MAX_PROOFS) throw proofInvalid(`more than ${MAX_PROOFS} proofs`);
  const prepared: PreparedProof[] = [];
  for (const each of proofs) {
    prepared.push(await prepareProof(each, document, message, settings));
  }
  const [first] = prepared;
  if (first === undefined) throw proofInvalid("array of proofs is empty");
  const keys = await openSenderKeys(message.sender, settings);
  for (const { keyId, signature, data } of prepared) {
    const named = keys.filter((candidate) => candidate.keyId === keyId);
    const [key] = takeCurrentKeys(named, message.sender, askClock(settings.now));
    if (key === undefined) {
      throw keyNotFound(message.sender, "no authorized key has the id given in the proof");
    }
    if (!await key.key.verify(signature, data)) {
      throw proofInvalid("signature does not match the message");
    }
  }
  const covered = first.covered.filter((name) =>
    prepared.every((each) => each.covered.includes(name))
  );
  return { ok: true, level: "proof", keyId: first.keyId, covered };
}

/** A proof whose configuration is valid. */
interface PreparedProof {
  readonly keyId: string;
  readonly signature: Bytes;
  /** The signed data. */
  readonly data: Bytes;
  /** Names of the members that the proof authenticates. */
  readonly covered: readonly string[];
}

/** Validates everything in a proof except its signature. */
async function prepareProof(
  proof: JsonValue,
  document: JsonObject,
  message: AgentCommMessage,
  settings: VerifyProofSettings,
): Promise<PreparedProof> {
  if (!isJsonObject(proof)) throw proofInvalid("not an object");
  const { proofValue, ...config } = proof;
  const signature = readProofValue(proofValue);
  const keyId = readConfig(config, message, settings);
  const hashed = withContext(document, config);
  const data = await hashProofInput(hashed, config);
  return { keyId, signature, data, covered: listCovered(document, hashed) };
}

/**
 * Returns the names of the members that the proof authenticates. The result includes `@context`
 * only if the proof and the document have the same `@context`.
 */
function listCovered(document: JsonObject, hashed: JsonObject): string[] {
  const [actual, proven] = [document, hashed].map((of) => canonicalize(of["@context"] ?? null));
  return Object.keys(document).filter((name) => name !== "@context" || actual === proven);
}

/** Validates a proof configuration. Returns the key id. */
function readConfig(
  config: JsonObject,
  message: AgentCommMessage,
  settings: VerifyProofSettings,
): string {
  const { type, cryptosuite, verificationMethod, proofPurpose, domain, challenge } = config;
  if (config.previousProof !== undefined) throw proofInvalid("proof chains are not supported");
  if (type !== "DataIntegrityProof" || cryptosuite !== "eddsa-jcs-2022") {
    throw proofInvalid("cryptosuite is not eddsa-jcs-2022");
  }
  if (typeof verificationMethod !== "string") {
    throw proofInvalid(`"verificationMethod" is not a string`);
  }
  if (proofPurpose !== settings.relationship) {
    throw proofInvalid(`"proofPurpose" is not ${quote(settings.relationship)}`);
  }
  if (domain !== undefined && domain !== message.recipient) {
    throw proofInvalid(`"domain" is not the recipient`);
  }
  if (settings.challenge !== undefined && challenge !== settings.challenge) {
    throw proofInvalid(`"challenge" is not the expected value`);
  }
  checkTimes(config, message, settings);
  return verificationMethod;
}

function checkTimes(
  config: JsonObject,
  { timestampMs }: AgentCommMessage,
  { clockSkewMs, maxAgeMs, now }: VerifyProofSettings,
): void {
  const created = readTime(config.created);
  const expires = readTime(config.expires);
  const nowMs = askClock(now);
  if (created !== undefined && !(created <= nowMs + clockSkewMs)) throw notYetValid(created);
  if (expires !== undefined && !(expires > nowMs)) throw expired(expires);
  const endMs = (created ?? timestampMs) + maxAgeMs;
  if (expires === undefined && !(endMs >= nowMs)) throw expired(endMs);
}

function readTime(value: JsonValue | undefined): number | undefined {
  if (value === undefined) return undefined;
  const ms = typeof value === "string" ? readTimestamp(value) : undefined;
  if (ms === undefined) throw proofInvalid("timestamp is not an RFC 3339 date-time");
  return ms;
}
