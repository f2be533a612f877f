/**
 * Messages to text.
 *
 * @module
 */

import { McpError } from "../shared/error.ts";
import type { RpcMessage } from "./message.ts";

/**
 * Writes a message, or a batch, as JSON on one line.
 *
 * @throws {McpError} `serialization_error` when it holds what JSON cannot
 */
export function stringifyMessage(message: RpcMessage | readonly RpcMessage[]): string {
  try {
    return JSON.stringify(message);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw McpError.serializationError(reason, { cause });
  }
}
