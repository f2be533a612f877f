/**
 * Check of the headers that mirror tool arguments, when the called tool is known.
 *
 * @module
 */

import type { McpErrorObject, RpcRequest } from "../../jsonrpc/message.ts";
import { checkParameterHeaders, type ParameterHeader } from "../../protocol/headers.ts";
import { Method } from "../../protocol/methods.ts";
import type { ExchangeContext } from "../../server/exchange_context.ts";
import type { HttpRequest } from "../../shared/http_types.ts";

/** Headers to compare with the arguments of a tool call. */
export interface ComparedHeaders {
  /** Headers that mirror arguments of the called tool. */
  readonly parameters: readonly ParameterHeader[];
  /** Whether all headers are required, or only those that the client has sent are compared. */
  readonly required: "all" | "present";
}

/**
 * Compares the headers that mirror arguments of a tool call with the message. The endpoint compares
 * the headers when a request arrives. The tool can be unknown at that time, or be replaced later.
 */
export function checkToolHeaders(
  headers: HttpRequest["headers"],
  { params }: RpcRequest,
  { parameters, required }: ComparedHeaders,
): McpErrorObject | undefined {
  const compared = required === "all"
    ? parameters
    : parameters.filter(({ header }) => headers.get(header) !== null);
  return checkParameterHeaders(headers, params?.arguments, compared);
}

/**
 * Returns the check for a tool call in a session, or an empty object for other requests. Only the
 * headers that the client has sent are compared.
 */
export function toolHeaderCheck(
  headers: HttpRequest["headers"],
  message: RpcRequest,
): Pick<ExchangeContext, "checkToolHeaders"> {
  if (message.method !== Method.CallTool) return {};
  return {
    checkToolHeaders: (parameters) =>
      checkToolHeaders(headers, message, { parameters, required: "present" }),
  };
}
