/**
 * The trust boundary of JSON-RPC: text in, a frame that says what it is out. Nothing here throws.
 *
 * @module
 */

import { isJsonObject, type JsonObject } from "../shared/json.ts";
import { RpcErrorCode } from "./error_codes.ts";
import {
  failure,
  isRequestId,
  type McpRequestId,
  notification,
  request,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
  success,
} from "./message.ts";

/** A frame that is no message. */
export interface InvalidFrame {
  /** Tells the frames apart. */
  readonly kind: "invalid";
  /** The JSON-RPC code that the frame deserves. */
  readonly code: number;
  /** What is wrong with it, in one sentence. */
  readonly reason: string;
  /** The id that the frame carries, or `null` when it has none that can be read. */
  readonly id: McpRequestId;
  /** Whether the frame is an invalid response, to which no error is sent. */
  readonly isResponse: boolean;
}

/** One message as it came in, or what is wrong with it. */
export type MessageFrame =
  | { readonly kind: "request"; readonly message: RpcRequest }
  | { readonly kind: "notification"; readonly message: RpcNotification }
  | { readonly kind: "response"; readonly message: RpcResponse }
  | InvalidFrame;

/** What one line or one HTTP body holds: a message or, in revision 2025-03-26, a batch of them. */
export type Frame = MessageFrame | {
  /** Tells the frames apart. */
  readonly kind: "batch";
  /** The messages, in order; at least one. */
  readonly frames: readonly MessageFrame[];
};

/** Limits on what is read. */
export interface ReadFrameOptions {
  /** How many messages a batch may have. Default 100. */
  readonly maxBatch?: number;
}

/**
 * Reads a text as one frame. A batch is read as such; whether batches are welcome is for the caller to say.
 *
 * @see {@link https://www.jsonrpc.org/specification JSON-RPC 2.0, sections 4 to 6}
 */
export function readFrame(text: string, options: ReadFrameOptions = {}): Frame {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return invalid(RpcErrorCode.ParseError, "Parse error: the text is not JSON");
  }
  return Array.isArray(value) ? readBatch(value, options) : readMessage(value);
}

/** Reads a value that JSON.parse has made as one message. */
export function readMessage(value: unknown): MessageFrame {
  if (!isJsonObject(value)) return invalidRequest("the message is not an object");
  const isResponse = !("method" in value) && ("result" in value || "error" in value);
  const id = isRequestId(value.id) ? value.id : null;
  if (value.jsonrpc !== "2.0") {
    return invalidRequest('"jsonrpc" is not "2.0"', id, isResponse);
  }
  return isResponse ? readAnswer(value) : readCall(value, id);
}

function readBatch(values: readonly unknown[], options: ReadFrameOptions): Frame {
  const { maxBatch = 100 } = options;
  if (values.length === 0) return invalidRequest("the batch is empty");
  if (values.length > maxBatch) {
    return invalidRequest(`the batch has more than ${maxBatch} messages`);
  }
  return { kind: "batch", frames: values.map(readMessage) };
}

function readCall(value: JsonObject, id: McpRequestId): MessageFrame {
  const { method, params } = value;
  if (typeof method !== "string") return invalidRequest('"method" is not a string', id);
  const given = isJsonObject(params) ? params : undefined;
  // Never answered, also where its parameters are a list, as JSON-RPC permits, or nothing that makes sense.
  if (!("id" in value)) return { kind: "notification", message: notification(method, given) };
  // Several stacks write an absent member as null.
  if (params !== undefined && params !== null && given === undefined) {
    return invalid(RpcErrorCode.InvalidParams, 'Invalid params: "params" is not an object', id);
  }
  if (id === null) return invalidRequest('"id" is not a string or an integer');
  return { kind: "request", message: request(id, method, given) };
}

function readAnswer(value: JsonObject): MessageFrame {
  const { id, result, error } = value;
  const known = isRequestId(id) ? id : null;
  if ("result" in value && "error" in value) {
    return invalidRequest('the answer has both "result" and "error"', known, true);
  }
  if ("result" in value) {
    if (known === null) return invalidRequest("the answer has no id", known, true);
    if (!isJsonObject(result)) return invalidRequest('"result" is not an object', known, true);
    return { kind: "response", message: success(known, result) };
  }
  if (!isErrorObject(error)) return invalidRequest('"error" is no error object', known, true);
  return { kind: "response", message: failure(known, error) };
}

function isErrorObject(
  value: unknown,
): value is { readonly code: number; readonly message: string } {
  return isJsonObject(value) && Number.isInteger(value.code) && typeof value.message === "string";
}

function invalidRequest(fact: string, id: McpRequestId = null, isResponse = false): InvalidFrame {
  return { ...invalid(RpcErrorCode.InvalidRequest, `Invalid request: ${fact}`, id), isResponse };
}

function invalid(code: number, reason: string, id: McpRequestId = null): InvalidFrame {
  return { kind: "invalid", code, reason, id, isResponse: false };
}
