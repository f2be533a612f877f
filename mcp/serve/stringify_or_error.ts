/**
 * Messages as text, where there is nobody to tell of a failure but the client.
 *
 * @module
 */

import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import { failure, type RpcMessage } from "../jsonrpc/message.ts";

/** A message as text. A result that is not JSON is the server's fault, not the client's. */
export function stringify(message: RpcMessage): string {
  try {
    return JSON.stringify(message);
  } catch {
    const id = "id" in message ? message.id : null;
    const error = { code: RpcErrorCode.InternalError, message: "The result is not JSON" };
    return JSON.stringify(failure(id, error));
  }
}
