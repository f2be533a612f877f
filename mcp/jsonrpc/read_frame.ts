/**
 * Validation of received JSON-RPC text. The functions never throw: an invalid message is returned
 * as an {@linkcode InvalidFrame}.
 *
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
import type { Deviation } from "./deviation.ts";
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

/** A frame that is not a valid message. */
export interface InvalidFrame {
  /** Discriminator of the `Frame` union. */
  readonly kind: "invalid";
  /** JSON-RPC error code for the response. */
  readonly code: number;
  /** Error message for the response. */
  readonly reason: string;
  /** Request id of the frame, or `null` if the id is missing or invalid. */
  readonly id: McpRequestId;
  /**
   * Whether the frame is an invalid response. No error response is sent for an invalid response.
   */
  readonly isResponse: boolean;
}

/** A response. */
export interface ResponseFrame {
  /** Discriminator of the `Frame` union. */
  readonly kind: "response";
  /** The response. */
  readonly message: RpcResponse;
  /** Deviation from JSON-RPC, if the response has one that has only one meaning. */
  readonly deviation?: Deviation;
}

/** A valid message, or the description of an invalid frame. */
export type MessageFrame =
  | { readonly kind: "request"; readonly message: RpcRequest }
  | { readonly kind: "notification"; readonly message: RpcNotification }
  | ResponseFrame
  | InvalidFrame;

/** Content of a line or an HTTP body: a message or, in protocol version 2025-03-26, a batch. */
export type Frame = MessageFrame | {
  /** Discriminator of the `Frame` union. */
  readonly kind: "batch";
  /** Messages in order; at least one. */
  readonly frames: readonly MessageFrame[];
};

/** Limits for {@linkcode readFrame}. */
export interface ReadFrameOptions {
  /**
   * Maximum number of messages in a batch.
   *
   * @default {100}
   */
  readonly maxBatch?: number;
}

/**
 * Reads JSON text as a frame. Batches are always accepted; the caller must reject them if the
 * protocol version does not support batches.
 *
 * @see {@link https://www.jsonrpc.org/specification JSON-RPC 2.0, sections 4 to 6}
 */
export function readFrame(text: string, options: ReadFrameOptions = {}): Frame {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return invalid(RpcErrorCode.ParseError, "Parse error: invalid JSON");
  }
  return Array.isArray(value) ? readBatch(value, options) : readMessage(value);
}

/** Character that replaces invalid UTF-8. */
const REPLACEMENT = "\ufffd";

/**
 * Returns the frame for a message that is not UTF-8. The frame names the id of a response, if the
 * id can be read, so that its request is rejected immediately.
 *
 * @param damagedText Text of the message, with U+FFFD in place of invalid UTF-8.
 */
export function readDamagedFrame(damagedText: string): InvalidFrame {
  const frame = readFrame(damagedText);
  const id = frame.kind === "response" ? frame.message.id : null;
  return {
    kind: "invalid",
    code: RpcErrorCode.ParseError,
    reason: "Parse error: the message is not valid UTF-8",
    id: typeof id === "string" && id.includes(REPLACEMENT) ? null : id,
    isResponse: frame.kind === "response",
  };
}

/** Reads a parsed JSON value as a single message. */
export function readMessage(value: unknown): MessageFrame {
  if (!isRecord(value)) return invalidRequest("message must be an object");
  const isResponse = !("method" in value) && ("result" in value || "error" in value);
  const id = isRequestId(value.id) ? value.id : null;
  if (value.jsonrpc !== "2.0") {
    return invalidRequest('"jsonrpc" must be "2.0"', id, isResponse);
  }
  return isResponse ? readAnswer(value) : readCall(value, id);
}

function readBatch(values: readonly unknown[], options: ReadFrameOptions): Frame {
  const { maxBatch = 100 } = options;
  if (values.length === 0) return invalidRequest("batch must not be empty");
  if (values.length > maxBatch) {
    return invalidRequest(`batch has more than ${maxBatch} messages`);
  }
  return { kind: "batch", frames: values.map(readMessage) };
}

function readCall(value: JsonObject, id: McpRequestId): MessageFrame {
  const { method, params } = value;
  if (typeof method !== "string") return invalidRequest('"method" must be a string', id);
  const given = isRecord(params) ? params : undefined;
  // A notification never receives a response, even if `params` is an array (JSON-RPC 2.0, section
  // 4.2) or invalid.
  if (!("id" in value)) return { kind: "notification", message: notification(method, given) };
  // Some JSON-RPC implementations send `null` for an absent member.
  if (params !== undefined && params !== null && given === undefined) {
    return invalid(RpcErrorCode.InvalidParams, 'Invalid params: "params" must be an object', id);
  }
  if (id === null) return invalidRequest('"id" must be a string or an integer');
  return { kind: "request", message: request(id, method, given) };
}

/**
 * Reads a response. Some implementations send both members, one of them with the value `null`,
 * which JSON-RPC 2.0, section 5, does not permit.
 */
function readAnswer(value: JsonObject): MessageFrame {
  const { id, result, error } = value;
  const known = isRequestId(id) ? id : null;
  const hasBoth = "result" in value && "error" in value;
  if (hasBoth && result !== null && error !== null) {
    const words = isRecord(error) ? `; the error is ${wordsOf(error)}` : "";
    return invalidRequest(`response has both "result" and "error"${words}`, known, true);
  }
  if ("result" in value && !(hasBoth && error !== null)) {
    if (known === null) return invalidRequest('response has no "id"', known, true);
    if (!isRecord(result)) return invalidRequest('"result" must be an object', known, true);
    const message = success(known, result);
    return hasBoth ? deviating(message, '"error" is null') : { kind: "response", message };
  }
  if (!isRecord(error)) return invalidRequest('"error" must be an error object', known, true);
  const { code, message: text } = error;
  if (typeof code !== "number" || !Number.isInteger(code)) {
    const fact = `"error.code" must be an integer; the error is ${wordsOf(error)}`;
    return invalidRequest(fact, known, true);
  }
  if (typeof text !== "string") {
    const message = failure(known, { ...error, code, message: `error ${code}` });
    return deviating(message, '"error.message" is not a string');
  }
  const message = failure(known, { ...error, code, message: text });
  return hasBoth ? deviating(message, '"result" is null') : { kind: "response", message };
}

function deviating(message: RpcResponse, what: string): ResponseFrame {
  return { kind: "response", message, deviation: { what } };
}

/** Maximum length of the words of an error, in characters. */
const MAX_WORDS_CHARS = 300;

/** Returns what a server says about an error that is not a valid error object. */
function wordsOf({ code, message }: JsonObject): string {
  const words = JSON.stringify({ code, message }) ?? "";
  return words.length <= MAX_WORDS_CHARS ? words : `${words.slice(0, MAX_WORDS_CHARS)}…`;
}

function invalidRequest(fact: string, id: McpRequestId = null, isResponse = false): InvalidFrame {
  return { ...invalid(RpcErrorCode.InvalidRequest, `Invalid Request: ${fact}`, id), isResponse };
}

function invalid(code: number, reason: string, id: McpRequestId = null): InvalidFrame {
  return { kind: "invalid", code, reason, id, isResponse: false };
}
