/**
 * The one error class of this package and the closed set of codes it can carry.
 *
 * The named constructors are functions, not static methods, so that a bundle holds only those it uses.
 *
 * @module
 */

/** Every code a {@linkcode CommError} can carry. */
export const CommErrorCode = {
  /** A member of a message is missing, has the wrong type or breaks a rule. */
  InvalidMessage: "invalid_message",
  /** An argument is of the right type but not a legal value. */
  InvalidArgument: "invalid_argument",
  /** A value in memory cannot be written as JSON. */
  SerializationFailed: "serialization_failed",
  /** A text is not JSON, or is not the JSON that was expected. */
  DeserializationFailed: "deserialization_failed",
  /** An object names one member twice. */
  DuplicateMember: "duplicate_member",
  /** An integer literal has no exact double. */
  UnsafeInteger: "unsafe_integer",
  /** A number literal is larger than any double. */
  NumberOutOfRange: "number_out_of_range",
  /** A lone surrogate, or bytes that are not UTF-8. */
  InvalidUnicode: "invalid_unicode",
  /** Objects and arrays nest deeper than the limit. */
  TooDeep: "too_deep",
  /** A text is longer than the limit. */
  MessageTooLarge: "message_too_large",
  /** The transport, or its other end, is closed. */
  TransportClosed: "transport_closed",
  /** The transport could not hand a message over. */
  SendFailed: "send_failed",
  /** The transport could not read a message. */
  ReceiveFailed: "receive_failed",
  /** A time limit passed. */
  Timeout: "timeout",
  /** A bounded queue is full. */
  CapacityExceeded: "capacity_exceeded",
  /** The message carries no signature. */
  SignatureMissing: "signature_missing",
  /** The signature is not 64 bytes in canonical base64url. */
  SignatureMalformed: "signature_malformed",
  /** No key of the sender made the signature. */
  SignatureInvalid: "signature_invalid",
  /** The message carries no proof. */
  ProofMissing: "proof_missing",
  /** The proof does not hold. */
  ProofInvalid: "proof_invalid",
  /** A text is not a DID, or not one its method allows. */
  DidInvalid: "did_invalid",
  /** No resolver knows the DID's method. */
  DidMethodUnsupported: "did_method_unsupported",
  /** The DID document could not be had. */
  DidResolutionFailed: "did_resolution_failed",
  /** The DID was deactivated. */
  DidDeactivated: "did_deactivated",
  /** The DID document authorizes no usable key. */
  KeyNotFound: "key_not_found",
  /** The DID document authorizes keys, but none of a supported type. */
  KeyUnsupported: "key_unsupported",
  /** The message is for somebody else. */
  RecipientMismatch: "recipient_mismatch",
  /** Neither the id nor a proof tells how old the message is. */
  AgeUnproven: "age_unproven",
  /** A message with this sender and id was accepted before. */
  ReplayDetected: "replay_detected",
  /** The message or its proof is too old. */
  Expired: "expired",
  /** The message or its proof lies in the future. */
  NotYetValid: "not_yet_valid",
  /** `replyTo`, which a signature leaves open, differs from `correlationId`, which it covers. */
  ReplyMismatch: "reply_mismatch",
  /** `timestamp`, which a signature leaves open, differs from the time inside the signed id. */
  TimestampMismatch: "timestamp_mismatch",
  /** Offer and responder share no protocol. */
  NoCommonProtocol: "no_common_protocol",
} as const;

/** One of the values of {@linkcode CommErrorCode}. */
export type CommErrorCodeType = (typeof CommErrorCode)[keyof typeof CommErrorCode];

/** Where in a JSON text something is wrong. */
export interface JsonTextPosition {
  /** JSON Pointer (RFC 6901) to the value; `""` is the whole document. */
  readonly path: string;
  /** Index into the text in UTF-16 code units, or into the bytes where bytes were given. */
  readonly offset: number;
}

/** The `details` of a {@linkcode CommError}, by code. */
export interface CommErrorDetails {
  /** The member and what is wrong with it. */
  readonly invalid_message: { readonly field: string; readonly reason: string };
  /** The argument and what is wrong with it. */
  readonly invalid_argument: { readonly name: string; readonly reason: string };
  /** JSON Pointer to the value and what it is. */
  readonly serialization_failed: { readonly path: string; readonly reason: string };
  /** What was found, and where in the text. */
  readonly deserialization_failed: { readonly reason: string; readonly offset: number };
  /** Where the second occurrence is. */
  readonly duplicate_member: JsonTextPosition;
  /** Where the literal is. */
  readonly unsafe_integer: JsonTextPosition;
  /** Where the literal is. */
  readonly number_out_of_range: JsonTextPosition;
  /** Where the text is; `offset` is absent for a value in memory. */
  readonly invalid_unicode: { readonly path: string; readonly offset?: number };
  /** The limit; `offset` is absent for a value in memory. */
  readonly too_deep: { readonly limit: number; readonly offset?: number };
  /** Both in bytes; `actual` is a lower bound where reading stopped at the limit. */
  readonly message_too_large: { readonly limit: number; readonly actual: number };
  /** Nothing more to say. */
  readonly transport_closed: Readonly<Record<never, never>>;
  /** What went wrong. */
  readonly send_failed: { readonly reason: string };
  /** What went wrong. */
  readonly receive_failed: { readonly reason: string };
  /** The limit that passed. */
  readonly timeout: { readonly afterMs: number };
  /** The capacity that is used up. */
  readonly capacity_exceeded: { readonly capacity: number };
  /** Nothing more to say. */
  readonly signature_missing: Readonly<Record<never, never>>;
  /** What is wrong with the text. */
  readonly signature_malformed: { readonly reason: string };
  /** The sender whose keys were tried. */
  readonly signature_invalid: { readonly did: string };
  /** Nothing more to say. */
  readonly proof_missing: Readonly<Record<never, never>>;
  /** What is wrong with the proof. */
  readonly proof_invalid: { readonly reason: string };
  /** The text, cut to 100 characters, and what is wrong with it. */
  readonly did_invalid: { readonly did: string; readonly reason: string };
  /** The DID and its method. */
  readonly did_method_unsupported: { readonly did: string; readonly method: string };
  /** The DID and what went wrong. */
  readonly did_resolution_failed: { readonly did: string; readonly reason: string };
  /** The DID. */
  readonly did_deactivated: { readonly did: string };
  /** The DID and what is missing. */
  readonly key_not_found: { readonly did: string; readonly reason: string };
  /** The DID and the types of its keys. */
  readonly key_unsupported: { readonly did: string; readonly types: readonly string[] };
  /** Both DIDs. */
  readonly recipient_mismatch: { readonly expected: string; readonly actual: string };
  /** The id. */
  readonly age_unproven: { readonly id: string };
  /** The pair that was seen before. */
  readonly replay_detected: { readonly sender: string; readonly id: string };
  /** The moment it ended, in milliseconds since 1970. */
  readonly expired: { readonly atMs: number };
  /** The moment it begins, in milliseconds since 1970. */
  readonly not_yet_valid: { readonly atMs: number };
  /** Both ids. */
  readonly reply_mismatch: { readonly replyTo: string; readonly correlationId?: string };
  /** Both moments, in milliseconds since 1970. */
  readonly timestamp_mismatch: { readonly timestampMs: number; readonly idMs: number };
  /** Both lists, in order of preference. */
  readonly no_common_protocol: {
    readonly offered: readonly string[];
    readonly supported: readonly string[];
  };
}

/** What a {@linkcode CommError} is made of; `details` go with `code`. */
export type CommErrorInit = {
  readonly [C in CommErrorCodeType]: {
    readonly code: C;
    readonly details: CommErrorDetails[C];
    readonly message: string;
    readonly cause?: unknown;
  };
}[CommErrorCodeType];

/**
 * What this package throws, or hands back inside a result, when something in its domain goes wrong. Branch on `code`.
 *
 * @example Tell one failure from another
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
  /** What kind of failure this is. */
  readonly code: CommErrorCodeType;
  /** The facts of the failure; `is` gives them the type that belongs to the code. */
  readonly details: CommErrorDetails[CommErrorCodeType];

  /**
   * Creates an error; transports and resolvers of your own use it too.
   *
   * @param init the code, its details, a message (`Cannot <verb> <object>: <fact>`) and, where there is one, the cause
   */
  constructor(init: CommErrorInit) {
    // Of its options, Error reads the cause alone, and only where there is one.
    super(init.message, init);
    this.name = "CommError";
    this.code = init.code;
    this.details = init.details;
  }

  /** The description of the failure for a person; the same text as `message`. */
  get errorDescription(): string {
    return this.message;
  }

  /**
   * Whether this is a failure of one kind; narrows the type of `details`.
   *
   * @typeParam C the code
   * @param code the kind asked about
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

/** Formats a value for an error message. */
export function formatValue(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" || value === null) return String(value);
  return Array.isArray(value) ? "an array" : "an object";
}

function excerpt(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

/** A member of a message is missing, has the wrong type or breaks a rule. */
export function invalidMessage(field: string, reason: string): CommError {
  const message = `Cannot accept message: ${field === "" ? "value" : quote(field)} ${reason}`;
  return new CommError({ code: "invalid_message", details: { field, reason }, message });
}

/** An argument is of the right type but not a legal value. */
export function invalidArgument(name: string, reason: string): CommError {
  const message = `${quote(name)} ${reason}`;
  return new CommError({ code: "invalid_argument", details: { name, reason }, message });
}

/** A value in memory cannot be written as JSON. */
export function serializationFailed(
  path: string,
  reason: string,
): CommError {
  const message = `Cannot serialize value at ${quote(path)}: ${reason}`;
  return new CommError({ code: "serialization_failed", details: { path, reason }, message });
}

/** A text is not JSON, or not the JSON that was expected. */
export function deserializationFailed(
  reason: string,
  offset: number,
): CommError {
  const message = `Cannot parse JSON at offset ${offset}: ${reason}`;
  return new CommError({ code: "deserialization_failed", details: { reason, offset }, message });
}

/** An object names one member twice. */
export function duplicateMember(position: JsonTextPosition): CommError {
  const { path, offset } = position;
  const message = `Cannot parse JSON at offset ${offset}: duplicate member ${quote(path)}`;
  return new CommError({ code: "duplicate_member", details: position, message });
}

/** An integer literal has no exact double. */
export function unsafeInteger(position: JsonTextPosition): CommError {
  const { path, offset } = position;
  const message = `Cannot parse JSON at offset ${offset}: integer ${
    quote(path)
  } is not an exact double`;
  return new CommError({ code: "unsafe_integer", details: position, message });
}

/** A number literal is larger than any double. */
export function numberOutOfRange(position: JsonTextPosition): CommError {
  const { path, offset } = position;
  const message = `Cannot parse JSON at offset ${offset}: number ${quote(path)} is out of range`;
  return new CommError({ code: "number_out_of_range", details: position, message });
}

/** A lone surrogate, or bytes that are not UTF-8. */
export function invalidUnicode(path: string, offset?: number): CommError {
  const message = `Cannot accept string at ${quote(path)}: not well-formed Unicode`;
  return new CommError({ code: "invalid_unicode", details: at({ path }, offset), message });
}

/** Objects and arrays nest deeper than the limit. */
export function tooDeep(limit: number, offset?: number): CommError {
  const message = `Cannot accept JSON: nesting is deeper than ${limit} levels`;
  return new CommError({ code: "too_deep", details: at({ limit }, offset), message });
}

function at<T extends object>(details: T, offset: number | undefined): T & { offset?: number } {
  return offset === undefined ? details : { ...details, offset };
}

/** A text is longer than the limit. */
export function messageTooLarge(limit: number, actual: number): CommError {
  const message = `Cannot accept message: expected at most ${limit} bytes, got ${actual}`;
  return new CommError({ code: "message_too_large", details: { limit, actual }, message });
}

/** The transport, or its other end, is closed. */
export function transportClosed(): CommError {
  const message = "Cannot send message: transport is closed";
  return new CommError({ code: "transport_closed", details: {}, message });
}

/** The transport could not hand a message over. */
export function sendFailed(reason: string, options: { readonly cause?: unknown } = {}): CommError {
  const message = `Cannot send message: ${reason}`;
  return new CommError({ code: "send_failed", details: { reason }, ...options, message });
}

/** The transport could not read a message. */
export function receiveFailed(
  reason: string,
  options: { readonly cause?: unknown } = {},
): CommError {
  const message = `Cannot receive message: ${reason}`;
  return new CommError({ code: "receive_failed", details: { reason }, ...options, message });
}

/** A time limit passed. */
export function timedOut(verb: string, afterMs: number): CommError {
  const message = `Cannot ${verb}: timed out after ${afterMs} ms`;
  return new CommError({ code: "timeout", details: { afterMs }, message });
}

/** A bounded queue is full. */
export function capacityExceeded(capacity: number): CommError {
  const message = `Cannot queue message: queue is full (capacity ${capacity})`;
  return new CommError({ code: "capacity_exceeded", details: { capacity }, message });
}

/** The message carries no signature. */
export function signatureMissing(): CommError {
  const message = "Cannot verify message: signature is missing";
  return new CommError({ code: "signature_missing", details: {}, message });
}

/** The signature is not 64 bytes in canonical base64url. */
export function signatureMalformed(reason: string): CommError {
  const message = `Cannot verify message: malformed signature: ${reason}`;
  return new CommError({ code: "signature_malformed", details: { reason }, message });
}

/** No key of the sender made the signature. */
export function signatureInvalid(did: string): CommError {
  const message = `Cannot verify message: signature does not match any key of ${quote(did)}`;
  return new CommError({ code: "signature_invalid", details: { did }, message });
}

/** The message carries no proof. */
export function proofMissing(): CommError {
  const message = "Cannot verify message: proof is missing";
  return new CommError({ code: "proof_missing", details: {}, message });
}

/** The proof does not hold. */
export function proofInvalid(reason: string): CommError {
  const message = `Cannot verify message: invalid proof: ${reason}`;
  return new CommError({ code: "proof_invalid", details: { reason }, message });
}

/** The message or its proof is too old. */
export function expired(atMs: number): CommError {
  const message = `Cannot accept message: expired at ${toText(atMs)}`;
  return new CommError({ code: "expired", details: { atMs }, message });
}

/** The message or its proof lies in the future. */
export function notYetValid(atMs: number): CommError {
  const message = `Cannot accept message: not valid before ${toText(atMs)}`;
  return new CommError({ code: "not_yet_valid", details: { atMs }, message });
}

function toText(ms: number): string {
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : `${ms} ms`;
}

/** The message has an id whose moment is unknown, and no proof that covers its timestamp. */
export function ageUnproven(id: string): CommError {
  const message = `Cannot verify age of message ${quote(id)}: id is not a UUIDv7`;
  return new CommError({ code: "age_unproven", details: { id }, message });
}

/** A message with this sender and id was accepted before. */
export function replayDetected(sender: string, id: string): CommError {
  const message = `Cannot accept message ${quote(id)} from ${quote(sender)}: already accepted`;
  return new CommError({ code: "replay_detected", details: { sender, id }, message });
}

/** `replyTo`, which a signature leaves open, differs from `correlationId`, which it covers. */
export function replyMismatch(replyTo: string, correlationId: string | undefined): CommError {
  const message = `Cannot accept message: "replyTo" ${quote(replyTo)} is not the "correlationId"`;
  const details = correlationId === undefined ? { replyTo } : { replyTo, correlationId };
  return new CommError({ code: "reply_mismatch", details, message });
}

/** `timestamp`, which a signature leaves open, differs from the time inside the signed id. */
export function timestampMismatch(timestampMs: number, idMs: number): CommError {
  const message = `Cannot accept message: "timestamp" ${
    toText(timestampMs)
  } is not the time in "id"`;
  return new CommError({
    code: "timestamp_mismatch",
    details: { timestampMs, idMs },
    message,
  });
}

/** A text is not a DID, or not one its method allows. */
export function didInvalid(did: string, reason: string): CommError {
  const message = `Cannot accept DID ${quote(did)}: ${reason}`;
  return new CommError({ code: "did_invalid", details: { did: excerpt(did), reason }, message });
}

/** No resolver knows the DID's method. */
export function didMethodUnsupported(
  did: string,
  method: string,
): CommError {
  const message = `Cannot resolve DID ${quote(did)}: method ${quote(method)} is not supported`;
  return new CommError({ code: "did_method_unsupported", details: { did, method }, message });
}

/** The DID document could not be had. */
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

/** The DID was deactivated. */
export function didDeactivated(did: string): CommError {
  const message = `Cannot resolve DID ${quote(did)}: DID is deactivated`;
  return new CommError({ code: "did_deactivated", details: { did }, message });
}

/** The DID document authorizes no usable key. */
export function keyNotFound(did: string, reason: string): CommError {
  const message = `Cannot find key of DID ${quote(did)}: ${reason}`;
  return new CommError({ code: "key_not_found", details: { did, reason }, message });
}

/** The DID document authorizes keys, but none of a supported type. */
export function keyUnsupported(
  did: string,
  types: readonly string[],
): CommError {
  const message = `Cannot use keys of DID ${quote(did)}: no key type is supported`;
  return new CommError({ code: "key_unsupported", details: { did, types }, message });
}

/** The message is for somebody else. */
export function recipientMismatch(
  expected: string,
  actual: string,
): CommError {
  const message = `Cannot accept message: expected recipient ${quote(expected)}, got ${
    quote(actual)
  }`;
  return new CommError({ code: "recipient_mismatch", details: { expected, actual }, message });
}

/** Offer and responder share no protocol. */
export function noCommonProtocol(
  offered: readonly string[],
  supported: readonly string[],
): CommError {
  const message =
    `Cannot select protocol: none of ${offered.length} offered protocols is supported`;
  return new CommError({ code: "no_common_protocol", details: { offered, supported }, message });
}
