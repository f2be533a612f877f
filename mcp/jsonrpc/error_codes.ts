/**
 * The numeric codes of JSON-RPC error objects, and which of them a handler may choose.
 *
 * @module
 */

/**
 * JSON-RPC 2.0 and MCP error codes.
 *
 * @see {@link https://www.jsonrpc.org/specification#error_object JSON-RPC 2.0, section 5.1}
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/index#error-codes MCP error codes}
 */
export const RpcErrorCode = {
  /** The text is not JSON. */
  ParseError: -32700,
  /** The value is not a JSON-RPC 2.0 request or notification. */
  InvalidRequest: -32600,
  /** There is no such method, or the server does not offer it. */
  MethodNotFound: -32601,
  /** The parameters do not fit; an unknown tool, prompt, resource or cursor. */
  InvalidParams: -32602,
  /** The server failed. */
  InternalError: -32603,
  /** An HTTP header contradicts the body. */
  HeaderMismatch: -32020,
  /** The request needs a client capability that it did not declare. */
  MissingClientCapability: -32021,
  /** The request is in a protocol version that the server does not speak. */
  UnsupportedVersion: -32022,
  /** Resource not found, up to revision 2025-11-25: read, never written. */
  ResourceNotFoundBefore2026: -32002,
  /** HTTP up to revision 2025-11-25: no such session, as deployed clients expect it. */
  SessionNotFound: -32001,
  /** HTTP up to revision 2025-11-25: the transport refuses, as deployed clients expect it. */
  TransportRefused: -32000,
} as const;

/** Whether a handler may answer with this code: one of three, or anything outside the range that JSON-RPC reserves. */
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
