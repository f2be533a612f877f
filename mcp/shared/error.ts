/**
 * The one error class of this package. Branch on `code`, never on the message.
 *
 * @module
 */

/** The values of {@linkcode McpError.code}. */
export const McpErrorCode = {
  /** The other side could not be reached. */
  ConnectionFailed: "connection_failed",
  /** A connection that was open broke, was closed or ran out of time. */
  TransportError: "transport_error",
  /** The other side answered with a JSON-RPC error or broke the protocol. */
  ProtocolError: "protocol_error",
  /** The server has no tool of that name. */
  ToolNotFound: "tool_not_found",
  /** A value is not JSON, or a text is not. */
  SerializationError: "serialization_error",
  /** The server wants credentials that are missing, refused or not allowed. */
  AuthError: "auth_error",
  /** Anything else. */
  Core: "core",
} as const;

/** One of the values of {@linkcode McpErrorCode}. */
export type McpErrorCodeType = typeof McpErrorCode[keyof typeof McpErrorCode];

/** What {@linkcode McpError.details} holds for each code. */
export interface McpErrorDetails {
  /** Where to, and why not. */
  readonly connection_failed: { readonly url: string; readonly reason: string };
  /** Which transport, and what happened to it. */
  readonly transport_error: { readonly transport: string; readonly reason: string };
  /** What was wrong. */
  readonly protocol_error: { readonly reason: string };
  /** The name that the server does not know. */
  readonly tool_not_found: { readonly toolName: string };
  /** What was wrong. */
  readonly serialization_error: { readonly reason: string };
  /** What was refused. */
  readonly auth_error: { readonly reason: string };
  /** What went wrong. */
  readonly core: { readonly reason: string };
}

/** What may accompany an error. */
export interface McpErrorOptions {
  /** The error that led to this one. */
  readonly cause?: unknown;
  /** The code of the JSON-RPC error object that was received, or that a server should answer with. */
  readonly rpcCode?: number;
  /** The `data` of that JSON-RPC error object. */
  readonly data?: unknown;
  /** The HTTP status that was received. */
  readonly httpStatus?: number;
}

/**
 * Everything that goes wrong in a client, a server or a transport.
 *
 * @example Tell a missing tool from a broken connection
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
  /** The name of the class. */
  override readonly name = "McpError";
  /** Which kind of failure this is. */
  readonly code: McpErrorCodeType;
  /** The facts of the failure, by code. */
  readonly details: McpErrorDetails[McpErrorCodeType];
  /** The JSON-RPC error code, when a JSON-RPC error is behind this. */
  readonly rpcCode: number | undefined;
  /** The `data` of the JSON-RPC error, when it had any. */
  readonly data: unknown;
  /** The HTTP status, when an HTTP response is behind this. */
  readonly httpStatus: number | undefined;

  /**
   * Use a named constructor instead, such as {@linkcode McpError.protocolError}.
   *
   * @param code which kind of failure
   * @param details the facts, by code
   * @param message the sentence for people
   * @param options cause, JSON-RPC code and data, HTTP status
   */
  constructor(
    code: McpErrorCodeType,
    details: McpErrorDetails[McpErrorCodeType],
    message: string,
    options: McpErrorOptions = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = details;
    this.rpcCode = options.rpcCode;
    this.data = options.data;
    this.httpStatus = options.httpStatus;
  }

  /** The other side could not be reached. */
  static connectionFailed(url: string, reason: string, options?: McpErrorOptions): McpError {
    const message = `Cannot connect to "${url}": ${reason}`;
    return new McpError(McpErrorCode.ConnectionFailed, { url, reason }, message, options);
  }

  /** A connection broke, was closed or ran out of time. */
  static transportError(transport: string, reason: string, options?: McpErrorOptions): McpError {
    const message = `Cannot use the ${transport} transport: ${reason}`;
    return new McpError(McpErrorCode.TransportError, { transport, reason }, message, options);
  }

  /** The other side broke the protocol, or answered with a JSON-RPC error. */
  static protocolError(reason: string, options?: McpErrorOptions): McpError {
    const message = `Cannot complete the request: ${reason}`;
    return new McpError(McpErrorCode.ProtocolError, { reason }, message, options);
  }

  /** The server has no such tool. */
  static toolNotFound(toolName: string, options?: McpErrorOptions): McpError {
    const message = `Cannot call tool "${toolName}": unknown tool`;
    return new McpError(McpErrorCode.ToolNotFound, { toolName }, message, options);
  }

  /** A value or a text is not JSON. */
  static serializationError(reason: string, options?: McpErrorOptions): McpError {
    const message = `Cannot convert to or from JSON: ${reason}`;
    return new McpError(McpErrorCode.SerializationError, { reason }, message, options);
  }

  /** Credentials are missing, refused or not allowed. */
  static authError(reason: string, options?: McpErrorOptions): McpError {
    return new McpError(
      McpErrorCode.AuthError,
      { reason },
      `Cannot authorize the request: ${reason}`,
      options,
    );
  }

  /** Anything else. */
  static core(reason: string, options?: McpErrorOptions): McpError {
    const message = `Cannot complete the operation: ${reason}`;
    return new McpError(McpErrorCode.Core, { reason }, message, options);
  }
}
