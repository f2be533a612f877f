/**
 * An exchange that belongs to one HTTP request alone, as its response.
 *
 * @module
 */

import { RpcErrorCode } from "../../jsonrpc/error_codes.ts";
import type { McpErrorObject, RpcMessage, RpcResponse } from "../../jsonrpc/message.ts";
import { formatEvent } from "../../shared/sse_encode.ts";
import type { Call } from "../../server/exchange_context.ts";
import { EventStream } from "./event_stream.ts";
import { refuseTransport } from "./guard.ts";
import { type HttpResponse, jsonResponse } from "./http_responses.ts";
import { Reply, type ReplyOptions } from "./reply.ts";
import { stringify } from "../stringify_or_error.ts";

/** What an exchange does before its answer. */
export type Ways = Required<Pick<Call, "emit" | "slow">>;

/** How it is done. */
export interface RespondOptions extends ReplyOptions {
  /** Called when nobody reads any more. */
  readonly abandon: () => void;
}

/** Makes the response of an exchange that is started with ways to send what comes before its answer. */
export function respond(
  exchange: (ways: Ways) => Promise<RpcResponse>,
  options: RespondOptions,
): Promise<HttpResponse> {
  let events: EventStream | undefined;
  const reply = new Reply(options, () => (events = new EventStream(options)).response);
  const emit = async (message: RpcMessage): Promise<boolean> => {
    reply.open();
    return await events?.write(formatEvent({ data: stringify(message) })) ?? false;
  };
  exchange({ emit, slow: () => reply.slow() }).then((response) => {
    if (reply.isOpen) emit(response);
    else reply.finish(jsonResponse(statusOf(response), stringify(response)));
  }, () => {
    // Aborted: nobody reads this, or the server is shutting down.
    reply.finish(refuseTransport(503, "The request was cancelled"));
  }).finally(() => events?.end());
  return reply.response;
}

/** The errors that have a status of their own. What a handler says stays 200: the exchange itself went well. */
function statusOf(response: RpcResponse): number {
  return "error" in response ? STATUS.get(response.error.code) ?? 200 : 200;
}

const STATUS: ReadonlyMap<McpErrorObject["code"], number> = new Map([
  [RpcErrorCode.MethodNotFound, 404],
  [RpcErrorCode.HeaderMismatch, 400],
  [RpcErrorCode.MissingClientCapability, 400],
  [RpcErrorCode.UnsupportedVersion, 400],
]);
