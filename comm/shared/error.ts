/**
 * The error class of this package, and functions that create its errors.
 *
 * Errors are created by functions rather than static methods, because bundlers can remove unused
 * functions but not unused static methods.
 *
 * @module
 */

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
  /** The signature does not match any of the sender's keys. */
  SignatureInvalid: "signature_invalid",
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
  /** The message has a different recipient. */
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

/** Position of an error in a JSON text. */
export interface JsonTextPosition {
  /** JSON Pointer (RFC 6901) to the value. `""` points to the whole document. */
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
  /** The limits of the full queue: `capacity` in messages and, optionally, `maxQueuedBytes` in bytes. */
  readonly capacity_exceeded: { readonly capacity: number; readonly maxQueuedBytes?: number };
  /** `signature_missing` has no details. */
  readonly signature_missing: Readonly<Record<never, never>>;
  /** Reason why the signature is malformed. */
  readonly signature_malformed: { readonly reason: string };
  /** DID of the sender whose keys were tried. */
  readonly signature_invalid: { readonly did: string };
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
   * Sender and id of the replayed message. `isReserved` is `true` if the message is being processed,
   * so that a redelivery can be accepted later.
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
  /** Start of the validity period, in milliseconds since the Unix epoch. */
  readonly not_yet_valid: { readonly atMs: number };
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
    // `init` is also passed as the `Error` options, from which only `cause` is read.
    super(init.message, init);
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

/** Quotes a string for an error message, truncated to 100 characters. */
export function quote(text: string): string {
  return JSON.stringify(excerpt(text));
}

/** Formats a value for an error message. Strings are quoted and truncated. */
export function formatValue(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" || value === null) return String(value);
  return Array.isArray(value) ? "an array" : "an object";
}

function excerpt(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
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

/** Creates an error with code `serialization_failed`. */
export function serializationFailed(
  path: string,
  reason: string,
): CommError {
  const message = `Cannot serialize value at ${quote(path)}: ${reason}`;
  return new CommError({ code: "serialization_failed", details: { path, reason }, message });
}

/** Creates an error with code `deserialization_failed`. */
export function deserializationFailed(
  reason: string,
  offset: number,
): CommError {
  const message = `Cannot parse JSON at offset ${offset}: ${reason}`;
  return new CommError({ code: "deserialization_failed", details: { reason, offset }, message });
}

/** Creates an error with code `duplicate_member`. */
export function duplicateMember(position: JsonTextPosition): CommError {
  const { path, offset } = position;
  const message = `Cannot parse JSON at offset ${offset}: duplicate member ${quote(path)}`;
  return new CommError({ code: "duplicate_member", details: position, message });
}

/** Creates an error with code `unsafe_integer`. */
export function unsafeInteger(position: JsonTextPosition): CommError {
  const { path, offset } = position;
  const message = `Cannot parse JSON at offset ${offset}: integer ${
    quote(path)
  } is not exactly representable as a double`;
  return new CommError({ code: "unsafe_integer", details: position, message });
}

/** Creates an error with code `number_out_of_range`. */
export function numberOutOfRange(position: JsonTextPosition): CommError {
  const { path, offset } = position;
  const message = `Cannot parse JSON at offset ${offset}: number ${quote(path)} is out of range`;
  return new CommError({ code: "number_out_of_range", details: position, message });
}

/** Creates an error with code `invalid_unicode`. */
export function invalidUnicode(path: string, offset?: number): CommError {
  const message = `Cannot accept string at ${quote(path)}: not well-formed Unicode`;
  return new CommError({ code: "invalid_unicode", details: at({ path }, offset), message });
}

/** Creates an error with code `too_deep`. */
export function tooDeep(limit: number, offset?: number): CommError {
  const message = `Cannot accept JSON: nesting is deeper than ${limit} levels`;
  return new CommError({ code: "too_deep", details: at({ limit }, offset), message });
}

function at<T extends object>(details: T, offset: number | undefined): T & { offset?: number } {
  return offset === undefined ? details : { ...details, offset };
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

/** Creates an error with code `expired`. */
export function expired(atMs: number): CommError {
  const message = `Cannot accept message: expired at ${toText(atMs)}`;
  return new CommError({ code: "expired", details: { atMs }, message });
}

/** Creates an error with code `not_yet_valid`. */
export function notYetValid(atMs: number): CommError {
  const message = `Cannot accept message: not valid before ${toText(atMs)}`;
  return new CommError({ code: "not_yet_valid", details: { atMs }, message });
}

function toText(ms: number): string {
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : `${ms} ms`;
}

/** Creates an error with code `age_unproven`. */
export function ageUnproven(id: string): CommError {
  const message = `Cannot verify age of message ${quote(id)}: id is not a UUIDv7`;
  return new CommError({ code: "age_unproven", details: { id }, message });
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

/** Creates an error with code `reply_mismatch`. */
export function replyMismatch(replyTo: string, correlationId: string | undefined): CommError {
  const message = `Cannot accept message: "replyTo" ${
    quote(replyTo)
  } does not match "correlationId"`;
  const details = correlationId === undefined ? { replyTo } : { replyTo, correlationId };
  return new CommError({ code: "reply_mismatch", details, message });
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

/** Creates an error with code `did_invalid`. */
export function didInvalid(did: string, reason: string): CommError {
  const message = `Cannot accept DID ${quote(did)}: ${reason}`;
  return new CommError({ code: "did_invalid", details: { did: excerpt(did), reason }, message });
}

/** Creates an error with code `did_method_unsupported`. */
export function didMethodUnsupported(
  did: string,
  method: string,
): CommError {
  const message = `Cannot resolve DID ${quote(did)}: method ${quote(method)} is not supported`;
  return new CommError({ code: "did_method_unsupported", details: { did, method }, message });
}

/** Creates an error with code `did_resolution_failed`. */
export function didResolutionFailed(
  did: string,
  reason: string,
  options: { readonly cause?: unknown } = {},
): CommError {
  const message = `Cannot resolve DID ${quote(did)}: ${reason}`;
  return new CommError({
    code: "did_resolution_failed",
    details: { did, reason },
    ...options,
    message,
  });
}

/** Creates an error with code `did_deactivated`. */
export function didDeactivated(did: string): CommError {
  const message = `Cannot resolve DID ${quote(did)}: DID is deactivated`;
  return new CommError({ code: "did_deactivated", details: { did }, message });
}

/** Creates an error with code `key_not_found`. */
export function keyNotFound(did: string, reason: string): CommError {
  const message = `Cannot find key for DID ${quote(did)}: ${reason}`;
  return new CommError({ code: "key_not_found", details: { did, reason }, message });
}

/** Creates an error with code `key_unsupported`. */
export function keyUnsupported(
  did: string,
  types: readonly string[],
): CommError {
  const message = `Cannot use keys of DID ${quote(did)}: none of the key types is supported`;
  return new CommError({ code: "key_unsupported", details: { did, types }, message });
}

/** Creates an error with code `key_revoked`. */
export function keyRevoked(did: string, keyId: string): CommError {
  const message = `Cannot use key ${quote(keyId)}: key is revoked`;
  return new CommError({ code: "key_revoked", details: { did, keyId }, message });
}

/** Creates an error with code `key_expired`. */
export function keyExpired(did: string, keyId: string): CommError {
  const message = `Cannot use key ${quote(keyId)}: key has expired`;
  return new CommError({ code: "key_expired", details: { did, keyId }, message });
}

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

/** Creates an error with code `no_common_protocol`. */
export function noCommonProtocol(
  offered: readonly string[],
  supported: readonly string[],
): CommError {
  const message =
    `Cannot select protocol: none of the ${offered.length} offered protocols is supported`;
  return new CommError({ code: "no_common_protocol", details: { offered, supported }, message });
}

/** Creates an error with code `request_failed`. */
export function requestFailed(
  recipient: string,
  failure: CommErrorDetails["request_failed"],
): CommError {
  const reason = `${quote(failure.code)}: ${quote(failure.message)}`;
  const message = `Cannot complete request to ${quote(recipient)}: peer returned error ${reason}`;
  return new CommError({ code: "request_failed", details: failure, message });
}
