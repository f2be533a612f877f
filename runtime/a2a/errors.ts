/**
 * Errors of A2A operations, with their JSON-RPC codes and HTTP statuses.
 *
 * @see
 * {@link https://a2a-protocol.org/latest/specification/#54-error-code-mappings Error code mappings}
 * @module
 */

import { escapeText } from "@parley/internal/escape-text";
import { isRecord } from "@parley/internal/json";

/** JSON-RPC code, HTTP status, canonical status and default message of an error. */
type ErrorRow = readonly [code: number, status: number, canonical: string, message: string];

/** Reason of an error that the protocol defines: the `reason` of `google.rpc.ErrorInfo`. */
export type A2aProtocolErrorReason =
  | "TASK_NOT_FOUND"
  | "TASK_NOT_CANCELABLE"
  | "PUSH_NOTIFICATION_NOT_SUPPORTED"
  | "UNSUPPORTED_OPERATION"
  | "CONTENT_TYPE_NOT_SUPPORTED"
  | "INVALID_AGENT_RESPONSE"
  | "EXTENDED_AGENT_CARD_NOT_CONFIGURED"
  | "EXTENSION_SUPPORT_REQUIRED"
  | "VERSION_NOT_SUPPORTED";

/** Reason of an error of JSON-RPC or of HTTP. */
export type A2aStandardErrorReason =
  | "PARSE_ERROR"
  | "INVALID_REQUEST"
  | "METHOD_NOT_FOUND"
  | "INVALID_PARAMS"
  | "PAYLOAD_TOO_LARGE"
  | "INTERNAL_ERROR"
  | "UNAUTHENTICATED"
  | "RESOURCE_EXHAUSTED"
  | "UNAVAILABLE";

/** Reason of an {@linkcode A2aError}. */
export type A2aErrorReason = A2aProtocolErrorReason | A2aStandardErrorReason;

const PROTOCOL_ERRORS: Readonly<Record<A2aProtocolErrorReason, ErrorRow>> = {
  TASK_NOT_FOUND: [-32001, 404, "NOT_FOUND", "Task not found"],
  TASK_NOT_CANCELABLE: [-32002, 409, "FAILED_PRECONDITION", "Task cannot be canceled"],
  PUSH_NOTIFICATION_NOT_SUPPORTED: [
    -32003,
    400,
    "UNIMPLEMENTED",
    "Push notifications are not supported",
  ],
  UNSUPPORTED_OPERATION: [-32004, 400, "UNIMPLEMENTED", "This operation is not supported"],
  CONTENT_TYPE_NOT_SUPPORTED: [-32005, 415, "INVALID_ARGUMENT", "Incompatible content types"],
  INVALID_AGENT_RESPONSE: [-32006, 502, "INTERNAL", "Invalid agent response"],
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: [
    -32007,
    400,
    "FAILED_PRECONDITION",
    "The extended agent card is not configured",
  ],
  EXTENSION_SUPPORT_REQUIRED: [
    -32008,
    400,
    "FAILED_PRECONDITION",
    "The request must use a required extension",
  ],
  VERSION_NOT_SUPPORTED: [-32009, 400, "UNIMPLEMENTED", "The protocol version is not supported"],
};

const STANDARD_ERRORS: Readonly<Record<A2aStandardErrorReason, ErrorRow>> = {
  PARSE_ERROR: [-32700, 400, "INVALID_ARGUMENT", "The body is not valid JSON"],
  INVALID_REQUEST: [-32600, 400, "INVALID_ARGUMENT", "The request is not valid"],
  METHOD_NOT_FOUND: [-32601, 404, "NOT_FOUND", "Method not found"],
  INVALID_PARAMS: [-32602, 400, "INVALID_ARGUMENT", "The parameters are not valid"],
  PAYLOAD_TOO_LARGE: [-32602, 413, "INVALID_ARGUMENT", "The body is too large"],
  INTERNAL_ERROR: [-32603, 500, "INTERNAL", "An internal error occurred"],
  UNAUTHENTICATED: [-32010, 401, "UNAUTHENTICATED", "Authentication is required"],
  RESOURCE_EXHAUSTED: [-32011, 429, "RESOURCE_EXHAUSTED", "Too many requests"],
  UNAVAILABLE: [-32603, 503, "UNAVAILABLE", "The agent is not available"],
};

const ERRORS: Readonly<Record<A2aErrorReason, ErrorRow>> = {
  ...PROTOCOL_ERRORS,
  ...STANDARD_ERRORS,
};

/** Details of an {@linkcode A2aError}. */
export interface A2aErrorOptions extends ErrorOptions {
  /** Members of `metadata` in `google.rpc.ErrorInfo`. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** `google.rpc.ErrorInfo`, which describes an error for programs. */
export interface A2aErrorInfo {
  /** Type of the object. */
  readonly "@type": "type.googleapis.com/google.rpc.ErrorInfo";
  /** Reason of the error. */
  readonly reason: A2aErrorReason;
  /** Domain of the reason. */
  readonly domain: "a2a-protocol.org";
  /** Further details. */
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * An error of an A2A operation. An extension of a server throws it to reject a request, and the
 * client throws it if the agent responds with an error or with an invalid response.
 *
 * @example Distinguish the errors of an agent
 * ```ts
 * import { A2aError } from "@parley/runtime/a2a";
 * import { assertEquals } from "@std/assert";
 *
 * const error = new A2aError("TASK_NOT_FOUND");
 * assertEquals([error.reason, error.code, error.status], ["TASK_NOT_FOUND", -32001, 404]);
 * ```
 */
export class A2aError extends Error {
  /** The name of the class. */
  override readonly name = "A2aError";
  /** Reason of the error. */
  readonly reason: A2aErrorReason;
  /** Code of the error in JSON-RPC. */
  readonly code: number;
  /** Status of the error in HTTP. */
  readonly status: number;
  /** Details of the error. Never contains secrets. */
  readonly metadata: Readonly<Record<string, string>>;

  /**
   * Creates an error.
   *
   * @param reason Reason of the error.
   * @param message Message. If omitted, the message of the reason.
   * @param options Cause and details.
   */
  constructor(reason: A2aErrorReason, message?: string, options: A2aErrorOptions = {}) {
    const [code, status, , text] = ERRORS[reason];
    const { metadata = {}, ...rest } = options;
    super(escapeText(message ?? text), rest);
    this.reason = reason;
    this.code = code;
    this.status = status;
    this.metadata = metadata;
  }
}

/** Returns the canonical status of an error, for example `NOT_FOUND`. */
export function canonicalStatusOf({ reason }: A2aError): string {
  return ERRORS[reason][2];
}

/** Returns the details of an error that the protocol defines. Empty for other errors. */
export function toErrorDetails({ metadata, reason }: A2aError): readonly A2aErrorInfo[] {
  if (!Object.hasOwn(PROTOCOL_ERRORS, reason)) return [];
  const type = "type.googleapis.com/google.rpc.ErrorInfo";
  return [{ "@type": type, reason, domain: "a2a-protocol.org", metadata }];
}

/**
 * Reads the reason of an error from its details or, if these contain none, from its JSON-RPC code.
 * Returns `INTERNAL_ERROR` for an unknown error.
 *
 * @param code `code` of a JSON-RPC error. `undefined` for the HTTP+JSON binding.
 * @param details `data` of a JSON-RPC error, or `details` of an HTTP error.
 */
export function readErrorReason(code: unknown, details: unknown): A2aErrorReason {
  for (const each of Array.isArray(details) ? details : []) {
    const reason: unknown = isRecord(each) ? each.reason : undefined;
    if (typeof reason === "string" && isReason(reason)) return reason;
  }
  const known = Object.keys(ERRORS).find((reason) =>
    isReason(reason) && ERRORS[reason][0] === code
  );
  return known !== undefined && isReason(known) ? known : "INTERNAL_ERROR";
}

function isReason(reason: string): reason is A2aErrorReason {
  return Object.hasOwn(ERRORS, reason);
}
