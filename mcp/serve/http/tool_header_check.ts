/**
 * Check of the headers that mirror tool arguments, when the called tool is known.
 *
 * @module
 */

import type { RpcRequest } from "../../jsonrpc/message.ts";
import { checkParameterHeaders } from "../../protocol/headers.ts";
import { Method } from "../../protocol/methods.ts";
import type { ExchangeContext } from "../../server/exchange_context.ts";
import type { HttpRequest } from "../../shared/http_types.ts";

/**
 * Returns the check for a tool call, or an empty object for other requests. The endpoint checks the
 * headers when a request arrives. The tool can be unknown at that time, or be replaced later.
 *
 * @param headers Headers of the HTTP request.
 * @param message Request in the body.
 * @param required Whether all headers of the tool are required, or only those that the client has
 * sent are compared.
 */
export function toolHeaderCheck(
  headers: HttpRequest["headers"],
  { method, params }: RpcRequest,
  required: "all" | "present",
): Pick<ExchangeContext, "checkToolHeaders"> {
  if (method !== Method.CallTool) return {};
  return {
    checkToolHeaders: (parameters) => {
      const compared = required === "all"
        ? parameters
        : parameters.filter(({ header }) => headers.get(header) !== null);
      return checkParameterHeaders(headers, params?.arguments, compared);
    },
  };
}
