/**
 * The error class of this package. Branch on `code`, never on the message.
 *
 * @module
 */

import { formatValue } from "@parley/internal/format-value";
import { escapeText } from "@parley/internal/escape-text";

/** Values of {@linkcode McpError.code}. */
export const McpErrorCode = {
  /** The connection could not be established. */
  ConnectionFailed: "connection_failed",
  /** An open connection was lost or closed. */
  TransportError: "transport_error",
  /** The response to a request did not arrive in time. */
  Timeout: "timeout",
  /** The peer returned a JSON-RPC error or violated the protocol. */
  ProtocolError: "protocol_error",
  /** The server has no tool with this name. */
  ToolNotFound: "tool_not_found",
  /** A value cannot be serialized as JSON, or a string is not valid JSON. */
  SerializationError: "serialization_error",
  /** Authorization failed: credentials are missing, were rejected or are insufficient. */
  AuthError: "auth_error",
  /** A deviation from the protocol that the client has accepted; passed only to `onError`. */
  Tolerated: "tolerated",
  /** Any other error. */
  Core: "core",
} as const;

/** One of the values of {@linkcode McpErrorCode}. */
export type McpErrorCodeType = typeof McpErrorCode[keyof typeof McpErrorCode];

/** Details of an error with code `timeout`. */
export interface TimeoutDetails {
  /** Method of the request, such as `tools/call`. */
  readonly method: string;
  /** Name of the tool or prompt, or URI of the resource, if the request has one. */
  readonly target?: string;
  /** Timeout that has expired, in milliseconds. */
  readonly timeoutMs: number;
  /**
   * Option whose time has expired: `timeoutMs` without a response or notification (`silence`),
   * `maxTotalMs` (`total`), `maxInputMs` (`input`), or `connectTimeoutMs` while a session is opened
   * (`connect`).
   */
  readonly kind: "silence" | "total" | "input" | "connect";
}

/** Type of {@linkcode McpError.details} for each error code. */
export interface McpErrorDetails {
  /** URL or command, and the reason for the failure. */
  readonly connection_failed: { readonly url: string; readonly reason: string };
  /** Name of the transport, and the reason for the failure. */
  readonly transport_error: { readonly transport: string; readonly reason: string };
  /** Request and timeout. */
  readonly timeout: TimeoutDetails;
  /** Reason for the failure. */
  readonly protocol_error: { readonly reason: string };
  /** Name of the unknown tool. */
  readonly tool_not_found: { readonly toolName: string };
  /** Reason for the failure. */
  readonly serialization_error: { readonly reason: string };
  /**
   * Reason for the failure; the scopes that the server requires, separated by spaces, if it names
   * them; the time after which the authorization server accepts a new attempt, in milliseconds, if
   * the server names it; the kind of failure of a token exchange; and the page on which the user
   * can log in or consent, if the exchange requires this.
   */
  readonly auth_error: {
    readonly reason: string;
    readonly scope?: string;
    readonly retryAfterMs?: number;
    readonly exchange?: "no_token" | "refused" | "consent_required" | "wider" | "unavailable";
    readonly consentUrl?: string;
  };
  /**
   * Kind of deviation, method of the request, and name of the server, or its URL or command while
   * the name is unknown. For an authorization server: `token` or `register`, and the issuer
   * identifier.
   */
  readonly tolerated: { readonly what: string; readonly method: string; readonly server: string };
  /** Reason for the failure. */
  readonly core: { readonly reason: string };
}

/** Option that sets each kind of timeout. */
const TIMEOUT_OPTIONS: Readonly<Record<TimeoutDetails["kind"], string>> = {
  silence: "timeoutMs",
  total: "maxTotalMs",
  input: "maxInputMs",
  connect: "connectTimeoutMs",
};

/** Options for the constructors of {@linkcode McpError}. */
export interface McpErrorOptions {
  /** Underlying error. */
  readonly cause?: unknown;
  /**
   * JSON-RPC error code: on a client, the received code; on a server, the code for the error
   * response.
   */
  readonly rpcCode?: number;
  /** The `data` member of the JSON-RPC error object. */
  readonly data?: unknown;
  /** Status code of the HTTP response. */
  readonly httpStatus?: number;
}

/**
 * An error from a client, a server or a transport.
 *
 * @example Create an error with a named constructor
 * ```ts
 * import { McpError, McpErrorCode } from "@parley/mcp";
 * import { assertEquals } from "@std/assert";
 *
 * const error = McpError.toolNotFound("add");
 * assertEquals(error.code, McpErrorCode.ToolNotFound);
 * assertEquals(error.message, 'Cannot call tool "add": unknown tool');
 * ```
 */
export class McpError extends Error {
  /** Always `"McpError"`. */
  override readonly name = "McpError";
  /** Error code. One of the values of {@linkcode McpErrorCode}. */
  readonly code: McpErrorCodeType;
  /**
   * Structured information about the error. The type of `details` depends on `code`;
   * {@linkcode McpError.is} narrows the type.
   */
  readonly details: McpErrorDetails[McpErrorCodeType];
  /** JSON-RPC error code, if a JSON-RPC error caused the failure. */
  readonly rpcCode: number | undefined;
  /** The `data` member of the JSON-RPC error object, if present. */
  readonly data: unknown;
  /** HTTP status code, if an HTTP response caused the failure. */
  readonly httpStatus: number | undefined;

  /**
   * Creates an error. Prefer a named constructor, such as {@linkcode McpError.protocolError}.
   *
   * @param code Error code.
   * @param details Structured information, whose type depends on the error code.
   * @param message Error message.
   * @param options Cause, JSON-RPC error code and data, and HTTP status code.
   */
  constructor(
    code: McpErrorCodeType,
    details: McpErrorDetails[McpErrorCodeType],
    message: string,
    options: McpErrorOptions = {},
  ) {
    super(escapeText(message), options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = details;
    this.rpcCode = options.rpcCode;
    this.data = options.data;
    this.httpStatus = options.httpStatus;
  }

  /**
   * Returns `true` if the error has the given code, and narrows the type of `details`.
   *
   * @typeParam Code Type of the code.
   * @param code Error code to compare with.
   *
   * @example Read the details of a timeout
   * ```ts
   * import { McpError } from "@parley/mcp";
   * import { assert, assertEquals } from "@std/assert";
   *
   * const error = McpError.timeout({ method: "tools/call", timeoutMs: 1000, kind: "silence" });
   * assert(error.is("timeout"));
   * assertEquals(error.details.method, "tools/call");
   * ```
   */
  is<Code extends McpErrorCodeType>(
    code: Code,
  ): this is { readonly code: Code; readonly details: McpErrorDetails[Code] } {
    return this.code === code;
  }

  /** Creates an error with code `connection_failed`: the connection could not be established. */
  static connectionFailed(url: string, reason: string, options?: McpErrorOptions): McpError {
    const message = `Cannot connect to "${url}": ${reason}`;
    return new McpError(McpErrorCode.ConnectionFailed, { url, reason }, message, options);
  }

  /** Creates an error with code `transport_error`: an open connection was lost or closed. */
  static transportError(transport: string, reason: string, options?: McpErrorOptions): McpError {
    const message = `Cannot use the ${transport} transport: ${reason}`;
    return new McpError(McpErrorCode.TransportError, { transport, reason }, message, options);
  }

  /** Creates an error with code `timeout`: the response to a request did not arrive in time. */
  static timeout(details: TimeoutDetails, options?: McpErrorOptions): McpError {
    const { method, target, timeoutMs, kind } = details;
    const request = target === undefined ? `"${method}"` : `"${method}" (${formatValue(target)})`;
    const message = `Cannot complete ${request}: timed out after ${timeoutMs} ms ("${
      TIMEOUT_OPTIONS[kind]
    }")`;
    return new McpError(McpErrorCode.Timeout, details, message, options);
  }

  /**
   * Creates an error with code `protocol_error`: the peer returned a JSON-RPC error or violated the
   * protocol.
   */
  static protocolError(reason: string, options?: McpErrorOptions): McpError {
    const message = `Cannot complete the request: ${reason}`;
    return new McpError(McpErrorCode.ProtocolError, { reason }, message, options);
  }

  /** Creates an error with code `tool_not_found`: the server has no tool with this name. */
  static toolNotFound(toolName: string, options?: McpErrorOptions): McpError {
    const message = `Cannot call tool "${toolName}": unknown tool`;
    return new McpError(McpErrorCode.ToolNotFound, { toolName }, message, options);
  }

  /**
   * Creates an error with code `serialization_error`: a value cannot be serialized as JSON, or a
   * string is not valid JSON.
   */
  static serializationError(reason: string, options?: McpErrorOptions): McpError {
    const message = `Cannot convert to or from JSON: ${reason}`;
    return new McpError(McpErrorCode.SerializationError, { reason }, message, options);
  }

  /**
   * Creates an error with code `auth_error`: credentials are missing, were rejected or are
   * insufficient. The `scope` option contains the required scopes, separated by spaces. The
   * `retryAfterMs` option is the time after which a new attempt is possible, in milliseconds.
   */
  static authError(
    reason: string,
    options: McpErrorOptions & {
      readonly scope?: string | undefined;
      readonly retryAfterMs?: number | undefined;
    } = {},
  ): McpError {
    const { scope, retryAfterMs } = options;
    return new McpError(
      McpErrorCode.AuthError,
      {
        reason,
        ...(scope === undefined ? {} : { scope }),
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      },
      `Cannot authorize the request: ${reason}`,
      options,
    );
  }

  /**
   * Creates an error with code `tolerated`: a server deviates from the protocol in a way that has
   * only one meaning, so its message was accepted.
   *
   * @param details The deviation.
   * @param detail Position or value of this deviation, for the error message.
   */
  static tolerated(
    details: McpErrorDetails["tolerated"],
    detail?: string,
    options?: McpErrorOptions,
  ): McpError {
    const { what, method, server } = details;
    const text = detail === undefined ? what : `${what}: ${detail}`;
    const message = `The server ${
      formatValue(server)
    } deviates from the protocol: ${text} ("${method}")`;
    return new McpError(McpErrorCode.Tolerated, details, message, options);
  }

  /** Creates an error with code `core`, for failures that no other error code describes. */
  static core(reason: string, options?: McpErrorOptions): McpError {
    const message = `Cannot complete the operation: ${reason}`;
    return new McpError(McpErrorCode.Core, { reason }, message, options);
  }
}
