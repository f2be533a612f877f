/**
 * Results of message verification.
 *
 * @module
 */

import { CommError, type CommErrorCodeType } from "../shared/error.ts";
import { recipientMismatch } from "./verify_error.ts";
import type { AgentCommMessage } from "../message/message.ts";

/**
 * Trust level of a message, which determines the authenticated members: no members (`none`), the signed members
 * (`signature`) or all members (`proof`).
 */
export type TrustLevel = "none" | "signature" | "proof";

/**
 * Reason for a failed verification: one of the {@linkcode CommError} codes that verification can
 * return.
 */
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
  | "key_revoked"
  | "key_expired"
  | "recipient_mismatch"
  | "age_unproven"
  | "replay_detected"
  | "replay_guard_full"
  | "replay_store_failed"
  | "sender_refused"
  | "expired"
  | "not_yet_valid"
  | "reply_mismatch"
  | "timestamp_mismatch";

/** Result of a verification. */
export type VerifyResult = VerifySuccess | VerifyFailure;

/** Result for a message that passed verification. */
export interface VerifySuccess {
  /** Discriminant: `true` if the message passed verification. */
  readonly ok: true;
  /** Trust level of the message. */
  readonly level: TrustLevel;
  /** DID URL of the key that signed the message, or `undefined` at level `none`. */
  readonly keyId: string | undefined;
  /** Names of the authenticated members. */
  readonly covered: readonly string[];
}

/** Result for a message that failed verification. */
export interface VerifyFailure {
  /** Discriminant: `false` if the message failed verification. */
  readonly ok: false;
  /** Reason for the failure, equal to `error.code`. */
  readonly reason: VerifyFailureReason;
  /** The failure as an error with details. */
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
  key_revoked: true,
  key_expired: true,
  recipient_mismatch: true,
  age_unproven: true,
  replay_detected: true,
  replay_guard_full: true,
  replay_store_failed: true,
  sender_refused: true,
  expired: true,
  not_yet_valid: true,
  reply_mismatch: true,
  timestamp_mismatch: true,
};

/**
 * Throws `recipient_mismatch` if the message has a different recipient. If `recipient` is
 * `undefined`, any recipient is accepted.
 */
export function assertRecipient(message: AgentCommMessage, recipient: string | undefined): void {
  if (recipient !== undefined && recipient !== message.recipient) {
    throw recipientMismatch(recipient, message.recipient);
  }
}

/** Converts a verification error to a result. Rethrows errors that are not verification errors. */
export function toFailure(error: unknown): VerifyFailure {
  if (!(error instanceof CommError) || !isFailureReason(error.code)) throw error;
  return { ok: false, reason: error.code, error };
}

function isFailureReason(code: CommErrorCodeType): code is VerifyFailureReason {
  return Object.hasOwn(FAILURE_REASONS, code);
}
