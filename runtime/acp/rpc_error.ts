/**
 * Errors of the Agent Client Protocol.
 *
 * @module
 */

/**
 * Error codes of JSON-RPC 2.0 and of the Agent Client Protocol.
 *
 * @see {@link https://agentclientprotocol.com/protocol/v1/schema#errorcode ErrorCode}
 */
export const AcpErrorCode = {
  /** The line is not JSON. */
  ParseError: -32700,
  /** The message is not valid in this state of the connection or the session. */
  InvalidRequest: -32600,
  /** The agent does not have the method. */
  MethodNotFound: -32601,
  /** A parameter is missing or invalid. */
  InvalidParams: -32602,
  /** The request has failed. */
  InternalError: -32603,
  /** The session does not exist. */
  ResourceNotFound: -32002,
  /** The request was cancelled. */
  RequestCancelled: -32800,
} as const;

/** An error that a request is responded to with. Its message is sent to the editor. */
export class RpcError extends Error {
  /** The name of the class. */
  override readonly name = "RpcError";
  /** Error code. */
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Returns the error for a request that is not valid now. */
export function invalidRequest(fact: string): RpcError {
  return new RpcError(AcpErrorCode.InvalidRequest, `Invalid Request: ${fact}`);
}

/** Returns the error for a parameter that is missing or invalid. */
export function invalidParams(fact: string): RpcError {
  return new RpcError(AcpErrorCode.InvalidParams, `Invalid params: ${fact}`);
}
