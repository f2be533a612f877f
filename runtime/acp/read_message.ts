/**
 * Reads the lines that an editor sends as JSON-RPC 2.0 messages. Batches are not part of the
 * protocol.
 *
 * @see {@link https://www.jsonrpc.org/specification JSON-RPC 2.0, sections 4 and 5}
 * @module
 */

import { isRecord, type UnknownRecord } from "@parley/internal/json";
import type { Line } from "@parley/internal/split-lines";
import { AcpErrorCode } from "./rpc_error.ts";

/** Id of a request. */
export type RequestId = string | number;

/** Error object of a response. */
export interface RpcErrorObject {
  readonly code: number;
  readonly message: string;
}

/** A message from the editor, or the response to a line that is not a message. */
export type ReceivedMessage =
  | {
    readonly kind: "request";
    readonly id: RequestId;
    readonly method: string;
    readonly params: UnknownRecord;
  }
  | { readonly kind: "notification"; readonly method: string; readonly params: UnknownRecord }
  | { readonly kind: "response"; readonly id: unknown; readonly result: unknown }
  | { readonly kind: "failure"; readonly id: unknown; readonly error: RpcErrorObject }
  | { readonly kind: "invalid"; readonly id: RequestId | null; readonly error: RpcErrorObject };

/** Reads a line. Never throws. */
export function readMessage(line: Line): ReceivedMessage {
  if (typeof line !== "string") {
    return "maxBytes" in line
      ? invalid(`Invalid Request: the line is longer than ${line.maxBytes} bytes`)
      : invalid("Parse error: the line is not valid UTF-8", AcpErrorCode.ParseError);
  }
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return invalid("Parse error: the line is not valid JSON", AcpErrorCode.ParseError);
  }
  if (!isRecord(value)) return invalid("Invalid Request: the message must be an object");
  return "method" in value ? readCall(value) : readResponse(value);
}

function readCall({ id, jsonrpc, method, ...rest }: UnknownRecord): ReceivedMessage {
  // Some implementations send `null` for an absent member.
  const params = rest.params ?? {};
  const knownId = isRequestId(id) ? id : null;
  const fail = (fact: string): ReceivedMessage =>
    invalid(`Invalid Request: ${fact}`, AcpErrorCode.InvalidRequest, knownId);
  if (jsonrpc !== "2.0") return fail('"jsonrpc" must be "2.0"');
  if (typeof method !== "string") return fail('"method" must be a string');
  if (id === undefined) {
    return { kind: "notification", method, params: isRecord(params) ? params : {} };
  }
  if (knownId === null) return fail('"id" must be a string or an integer');
  if (isRecord(params)) return { kind: "request", id: knownId, method, params };
  const text = 'Invalid params: "params" must be an object';
  return invalid(text, AcpErrorCode.InvalidParams, knownId);
}

/** Reads a response. A response that is not valid fails its request, if the id can be read. */
function readResponse({ error, id, result }: UnknownRecord): ReceivedMessage {
  if (id === undefined && error === undefined && result === undefined) {
    return invalid('Invalid Request: the message must have a "method"');
  }
  if (error === undefined || error === null) return { kind: "response", id, result };
  const { code, message } = isRecord(error) ? error : {};
  return {
    kind: "failure",
    id,
    error: {
      code: typeof code === "number" ? code : AcpErrorCode.InternalError,
      message: typeof message === "string" ? message : "unknown error",
    },
  };
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === "string" || Number.isSafeInteger(id);
}

function invalid(
  message: string,
  code: number = AcpErrorCode.InvalidRequest,
  id: RequestId | null = null,
): ReceivedMessage {
  return { kind: "invalid", id, error: { code, message } };
}
