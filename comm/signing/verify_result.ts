/**
 * Results of message verification.
 *
 * @module
 */

import { CommError, type CommErrorCodeType } from "../shared/error.ts";
import { recipientMismatch } from "./verify_error.ts";
import { ANY_RECIPIENT } from "./verify_options.ts";
import type { AgentCommMessage } from "../message/message.ts";

/**
 * Trust level of a message, which determines the authenticated members: no members (`none`), the
 * signed members (`signature`) or all members (`proof`).
 */
export type TrustLevel = "none" | "signature" | "proof";

/**
 * Reasons for a failed verification: the {@linkcode CommError} codes that verification can return.
 */
export const VerifyFailureReason = {
  SignatureMissing: "signature_missing",
  SignatureMalformed: "signature_malformed",
  SignatureInvalid: "signature_invalid",
  ProofMissing: "proof_missing",
  ProofInvalid: "proof_invalid",
  DidInvalid: "did_invalid",
  DidMethodUnsupported: "did_method_unsupported",
  DidResolutionFailed: "did_resolution_failed",
  DidDeactivated: "did_deactivated",
  KeyNotFound: "key_not_found",
  KeyUnsupported: "key_unsupported",
  KeyRevoked: "key_revoked",
  KeyExpired: "key_expired",
  RecipientMismatch: "recipient_mismatch",
  AgeUnproven: "age_unproven",
  ReplayDetected: "replay_detected",
  ReplayGuardFull: "replay_guard_full",
  ReplayStoreFailed: "replay_store_failed",
  SenderRefused: "sender_refused",
  Expired: "expired",
  NotYetValid: "not_yet_valid",
  ReplyMismatch: "reply_mismatch",
  TimestampMismatch: "timestamp_mismatch",
} as const;

/** A value of {@linkcode VerifyFailureReason}. */
export type VerifyFailureReason = (typeof VerifyFailureReason)[keyof typeof VerifyFailureReason];

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

const FAILURE_REASONS: ReadonlySet<string> = new Set(Object.values(VerifyFailureReason));

/**
 * Throws `recipient_mismatch` unless the message has the expected recipient, or any is accepted.
 */
export function assertRecipient(message: AgentCommMessage, recipient: string): void {
  if (recipient !== ANY_RECIPIENT && recipient !== message.recipient) {
    throw recipientMismatch(recipient, message.recipient);
  }
}

/** Converts a verification error to a result. Rethrows errors that are not verification errors. */
export function toFailure(error: unknown): VerifyFailure {
  if (!(error instanceof CommError) || !isFailureReason(error.code)) throw error;
  return { ok: false, reason: error.code, error };
}

function isFailureReason(code: CommErrorCodeType): code is VerifyFailureReason {
  return FAILURE_REASONS.has(code);
}
