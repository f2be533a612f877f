/**
 * Detached signatures of JSON objects, such as A2A agent cards (RFC 7515, RFC 8785).
 *
 * Sign an object with {@linkcode signJson} and verify its signature with {@linkcode verifyJson}. A
 * signature covers the canonical form of the object, so it remains valid if the object is
 * reformatted. Keys are found by their DID: `kid` in the protected header is the DID URL of a
 * verification method. The only algorithm is Ed25519. Keys that are contained in a header or
 * located by a header (`jwk`, `jku`, `x5c`, `x5u`) are never used.
 *
 * A signature identifies neither a recipient nor a time. To sign messages, use `signMessage` or
 * `proveMessage` from `@parley/comm/proof`.
 *
 * @example Sign an agent card and detect tampering
 * ```ts
 * import { generateSigner } from "@parley/comm";
 * import { signJson, verifyJson } from "@parley/comm/jws";
 * import { assert, assertEquals } from "@std/assert";
 *
 * const signer = await generateSigner();
 * const card = { name: "oracle", version: "1.0.0" };
 * const signature = await signJson(card, signer);
 * const signed = { ...card, signatures: [signature] };
 *
 * const options = { exclude: ["signatures"], signer: signer.did };
 * assert((await verifyJson(signed, signature, options)).ok);
 *
 * const result = await verifyJson({ ...signed, name: "fraud" }, signature, options);
 * assertEquals(result.ok || result.reason, "signature_invalid");
 * ```
 *
 * @see https://www.rfc-editor.org/rfc/rfc7515#appendix-F
 * @see https://www.rfc-editor.org/rfc/rfc8785
 * @module
 */

import { askClock } from "@parley/internal/ask-clock";
import {
  assertObject,
  assertOptionalSignal,
  assertPositiveNumber,
  assertStrings,
} from "@parley/internal/assert-argument";
import { assertNames, namesOf } from "@parley/internal/options";
import { keyNotFound } from "./did/did_error.ts";
import { type KeyRelationship, takeCurrentKeys } from "./did/document.ts";
import { CommError, invalidArgument } from "./shared/error.ts";
import { formatBase64url } from "./shared/base64url.ts";
import type { JsonObject } from "./shared/json.ts";
import type { Bytes } from "./signing/ed25519_strict.ts";
import { jsonSignatureInvalid, signerMismatch } from "./signing/jws_error.ts";
import {
  formatHeader,
  readJws,
  readKeyDid,
  type ReadSignature,
  toSigningInput,
} from "./signing/jws_header.ts";
import {
  openSenderKeys,
  readSenderKeyOptions,
  type SenderKeyOptions,
  type SenderKeySettings,
} from "./signing/sender_keys.ts";
import { callSigner, SIGNER_TIMEOUT_MS } from "./signing/sign_options.ts";
import { assertSigner, type Signer } from "./signing/signer.ts";
import { assertDid } from "./signing/verify_options.ts";

/**
 * A detached signature in the flattened JSON Serialization of RFC 7515 (§7.2.2), without `payload`.
 */
export interface JsonSignature {
  /** The protected header as JSON, in base64url. */
  readonly protected: string;
  /** The signature, 64 bytes in base64url. */
  readonly signature: string;
  /** The unprotected header. It is not signed, and verification does not use its members. */
  readonly header?: JsonObject;
}

/** Options for {@linkcode signJson}. */
export interface SignJsonOptions {
  /**
   * Names of the members of the object that are not signed, such as the member that contains the
   * signature. Defaults to no names.
   */
  readonly exclude?: readonly string[];
  /**
   * Timeout for the signer, in milliseconds. The signer does not have to support signals.
   *
   * @default {30_000}
   */
  readonly timeoutMs?: number;
  /** Aborts the operation. */
  readonly signal?: AbortSignal;
}

/** Options for {@linkcode verifyJson}. */
export interface VerifyJsonOptions extends SenderKeyOptions {
  /**
   * Names of the members of the object that are not signed. Nothing is known about the author of
   * these members. Defaults to no names.
   */
  readonly exclude?: readonly string[];
  /**
   * DID that must have signed. If omitted, any DID is accepted: the caller must compare the `did`
   * of the result, and the resolver sends requests to a host that the signature determines.
   */
  readonly signer?: string;
  /**
   * Verification relationship that the signer's DID document must authorize the key for.
   *
   * @default {"assertionMethod"}
   */
  readonly relationship?: KeyRelationship;
}

/**
 * Reasons for a failed verification: the {@linkcode CommError} codes that {@linkcode verifyJson}
 * can return.
 */
export const VerifyJsonFailureReason = {
  SignatureMalformed: "signature_malformed",
  SignatureUnsupported: "signature_unsupported",
  SignatureInvalid: "signature_invalid",
  SignerMismatch: "signer_mismatch",
  DidInvalid: "did_invalid",
  DidMethodUnsupported: "did_method_unsupported",
  DidResolutionFailed: "did_resolution_failed",
  DidDeactivated: "did_deactivated",
  KeyNotFound: "key_not_found",
  KeyUnsupported: "key_unsupported",
  KeyRevoked: "key_revoked",
  KeyExpired: "key_expired",
  SerializationFailed: "serialization_failed",
  InvalidUnicode: "invalid_unicode",
  TooDeep: "too_deep",
} as const;

/** A value of {@linkcode VerifyJsonFailureReason}. */
export type VerifyJsonFailureReason =
  (typeof VerifyJsonFailureReason)[keyof typeof VerifyJsonFailureReason];

/** Result of {@linkcode verifyJson}. */
export type VerifyJsonResult = VerifyJsonSuccess | VerifyJsonFailure;

/** Result for a valid signature. */
export interface VerifyJsonSuccess {
  /** Discriminant: `true` if the signature is valid. */
  readonly ok: true;
  /** DID of the signer. */
  readonly did: string;
  /** DID URL of the key that created the signature. */
  readonly keyId: string;
}

/** Result for a signature that is not valid. */
export interface VerifyJsonFailure {
  /** Discriminant: `false` if the signature is not valid. */
  readonly ok: false;
  /** Reason for the failure, equal to `error.code`. */
  readonly reason: VerifyJsonFailureReason;
  /** The failure as an error with details. */
  readonly error: CommError;
}

const SIGN_NAMES = namesOf<SignJsonOptions>({ exclude: true, timeoutMs: true, signal: true });

const VERIFY_NAMES = namesOf<VerifyJsonOptions>({
  exclude: true,
  signer: true,
  resolver: true,
  relationship: true,
  now: true,
  timeoutMs: true,
  signal: true,
});

/**
 * Signs a JSON object. The protected header is `{"alg":"EdDSA","kid":…,"typ":"JOSE"}`, where `kid`
 * is the signer's `keyId`. The object itself is not part of the result.
 *
 * @param value The object to sign, which is validated at runtime: a plain object of JSON values.
 * @param signer Signer whose DID document authorizes the key for `assertionMethod`. The signer
 *   receives the entire signing input, which is longer than the object.
 * @param options Members that are not signed, and timeout.
 * @throws {TypeError} If `value` is not an object, if `signer` is not a signer, if the signer does
 *   not return 64 bytes, or if an option is invalid or unknown.
 * @throws {CommError} With code "invalid_argument" if the signer's `keyId` is not a DID URL of its
 *   DID, and with code "timeout" if the signer takes longer than `timeoutMs`.
 * @throws {CommError} With code "serialization_failed", "invalid_unicode" or "too_deep" if the
 *   object cannot be serialized as canonical JSON.
 * @throws {RangeError} If `timeoutMs` is not positive.
 * @throws The signal's reason if the signal is aborted.
 * @see https://www.rfc-editor.org/rfc/rfc7515#section-5.1
 *
 * @example Sign an object that contains its signature
 * ```ts
 * import { createSigner } from "@parley/comm";
 * import { signJson } from "@parley/comm/jws";
 * import { assertEquals } from "@std/assert";
 *
 * const signer = await createSigner({ seed: new Uint8Array(32).fill(1) });
 * const proof = await signJson({ answer: 42, proof: "to be replaced" }, signer, {
 *   exclude: ["proof"],
 * });
 * assertEquals(proof, await signJson({ answer: 42 }, signer));
 * ```
 */
export async function signJson(
  value: object,
  signer: Signer,
  options: SignJsonOptions = {},
): Promise<JsonSignature> {
  assertObject("value", value);
  assertSigner("signer", signer);
  assertObject("options", options);
  assertNames("options", options, SIGN_NAMES, { abortSignal: "signal" });
  const { exclude = [], timeoutMs = SIGNER_TIMEOUT_MS, signal } = options;
  assertStrings("exclude", exclude);
  assertPositiveNumber("timeoutMs", timeoutMs);
  assertOptionalSignal("signal", signal);
  signal?.throwIfAborted();
  const { did, keyId } = signer;
  if (readKeyDid(keyId) !== did) {
    throw invalidArgument("signer.keyId", "must be a DID URL of its DID");
  }
  const header = formatHeader(keyId);
  const input = toSigningInput(header, value, exclude);
  const signature = await callSigner(signer, input, { signal, timeoutMs });
  return { protected: header, signature: formatBase64url(signature) };
}

/**
 * Verifies a detached signature of a JSON object with the key that `kid` in the protected header
 * identifies. The DID document of the signer must authorize this key.
 *
 * The algorithm must be `EdDSA` or `Ed25519` (RFC 9864). A protected header is rejected if it has
 * more than 8,192 characters, duplicate member names, `crit`, `b64` or a `typ` other than `JOSE`,
 * or if the unprotected header contains one of its members.
 *
 * A valid signature does not prove that the signer is trusted. Set `signer`, or compare the `did`
 * of the result with the expected DID.
 *
 * @param value The object, for example a received agent card.
 * @param jws The detached signature, which is validated at runtime.
 * @param options Expected signer, members that are not signed, resolver and clock.
 * @returns The result of the verification. The function does not throw if the signature is
 *   malformed, unsupported or invalid, or if `value` has no canonical JSON form.
 * @throws {TypeError} If `value` is not an object, or is an array, if an option is invalid or
 *   unknown, or if `now` does not return a finite number.
 * @throws {RangeError} If `timeoutMs` is not positive.
 * @throws The signal's reason if the signal is aborted.
 * @see https://www.rfc-editor.org/rfc/rfc7515#section-5.2
 *
 * @example Distinguish a wrong signer from a changed object
 * ```ts
 * import { generateSigner } from "@parley/comm";
 * import { signJson, verifyJson } from "@parley/comm/jws";
 * import { assertEquals } from "@std/assert";
 *
 * const [ann, bob] = [await generateSigner(), await generateSigner()];
 * const signature = await signJson({ price: 5 }, ann);
 *
 * const changed = await verifyJson({ price: 500 }, signature, { signer: ann.did });
 * assertEquals(changed.ok || changed.reason, "signature_invalid");
 *
 * const foreign = await verifyJson({ price: 5 }, signature, { signer: bob.did });
 * assertEquals(foreign.ok || foreign.reason, "signer_mismatch");
 * ```
 */
export async function verifyJson(
  value: object,
  jws: unknown,
  options: VerifyJsonOptions = {},
): Promise<VerifyJsonResult> {
  assertObject("value", value);
  assertObject("options", options);
  assertNames("options", options, VERIFY_NAMES, { abortSignal: "signal" });
  const { exclude = [], relationship = "assertionMethod", signer } = options;
  assertStrings("exclude", exclude);
  if (signer !== undefined) assertDid("signer", signer);
  const settings = readSenderKeyOptions({ ...options, relationship });
  settings.signal?.throwIfAborted();
  try {
    const read = readJws(jws);
    const { did, keyId, header } = read;
    if (signer !== undefined && signer !== did) throw signerMismatch(signer, did);
    await checkSignature(read, toSigningInput(header, value, exclude), settings);
    return { ok: true, did, keyId };
  } catch (error) {
    settings.signal?.throwIfAborted();
    return toFailure(error);
  }
}

/** Throws unless the signature is valid and its key is authorized. */
async function checkSignature(
  { did, keyId, signature }: ReadSignature,
  input: Bytes,
  settings: SenderKeySettings,
): Promise<void> {
  const keys = await openSenderKeys(did, settings);
  const named = keys.filter((candidate) => candidate.keyId === keyId);
  const [key] = takeCurrentKeys(named, did, askClock(settings.now));
  if (key === undefined) throw keyNotFound(did, 'no authorized key has the id in "kid"');
  if (!await key.key.verify(signature, input)) throw jsonSignatureInvalid(did);
}

const FAILURE_REASONS: ReadonlySet<string> = new Set(Object.values(VerifyJsonFailureReason));

/** Converts a verification error to a result. Rethrows errors that are not verification errors. */
function toFailure(error: unknown): VerifyJsonFailure {
  if (!(error instanceof CommError) || !isFailureReason(error.code)) throw error;
  return { ok: false, reason: error.code, error };
}

function isFailureReason(code: string): code is VerifyJsonFailureReason {
  return FAILURE_REASONS.has(code);
}
