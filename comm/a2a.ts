/**
 * Signed requests of the Agent2Agent protocol (A2A), as an extension of the protocol.
 *
 * Sign a request that sends a message with {@linkcode signA2aRequest}, and verify it with
 * {@linkcode verifyA2aRequest}. The metadata of the A2A message then contains a message of this
 * package, with a proof, whose payload is the digest of the whole request. A verifier checks it as
 * it checks other messages: recipient, age, replays and policy. A proxy may write the request in
 * another form of ProtoJSON.
 *
 * Responses are not signed. The signature does not cover the operation, such as `SendMessage` or
 * `SendStreamingMessage`, or the header of the HTTP request.
 *
 * @example Sign a request and reject a changed request
 * ```ts
 * import { generateSigner } from "@parley/comm";
 * import { signA2aRequest, verifyA2aRequest } from "@parley/comm/a2a";
 * import { createVerifier, ReplayGuard } from "@parley/comm/policy";
 * import { verifyProof } from "@parley/comm/proof";
 * import { assertEquals } from "@std/assert";
 *
 * const [ann, bob] = [await generateSigner(), await generateSigner()];
 * const request = {
 *   message: { messageId: "1", role: "ROLE_USER", parts: [{ text: "Pay 5 euros" }] },
 * };
 * const signed = await signA2aRequest(request, { signer: ann, recipient: bob.did });
 *
 * const verifier = createVerifier({
 *   recipient: bob.did,
 *   policy: { require: "proof" },
 *   replayGuard: new ReplayGuard(),
 *   verifyProof,
 * });
 * const changed = { ...signed, configuration: { returnImmediately: true } };
 * const rejected = await verifyA2aRequest(changed, verifier);
 * assertEquals(rejected.ok || rejected.reason, "proof_invalid");
 *
 * const accepted = await verifyA2aRequest(signed, verifier);
 * assertEquals(accepted.ok && accepted.did, ann.did);
 * const replayed = await verifyA2aRequest(signed, verifier);
 * assertEquals(replayed.ok || replayed.reason, "replay_detected");
 * ```
 *
 * @see https://a2a-protocol.org/latest/specification/#46-extensions
 * @module
 */

import {
  assertMethods,
  assertOptionalSignal,
  assertPositiveNumber,
} from "@parley/internal/assert-argument";
import { optionsReader, required, withDefault } from "@parley/internal/options";
import { readSignal, toSignalOptions } from "@parley/internal/read-signal";
import { canonicalize } from "./canonical/canonical_json.ts";
import { AgentCommMessage } from "./message/message.ts";
import { parseMessage } from "./message/message_json.ts";
import { proveMessage } from "./proof.ts";
import { CommError } from "./shared/error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "./shared/json.ts";
import { digestOf, readCovered } from "./signing/a2a_digest.ts";
import { SIGNER_TIMEOUT_MS } from "./signing/sign_options.ts";
import { assertSigner, type Signer } from "./signing/signer.ts";
import type { MessageVerifier } from "./signing/verifier.ts";
import { assertDid } from "./signing/verify_options.ts";
import { proofInvalid, proofMissing } from "./signing/verify_error.ts";
import {
  toFailure,
  type VerifyFailure,
  type VerifyFailureReason,
} from "./signing/verify_result.ts";

/** URI of the extension, and name of the member of the metadata that contains the proof. */
export const A2A_SIGNED_MESSAGE = "urn:parley:a2a:signed-message:v1";

/** The `protocol` of the message in the metadata, for policies. */
export const A2A_PROTOCOL = "a2a.message.v1";

/** The `messageType` of the message in the metadata. */
const MESSAGE_TYPE = "message";

/** Options for {@linkcode signA2aRequest}. */
export interface SignA2aRequestOptions {
  /** Signer of the request. Its DID is the sender. */
  readonly signer: Signer;
  /** DID of the agent that receives the request: `params.did` of the extension in its card. */
  readonly recipient: string;
  /**
   * Timeout for the signer, in milliseconds. The signer does not have to support signals.
   *
   * @default {30_000}
   */
  readonly timeoutMs?: number;
  /** Aborts the operation. */
  readonly signal?: AbortSignal;
}

/** Options for {@linkcode verifyA2aRequest}. */
export interface VerifyA2aRequestOptions {
  /** Aborts the operation. */
  readonly signal?: AbortSignal;
}

/** Result of {@linkcode verifyA2aRequest}. */
export type VerifyA2aResult = VerifyA2aSuccess | VerifyA2aFailure;

/** Result for a request with a valid proof. */
export interface VerifyA2aSuccess {
  /** Discriminant: `true` if the request passed verification. */
  readonly ok: true;
  /** DID of the signer. */
  readonly did: string;
  /** DID URL of the key that created the proof. */
  readonly keyId: string;
}

/** Result for a request that failed verification. */
export interface VerifyA2aFailure {
  /** Discriminant: `false` if the request failed verification. */
  readonly ok: false;
  /** Reason for the failure, equal to `error.code`. `invalid_message` if A2A does not permit it. */
  readonly reason: VerifyFailureReason | "invalid_message";
  /** The failure as an error with details. */
  readonly error: CommError;
}

const readSignOptions = optionsReader<SignA2aRequestOptions>("options", { abortSignal: "signal" })({
  signer: required(assertSigner),
  recipient: required(assertDid),
  timeoutMs: withDefault(SIGNER_TIMEOUT_MS, assertPositiveNumber),
  signal: assertOptionalSignal,
});

/**
 * Signs a request of the operation `SendMessage` or `SendStreamingMessage`. Returns the request
 * with the proof, in the form in which the digest covers it: with the names of ProtoJSON and
 * without unknown members and members that have their default value. An existing proof is replaced.
 *
 * Each signed request is accepted once. To send the same request again, sign it again; an agent can
 * recognize the message by its `messageId`.
 *
 * @param request The request: `message`, and optionally `configuration`, `metadata` and `tenant`.
 * @param options Signer and recipient.
 * @throws {CommError} With code "invalid_message" if the request is not valid, and with code
 *   "timeout" if the signer takes longer than `timeoutMs`.
 * @throws {TypeError} If an option is invalid or unknown, or if the signer does not return 64
 *   bytes.
 * @throws {RangeError} If `timeoutMs` is not positive.
 * @throws The signal's reason if the signal is aborted.
 *
 * @example Sign a request
 * ```ts
 * import { generateSigner } from "@parley/comm";
 * import { A2A_SIGNED_MESSAGE, signA2aRequest } from "@parley/comm/a2a";
 * import { assertEquals } from "@std/assert";
 *
 * const request = { message: { messageId: "1", role: "ROLE_USER", parts: [{ text: "Hello" }] } };
 * const signer = await generateSigner();
 * const { message } = await signA2aRequest(request, { signer, recipient: "did:web:bob.example" });
 * const { extensions } = message as { extensions: string[] };
 * assertEquals(extensions, [A2A_SIGNED_MESSAGE]);
 * ```
 */
export async function signA2aRequest(
  request: object,
  options: SignA2aRequestOptions,
): Promise<JsonObject> {
  const { signer, recipient, timeoutMs, signal } = readSignOptions(options);
  signal?.throwIfAborted();
  const { covered, message } = withExtension(readCovered(request, A2A_SIGNED_MESSAGE));
  const carrier = new AgentCommMessage({
    sender: signer.did,
    recipient,
    protocol: A2A_PROTOCOL,
    messageType: MESSAGE_TYPE,
    payload: { digest: await digestOf(covered) },
  });
  const proven = await proveMessage(carrier, signer, { timeoutMs, ...toSignalOptions(signal) });
  const metadata = isJsonObject(message.metadata) ? message.metadata : {};
  return {
    ...covered,
    message: { ...message, metadata: { ...metadata, [A2A_SIGNED_MESSAGE]: proven.toJSON() } },
  };
}

/** Adds the URI to the extensions of the message. */
function withExtension(
  { covered, message }: { readonly covered: JsonObject; readonly message: JsonObject },
): { readonly covered: JsonObject; readonly message: JsonObject } {
  const listed = Array.isArray(message.extensions) ? message.extensions : [];
  if (listed.includes(A2A_SIGNED_MESSAGE)) return { covered, message };
  const extended = { ...message, extensions: [...listed, A2A_SIGNED_MESSAGE] };
  return { covered: { ...covered, message: extended }, message: extended };
}

/**
 * Verifies a signed request. The digest is compared before the verifier is called, so a changed
 * request does not use up the id of the proof.
 *
 * The policy of the verifier must require level `proof` for {@linkcode A2A_PROTOCOL}, and its
 * `recipient` must be the DID of the agent. Without a replay store, anyone who has the request can
 * send it again until the proof is too old.
 *
 * @param request The received request, as it was received or as an A2A endpoint has read it.
 * @param verifier Verifier that checks recipient, age, replays, policy and proof.
 * @param options An optional abort signal.
 * @returns The DID of the signer, or the reason why the request is not accepted: `proof_missing`
 *   without a proof, `proof_invalid` if the digest is not that of the request, `invalid_message` if
 *   the request is not valid, and otherwise the reason of the verifier.
 * @throws {TypeError} If `verifier` is not a verifier, or an option is invalid or unknown.
 * @throws The signal's reason if the signal is aborted.
 *
 * @example Reject a request without a proof
 * ```ts
 * import { verifyA2aRequest } from "@parley/comm/a2a";
 * import { createVerifier } from "@parley/comm/policy";
 * import { assertEquals } from "@std/assert";
 *
 * const request = { message: { messageId: "1", role: "ROLE_USER", parts: [{ text: "Hello" }] } };
 * const result = await verifyA2aRequest(request, createVerifier({ recipient: "did:web:bob.example" }));
 * assertEquals(result.ok || result.reason, "proof_missing");
 * ```
 */
export async function verifyA2aRequest(
  request: unknown,
  verifier: MessageVerifier,
  options?: VerifyA2aRequestOptions,
): Promise<VerifyA2aResult> {
  assertMethods("verifier", "a MessageVerifier", verifier, ["verify"]);
  const signal = readSignal(options);
  signal?.throwIfAborted();
  try {
    const { covered, proof } = readCovered(request, A2A_SIGNED_MESSAGE);
    if (proof === undefined) throw proofMissing();
    const carrier = readCarrier(proof);
    await assertDigest(carrier, covered);
    const result = await verifier.verify(carrier, toSignalOptions(signal));
    if (result.ok !== true) return result;
    if (result.keyId === undefined) throw proofInvalid("the policy does not require a proof");
    return { ok: true, did: carrier.sender, keyId: result.keyId };
  } catch (error) {
    signal?.throwIfAborted();
    return toA2aFailure(error);
  }
}

/** Reads the message in the metadata. */
function readCarrier(proof: JsonValue): AgentCommMessage {
  try {
    return parseMessage(canonicalize(proof));
  } catch (error) {
    if (!(error instanceof CommError)) throw error;
    throw proofInvalid(error.message);
  }
}

/** Throws unless the message in the metadata is for exactly this request. */
async function assertDigest(carrier: AgentCommMessage, covered: JsonObject): Promise<void> {
  const { messageType, payload, protocol } = carrier;
  if (protocol !== A2A_PROTOCOL || messageType !== MESSAGE_TYPE) {
    throw proofInvalid("not for a request of A2A");
  }
  const expected = canonicalize({ digest: await digestOf(covered) });
  if (canonicalize(payload) !== expected) throw proofInvalid("digest does not match the request");
}

function toA2aFailure(error: unknown): VerifyA2aFailure | VerifyFailure {
  if (error instanceof CommError && error.is("invalid_message")) {
    return { ok: false, reason: "invalid_message", error };
  }
  return toFailure(error);
}
