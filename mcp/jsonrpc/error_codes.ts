/**
 * JSON-RPC 2.0 and MCP error codes, and the subset that a request handler can return.
 *
 * @module
 */

/**
 * JSON-RPC 2.0 and MCP error codes.
 *
 * @see {@link https://www.jsonrpc.org/specification#error_object JSON-RPC 2.0, section 5.1}
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/index#error-codes MCP error codes}
 */
export const RpcErrorCode = {
  /** Parse error: the text is not valid JSON. */
  ParseError: -32700,
  /** Invalid Request: the value is not a valid JSON-RPC 2.0 message. */
  InvalidRequest: -32600,
  /** Method not found: the method does not exist or requires an undeclared capability. */
  MethodNotFound: -32601,
  /** Invalid params, including an unknown tool, prompt, resource or cursor. */
  InvalidParams: -32602,
  /** Internal error on the server. */
  InternalError: -32603,
  /** An HTTP header does not match the request body. */
  HeaderMismatch: -32020,
  /** The request requires a capability that the client did not declare. */
  MissingClientCapability: -32021,
  /** The server does not support the requested protocol version. */
  UnsupportedVersion: -32022,
  /**
   * Resource not found, in protocol versions up to 2025-11-25. Clients accept the code -32002 in
   * responses, but servers never send it.
   */
  ResourceNotFoundBefore2026: -32002,
  /**
   * Session not found. Not part of the specification, but expected by deployed HTTP clients for
   * protocol versions up to 2025-11-25.
   */
  SessionNotFound: -32001,
  /**
   * Request rejected by the HTTP transport. Not part of the specification, but expected by deployed
   * clients for protocol versions up to 2025-11-25.
   */
  TransportRefused: -32000,
} as const;

/**
 * Returns `true` if a request handler can return this error code: one of three standard codes, or
 * any integer outside the range that JSON-RPC reserves.
 */
export function isHandlerCode(code: number): boolean {
  switch (code) {
    case RpcErrorCode.InvalidParams:
    case RpcErrorCode.InternalError:
    case RpcErrorCode.MissingClientCapability:
      return true;
    default:
      return Number.isSafeInteger(code) && (code < -32768 || code > -32000);
  }
}
