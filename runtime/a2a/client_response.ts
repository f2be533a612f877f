/**
 * Reads the responses of an agent, in the bindings JSON-RPC and HTTP+JSON.
 *
 * @module
 */

import { excerpt } from "@parley/internal/escape-text";
import { isRecord, type UnknownRecord } from "@parley/internal/json";
import { InvalidMember } from "@parley/internal/proto-json";
import { type ClientBinding, REQUEST_ID } from "./client_request.ts";
import { A2aError, type A2aErrorReason, readErrorReason } from "./errors.ts";
import { invalidResponse, type JsonResponse } from "./client_exchange.ts";

/** Maximum length of a text of an agent in an error, in UTF-16 code units. */
const MAX_ERROR_LENGTH = 1000;

/** Maximum number of details of an error. */
const MAX_DETAILS = 20;

/**
 * Returns the result in a response.
 *
 * @throws {A2aError} If the response is an error, or not valid.
 */
export function resultOf(binding: ClientBinding, { body, status }: JsonResponse): unknown {
  const error = isRecord(body) ? body.error : undefined;
  if (isRecord(error)) throw toError(error, status);
  if (status < 200 || status >= 300) {
    throw new A2aError(reasonOf(status), `The agent has responded with HTTP ${status}`);
  }
  if (binding === "HTTP+JSON") return body;
  if (!isRecord(body) || body.jsonrpc !== "2.0" || body.id !== REQUEST_ID) {
    throw invalidResponse("the response does not belong to the JSON-RPC request");
  }
  return body.result;
}

/**
 * Reads a value with a function that throws an {@linkcode InvalidMember} if the value is not valid.
 *
 * @throws {A2aError} With reason `INVALID_AGENT_RESPONSE` if the value is not valid.
 */
export function readResult<Result>(value: unknown, read: (value: unknown) => Result): Result {
  try {
    return read(value);
  } catch (cause) {
    if (!(cause instanceof InvalidMember)) throw cause;
    throw invalidResponse(excerpt(cause.message, MAX_ERROR_LENGTH), { cause });
  }
}

function toError(error: UnknownRecord, status: number): A2aError {
  const { code, message } = error;
  const details = error.details ?? error.data;
  const known = readErrorReason(code, details);
  const reason = known === "INTERNAL_ERROR" && code !== -32603 ? reasonOf(status) : known;
  const text = typeof message === "string" && message !== ""
    ? excerpt(message, MAX_ERROR_LENGTH)
    : undefined;
  return new A2aError(reason, text, { metadata: readMetadata(details) });
}

/** Returns the reason that corresponds to the HTTP status of an error of an unknown kind. */
function reasonOf(status: number): A2aErrorReason {
  switch (status) {
    case 400:
      return "INVALID_PARAMS";
    case 401:
    case 403:
      return "UNAUTHENTICATED";
    case 413:
      return "PAYLOAD_TOO_LARGE";
    case 415:
      return "CONTENT_TYPE_NOT_SUPPORTED";
    case 429:
      return "RESOURCE_EXHAUSTED";
    case 502:
    case 503:
    case 504:
      return "UNAVAILABLE";
    default:
      return status < 300 || status === 500 ? "INTERNAL_ERROR" : "INVALID_AGENT_RESPONSE";
  }
}

/** Reads the texts in the `metadata` of the first `google.rpc.ErrorInfo`. */
function readMetadata(details: unknown): Readonly<Record<string, string>> {
  const infos: unknown[] = Array.isArray(details) ? details.slice(0, MAX_DETAILS) : [];
  const info = infos.find((each) => isRecord(each) && isRecord(each.metadata));
  const metadata = isRecord(info) && isRecord(info.metadata) ? info.metadata : {};
  return Object.fromEntries(
    Object.entries(metadata).slice(0, MAX_DETAILS).flatMap(([name, value]) =>
      typeof value === "string" ? [[excerpt(name), excerpt(value, MAX_ERROR_LENGTH)] as const] : []
    ),
  );
}
