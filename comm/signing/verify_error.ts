/**
 * Message verification errors.
 *
 * @module
 */

import { CommError } from "../shared/error.ts";
import { quote } from "@parley/internal/format-value";

/** Creates an error with code `recipient_mismatch`. */
export function recipientMismatch(
  expected: string,
  actual: string,
): CommError {
  const message = `Cannot accept message: expected recipient ${quote(expected)}, got ${
    quote(actual)
  }`;
  return new CommError({ code: "recipient_mismatch", details: { expected, actual }, message });
}

/** Creates an error with code `signature_missing`. */
export function signatureMissing(): CommError {
  const message = "Cannot verify message: signature is missing";
  return new CommError({ code: "signature_missing", details: {}, message });
}

/** Creates an error with code `signature_malformed`. */
export function signatureMalformed(reason: string): CommError {
  const message = `Cannot verify message: malformed signature: ${reason}`;
  return new CommError({ code: "signature_malformed", details: { reason }, message });
}

/** Creates an error with code `signature_invalid`. */
export function signatureInvalid(did: string): CommError {
  const message = `Cannot verify message: signature does not match any key of ${quote(did)}`;
  return new CommError({ code: "signature_invalid", details: { did }, message });
}

/** Creates an error with code `proof_missing`. */
export function proofMissing(): CommError {
  const message = "Cannot verify message: proof is missing";
  return new CommError({ code: "proof_missing", details: {}, message });
}

/** Creates an error with code `proof_invalid`. */
export function proofInvalid(reason: string): CommError {
  const message = `Cannot verify message: invalid proof: ${reason}`;
  return new CommError({ code: "proof_invalid", details: { reason }, message });
}

/** Creates an error with code `age_unproven`. */
export function ageUnproven(id: string): CommError {
  const message = `Cannot verify age of message ${quote(id)}: id is not a UUIDv7`;
  return new CommError({ code: "age_unproven", details: { id }, message });
}

/** Creates an error with code `timestamp_mismatch`. */
export function timestampMismatch(timestampMs: number, idMs: number): CommError {
  const message = `Cannot accept message: "timestamp" ${
    toText(timestampMs)
  } does not match the time in "id"`;
  return new CommError({
    code: "timestamp_mismatch",
    details: { timestampMs, idMs },
    message,
  });
}

/** Creates an error with code `reply_mismatch`. */
export function replyMismatch(replyTo: string, correlationId: string | undefined): CommError {
  const message = `Cannot accept message: "replyTo" ${
    quote(replyTo)
  } does not match "correlationId"`;
  const details = correlationId === undefined ? { replyTo } : { replyTo, correlationId };
  return new CommError({ code: "reply_mismatch", details, message });
}

/** Creates an error with code `expired`. */
export function expired(atMs: number): CommError {
  const message = `Cannot accept message: expired at ${toText(atMs)}`;
  return new CommError({ code: "expired", details: { atMs }, message });
}

/** Creates an error with code `not_yet_valid`. */
export function notYetValid(
  atMs: number,
  state: { readonly isVerified?: true } = {},
): CommError {
  const message = `Cannot accept message: not valid before ${toText(atMs)}`;
  return new CommError({ code: "not_yet_valid", details: { atMs, ...state }, message });
}

/** Creates an error with code `sender_refused`. */
export function senderRefused(
  sender: string,
  reason: string,
  options: { readonly cause?: unknown } = {},
): CommError {
  const message = `Cannot accept message from ${quote(sender)}: ${reason}`;
  const details = { sender, reason };
  return new CommError({ code: "sender_refused", details, ...options, message });
}

/** Creates an error with code `replay_detected`. */
export function replayDetected(
  sender: string,
  id: string,
  state: { readonly isReserved?: true } = {},
): CommError {
  const reason = state.isReserved === true ? "being processed" : "already accepted";
  const message = `Cannot accept message ${quote(id)} from ${quote(sender)}: ${reason}`;
  return new CommError({ code: "replay_detected", details: { sender, id, ...state }, message });
}

/** Creates an error with code `replay_guard_full`. */
export function replayGuardFull(sender: string, id: string): CommError {
  const message = `Cannot accept message ${quote(id)} from ${quote(sender)}: replay guard is full`;
  return new CommError({ code: "replay_guard_full", details: { sender, id }, message });
}

/** Creates an error with code `replay_store_failed`. */
export function replayStoreFailed(
  method: string,
  reason: string,
  options: { readonly cause?: unknown } = {},
): CommError {
  const message = `Cannot track message: ${quote(method)} of the replay store ${reason}`;
  const details = { method, reason };
  return new CommError({ code: "replay_store_failed", details, ...options, message });
}

function toText(ms: number): string {
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : `${ms} ms`;
}
