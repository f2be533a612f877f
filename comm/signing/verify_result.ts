/**
 * What verification finds out about a message, as a value.
 *
 * @module
 */

import { CommError, type CommErrorCodeType, recipientMismatch } from "../shared/error.ts";
import type { AgentCommMessage } from "../message/message.ts";

/** How much of a message was proven to be its sender's: nothing, what a signature covers, or all of it. */
export type TrustLevel = "none" | "signature" | "proof";

/** Why a message was not accepted: the codes that verification can end with. */
export type VerifyFailureReason =
  | "signature_missing"
  | "signature_malformed"
  | "signature_invalid"
  | "proof_missing"
  | "proof_invalid"
  | "did_invalid"
  | "did_method_unsupported"
  | "did_resolution_failed"
  | "did_deactivated"
  | "key_not_found"
  | "key_unsupported"
  | "recipient_mismatch"
  | "age_unproven"
  | "replay_detected"
  | "expired"
  | "not_yet_valid"
  | "reply_mismatch"
  | "timestamp_mismatch";

/** What verification found out. */
export type VerifyResult = VerifySuccess | VerifyFailure;

/** The message is its sender's. */
export interface VerifySuccess {
  /** Tells success from failure. */
  readonly ok: true;
  /** How much of the message that holds for. */
  readonly level: TrustLevel;
  /** The DID URL of the key that made the signature; undefined at level `none`. */
  readonly keyId: string | undefined;
  /** The names of the members that are proven. */
  readonly covered: readonly string[];
}

/** The message is not to be trusted. */
export interface VerifyFailure {
  /** Tells success from failure. */
  readonly ok: false;
  /** Why; the same as `error.code`. */
  readonly reason: VerifyFailureReason;
  /** The same as an error, with details, ready to throw. */
  readonly error: CommError;
}

const FAILURE_REASONS: Readonly<Record<VerifyFailureReason, true>> = {
  signature_missing: true,
  signature_malformed: true,
  signature_invalid: true,
  proof_missing: true,
  proof_invalid: true,
  did_invalid: true,
  did_method_unsupported: true,
  did_resolution_failed: true,
  did_deactivated: true,
  key_not_found: true,
  key_unsupported: true,
  recipient_mismatch: true,
  age_unproven: true,
  replay_detected: true,
  expired: true,
  not_yet_valid: true,
  reply_mismatch: true,
  timestamp_mismatch: true,
};

/** Refuses a message for somebody else; undefined is anybody. */
export function assertRecipient(message: AgentCommMessage, recipient: string | undefined): void {
  if (recipient !== undefined && recipient !== message.recipient) {
    throw recipientMismatch(recipient, message.recipient);
  }
}

/** Turns an error that is an outcome of verification into a result; any other goes on. */
export function toFailure(error: unknown): VerifyFailure {
  if (!(error instanceof CommError) || !isFailureReason(error.code)) throw error;
  return { ok: false, reason: error.code, error };
}

function isFailureReason(code: CommErrorCodeType): code is VerifyFailureReason {
  return Object.hasOwn(FAILURE_REASONS, code);
}
