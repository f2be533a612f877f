/**
 * The error class of this package, and functions that create the errors that several modules use.
 *
 * Errors are created by functions rather than static methods, because bundlers can remove unused
 * functions but not unused static methods.
 *
 * @module
 */

import { escapeText } from "@parley/internal/escape-text";
import { quote } from "@parley/internal/format-value";

/** Codes of {@linkcode CommError}. */
export const CommErrorCode = {
  /** A member of a message is missing, has the wrong type or is otherwise invalid. */
  InvalidMessage: "invalid_message",
  /** An argument has the right type but an invalid value. */
  InvalidArgument: "invalid_argument",
  /** A JavaScript value cannot be serialized as JSON. */
  SerializationFailed: "serialization_failed",
  /** The input is not valid JSON, or a WebSocket frame is not a text frame. */
  DeserializationFailed: "deserialization_failed",
  /** A JSON object has a duplicate member name. */
  DuplicateMember: "duplicate_member",
  /** An integer literal is not exactly representable as a double. */
  UnsafeInteger: "unsafe_integer",
  /** A number literal exceeds the range of a double. */
  NumberOutOfRange: "number_out_of_range",
  /** A string contains a lone surrogate, or bytes are not valid UTF-8. */
  InvalidUnicode: "invalid_unicode",
  /** Objects and arrays are nested deeper than the limit. */
  TooDeep: "too_deep",
  /** A message or JSON text is larger than the limit. */
  MessageTooLarge: "message_too_large",
  /** One end of the transport is closed. */
  TransportClosed: "transport_closed",
  /** The transport failed to send a message. */
  SendFailed: "send_failed",
  /** The transport failed to receive a message. */
  ReceiveFailed: "receive_failed",
  /** A timeout expired. */
  Timeout: "timeout",
  /** A bounded queue is full. */
  CapacityExceeded: "capacity_exceeded",
  /** The message has no signature. */
  SignatureMissing: "signature_missing",
  /** The signature is not the canonical base64url encoding of 64 bytes. */
  SignatureMalformed: "signature_malformed",
  /** The algorithm, the type or another header parameter of the signature is not supported. */
  SignatureUnsupported: "signature_unsupported",
  /** The signature does not match any of the sender's keys. */
  SignatureInvalid: "signature_invalid",
  /** The signature is by a different signer than expected. */
  SignerMismatch: "signer_mismatch",
  /** The message has no proof. */
  ProofMissing: "proof_missing",
  /** The proof is malformed, is for a different purpose, or does not match the message. */
  ProofInvalid: "proof_invalid",
  /** A string is not a DID, or is not valid for its DID method. */
  DidInvalid: "did_invalid",
  /** No resolver supports the DID method. */
  DidMethodUnsupported: "did_method_unsupported",
  /** The DID document could not be resolved. */
  DidResolutionFailed: "did_resolution_failed",
  /** The DID is deactivated. */
  DidDeactivated: "did_deactivated",
  /** The DID document does not authorize a valid key. */
  KeyNotFound: "key_not_found",
  /** The DID document authorizes only keys of unsupported types. */
  KeyUnsupported: "key_unsupported",
  /** The DID document marks the key as revoked. */
  KeyRevoked: "key_revoked",
  /** The key has reached the expiration time in the DID document. */
  KeyExpired: "key_expired",
  /** The message is addressed to a different recipient than expected. */
  RecipientMismatch: "recipient_mismatch",
  /** The age of the message is unknown because its id is not a UUIDv7 and it has no proof. */
  AgeUnproven: "age_unproven",
  /** A message with the same sender and id was already accepted. */
  ReplayDetected: "replay_detected",
  /** The replay guard has no capacity to track the message. */
  ReplayGuardFull: "replay_guard_full",
  /** The replay store threw an error or returned an invalid result. */
  ReplayStoreFailed: "replay_store_failed",
  /** The policy does not admit the sender or the protocol, or `allow` did not admit the message. */
  SenderRefused: "sender_refused",
  /** The message or its proof has expired. */
  Expired: "expired",
  /** The message or its proof is dated in the future. */
  NotYetValid: "not_yet_valid",
  /** The unsigned `replyTo` differs from the signed `correlationId`. */
  ReplyMismatch: "reply_mismatch",
  /** The unsigned `timestamp` differs from the time in the signed id. */
  TimestampMismatch: "timestamp_mismatch",
  /** None of the offered protocols is supported. */
  NoCommonProtocol: "no_common_protocol",
  /** A peer replied to a request with an error. */
  RequestFailed: "request_failed",
} as const;

/** A value of {@linkcode CommErrorCode}. */
export type CommErrorCodeType = (typeof CommErrorCode)[keyof typeof CommErrorCode];

/** Position of an error in JSON text. */
export interface JsonTextPosition {
  /** JSON Pointer (RFC 6901) to the value; `""` points to the whole document. */
  readonly path: string;
  /** Offset in UTF-16 code units if the input is a string, or in bytes if the input is bytes. */
  readonly offset: number;
}

/** Type of `details` for each code of a {@linkcode CommError}. */
export interface CommErrorDetails {
  /** The invalid member and the requirement that it violates. */
  readonly invalid_message: { readonly field: string; readonly reason: string };
  /** The invalid argument and the requirement that it violates. */
  readonly invalid_argument: { readonly name: string; readonly reason: string };
  /** JSON Pointer (RFC 6901) to the value that cannot be serialized, and the reason. */
  readonly serialization_failed: { readonly path: string; readonly reason: string };
  /** Reason why the input is not valid JSON, and the offset of the error. */
  readonly deserialization_failed: { readonly reason: string; readonly offset: number };
  /** Position of the second member with the same name. */
  readonly duplicate_member: JsonTextPosition;
  /** Position of the integer literal. */
  readonly unsafe_integer: JsonTextPosition;
  /** Position of the number literal. */
  readonly number_out_of_range: JsonTextPosition;
  /** Position of the invalid string. `offset` is absent if the input is a JavaScript value. */
  readonly invalid_unicode: { readonly path: string; readonly offset?: number };
  /** Maximum nesting depth. `offset` is absent if the input is a JavaScript value. */
  readonly too_deep: { readonly limit: number; readonly offset?: number };
  /** Size limit and actual size, in bytes. `actual` is a lower bound if reading stopped early. */
  readonly message_too_large: { readonly limit: number; readonly actual: number };
  /** `transport_closed` has no details. */
  readonly transport_closed: Readonly<Record<never, never>>;
  /** Reason why the message could not be sent. */
  readonly send_failed: { readonly reason: string };
  /** Reason why no message could be received. */
  readonly receive_failed: { readonly reason: string };
  /** The timeout that expired, in milliseconds. */
  readonly timeout: { readonly afterMs: number };
  /**
   * The limits of the full queue: `capacity` in messages and, optionally, `maxQueuedBytes` in
   * bytes.
   */
  readonly capacity_exceeded: { readonly capacity: number; readonly maxQueuedBytes?: number };
  /** `signature_missing` has no details. */
  readonly signature_missing: Readonly<Record<never, never>>;
  /** Reason why the signature is malformed. */
  readonly signature_malformed: { readonly reason: string };
  /** Reason why the signature is not supported. */
  readonly signature_unsupported: { readonly reason: string };
  /** DID of the sender whose keys were tried. */
  readonly signature_invalid: { readonly did: string };
  /** The expected and the actual DID of the signer. */
  readonly signer_mismatch: { readonly expected: string; readonly actual: string };
  /** `proof_missing` has no details. */
  readonly proof_missing: Readonly<Record<never, never>>;
  /** Reason why the proof is invalid. */
  readonly proof_invalid: { readonly reason: string };
  /** The invalid DID, truncated to 100 characters, and the reason. */
  readonly did_invalid: { readonly did: string; readonly reason: string };
  /** The DID and its unsupported method. */
  readonly did_method_unsupported: { readonly did: string; readonly method: string };
  /** The DID and the reason why it could not be resolved. */
  readonly did_resolution_failed: { readonly did: string; readonly reason: string };
  /** The deactivated DID. */
  readonly did_deactivated: { readonly did: string };
  /** The DID and the reason why its document contains no suitable key. */
  readonly key_not_found: { readonly did: string; readonly reason: string };
  /** The DID and the unsupported types of its keys. */
  readonly key_unsupported: { readonly did: string; readonly types: readonly string[] };
  /** The DID and the id of the revoked key. */
  readonly key_revoked: { readonly did: string; readonly keyId: string };
  /** The DID and the id of the expired key. */
  readonly key_expired: { readonly did: string; readonly keyId: string };
  /** The expected and the actual recipient. */
  readonly recipient_mismatch: { readonly expected: string; readonly actual: string };
  /** The id of the message whose age is unknown. */
  readonly age_unproven: { readonly id: string };
  /**
   * Sender and id of the replayed message. `isReserved` is `true` if the message is still being
   * processed, so a redelivery might be accepted later.
   */
  readonly replay_detected: {
    readonly sender: string;
    readonly id: string;
    readonly isReserved?: true;
  };
  /** Sender and id of the message that could not be tracked. */
  readonly replay_guard_full: { readonly sender: string; readonly id: string };
  /** The failed method of the replay store, and the reason. */
  readonly replay_store_failed: { readonly method: string; readonly reason: string };
  /** The rejected sender, and the reason. */
  readonly sender_refused: { readonly sender: string; readonly reason: string };
  /** Expiration time, in milliseconds since the Unix epoch. */
  readonly expired: { readonly atMs: number };
  /**
   * Start of the validity period, in milliseconds since the Unix epoch. `isVerified` is `true` if
   * the message is valid in all other respects, so that it can be accepted later.
   */
  readonly not_yet_valid: { readonly atMs: number; readonly isVerified?: true };
  /** The values of `replyTo` and `correlationId`. */
  readonly reply_mismatch: { readonly replyTo: string; readonly correlationId?: string };
  /** The times in `timestamp` and `id`, in milliseconds since the Unix epoch. */
  readonly timestamp_mismatch: { readonly timestampMs: number; readonly idMs: number };
  /** The offered and the supported protocols. */
  readonly no_common_protocol: {
    readonly offered: readonly string[];
    readonly supported: readonly string[];
  };
  /** The error from the peer: its code, its message and, if the peer sent any, JSON data. */
  readonly request_failed: {
    readonly code: string;
    readonly message: string;
    readonly data?: unknown;
  };
}

/** Options for the {@linkcode CommError} constructor. The type of `details` depends on `code`. */
export type CommErrorInit = {
  readonly [C in CommErrorCodeType]: {
    readonly code: C;
    readonly details: CommErrorDetails[C];
    readonly message: string;
    readonly cause?: unknown;
  };
}[CommErrorCodeType];

/**
 * The error that this package throws or includes in a verification result. Use `code` to
 * distinguish errors.
 *
 * @example Distinguish errors by code
 * ```ts
 * import { CommError, parseMessage } from "@parley/comm";
 * import { assert, assertEquals, assertThrows } from "@std/assert";
 *
 * const error = assertThrows(() => parseMessage('{"id":1,"id":2}'), CommError);
 * assert(error.is("duplicate_member"));
 * assertEquals(error.details, { path: "/id", offset: 8 });
 * ```
 */
export class CommError extends Error {
  /** Identifies the kind of error. */
  readonly code: CommErrorCodeType;
  /** Structured details of the error. To narrow the type of `details`, call `is()`. */
  readonly details: CommErrorDetails[CommErrorCodeType];

  /**
   * Creates an error. Custom transports and resolvers can also use this constructor.
   *
   * @param init Code, details, message and optional cause of the error.
   */
  constructor(init: CommErrorInit) {
    // `init` is also passed as the options for `Error`, which reads only `cause`.
    super(escapeText(init.message), init);
    this.name = "CommError";
    this.code = init.code;
    this.details = init.details;
  }

  /** Description of the error; always equal to `message`. */
  get errorDescription(): string {
    return this.message;
  }

  /**
   * Returns `true` if the error has the given code, and narrows the type of `details`.
   *
   * @typeParam C Type of the code.
   * @param code The code to check for.
   */
  is<C extends CommErrorCodeType>(
    code: C,
  ): this is { readonly code: C; readonly details: CommErrorDetails[C] } {
    return this.code === code;
  }
}

/** Creates an error with code `invalid_message`. */
export function invalidMessage(field: string, reason: string): CommError {
  const message = `Cannot accept message: ${field === "" ? "value" : quote(field)} ${reason}`;
  return new CommError({ code: "invalid_message", details: { field, reason }, message });
}

/** Creates an error with code `invalid_argument`. */
export function invalidArgument(name: string, reason: string): CommError {
  const message = `${quote(name)} ${reason}`;
  return new CommError({ code: "invalid_argument", details: { name, reason }, message });
}

/** Creates an error with code `message_too_large`. */
export function messageTooLarge(limit: number, actual: number): CommError {
  const message = `Cannot accept message: expected at most ${limit} bytes, got ${actual}`;
  return new CommError({ code: "message_too_large", details: { limit, actual }, message });
}

/** Creates an error with code `transport_closed`. */
export function transportClosed(): CommError {
  const message = "Cannot send message: transport is closed";
  return new CommError({ code: "transport_closed", details: {}, message });
}

/** Creates an error with code `send_failed`. */
export function sendFailed(reason: string, options: { readonly cause?: unknown } = {}): CommError {
  const message = `Cannot send message: ${reason}`;
  return new CommError({ code: "send_failed", details: { reason }, ...options, message });
}

/** Creates an error with code `receive_failed`. */
export function receiveFailed(
  reason: string,
  options: { readonly cause?: unknown } = {},
): CommError {
  const message = `Cannot receive message: ${reason}`;
  return new CommError({ code: "receive_failed", details: { reason }, ...options, message });
}

/** Creates an error with code `timeout`. */
export function timedOut(verb: string, afterMs: number): CommError {
  const message = `Cannot ${verb}: timed out after ${afterMs} ms`;
  return new CommError({ code: "timeout", details: { afterMs }, message });
}

/** Creates an error with code `capacity_exceeded`. */
export function capacityExceeded(capacity: number, maxQueuedBytes: number = Infinity): CommError {
  const isBounded = maxQueuedBytes !== Infinity;
  const limits = `capacity ${capacity}${isBounded ? `, ${maxQueuedBytes} bytes` : ""}`;
  return new CommError({
    code: "capacity_exceeded",
    details: isBounded ? { capacity, maxQueuedBytes } : { capacity },
    message: `Cannot queue message: queue is full (${limits})`,
  });
}
