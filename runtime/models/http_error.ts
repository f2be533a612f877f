/**
 * Converts HTTP error responses to model errors that include the server's retry advice.
 *
 * @module
 */

import { AgentError } from "../shared/error.ts";
import { formatValue } from "@parley/internal/format-value";
import { defined, isRecord } from "@parley/internal/json";
import { clip, readRecord, readText, type WireObject } from "./response_fields.ts";
import { truncate } from "@parley/internal/escape-text";

/** Maximum length of server text that is copied into an error message, in UTF-16 code units. */
const MAX_WORDS = 500;

/**
 * Error codes for exhausted quotas. Servers report an exhausted quota with the same HTTP status as
 * a rate limit, but retrying does not help.
 */
const QUOTA_CODES: ReadonlySet<string> = new Set([
  "insufficient_quota",
  "billing_hard_limit_reached",
]);

/** Retryable error types and codes in the body of a response with HTTP status 200. */
const TRANSIENT_TYPES: ReadonlySet<string> = new Set([
  "api_error",
  "internal_server_error",
  "overloaded_error",
  "rate_limit_error",
  "rate_limit_exceeded",
  "server_error",
  "timeout_error",
]);

/** Model and host of a failed request. */
export interface FailedTarget {
  readonly model: unknown;
  readonly host: string;
}

/**
 * Creates the error for a response whose status is not 2xx.
 *
 * @param response Status and headers.
 * @param body Beginning of the response body.
 * @param target Model and host of the request.
 */
export function statusFailure(response: Response, body: string, target: FailedTarget): AgentError {
  const { status, headers } = response;
  const words = readWords(body);
  const retryAfterMs = readRetryAfterMs(headers);
  const reason = `HTTP ${status}${words === "" ? "" : `: ${words}`}${remedyFor(status, target)}`;
  return AgentError.modelError(reason, {
    status,
    retryable: isRetryableStatus(status, body, headers.get("x-should-retry")),
    ...defined({ retryAfterMs }),
  });
}

/**
 * Returns a hint that names the options that can cause the status, or an empty string if no option
 * can cause it.
 */
function remedyFor(status: number, { model, host }: FailedTarget): string {
  const target = `model ${formatValue(model)} at ${host}`;
  if (status === 401 || status === 403) return `; check "apiKey" for ${target}`;
  return status === 404 ? `; check "model" and "baseUrl" for ${target}` : "";
}

/**
 * Creates the error for a failure reported in the body of a response with status 200, for example
 * in a stream or by a gateway.
 *
 * @param error Value of the body's `error` field.
 */
export function bodyFailure(error: unknown): AgentError {
  const record = readRecord(error);
  const words = wordsOf({ error }) ?? "the endpoint reported an error without a message";
  const status = Number(record.code ?? record.status);
  const isStatus = Number.isInteger(status) && status >= 400 && status < 600;
  const types = [record.type, record.code].map(String);
  const retryable = isStatus
    ? isTransient(status) && !types.some((type) => QUOTA_CODES.has(type))
    : types.some((type) => TRANSIENT_TYPES.has(type));
  return AgentError.modelError(clip(words, MAX_WORDS), {
    retryable,
    ...isStatus ? { status } : {},
  });
}

/**
 * Returns the retry delay requested by the server (`retry-after-ms` or `retry-after` header), in
 * milliseconds.
 *
 * @param headers The headers, or an object with lowercase header names.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 */
export function readRetryAfterMs(headers: unknown): number | undefined {
  const { "retry-after-ms": exact, "retry-after": value } = headers instanceof Headers
    ? Object.fromEntries(headers)
    : readRecord(headers);
  if (typeof exact === "string" && /^\d+(\.\d+)?$/.test(exact)) return Number(exact);
  if (typeof value !== "string") return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

function isRetryableStatus(status: number, body: string, advice: string | null): boolean {
  if (advice === "true" || advice === "false") return advice === "true";
  return isTransient(status) && ![...QUOTA_CODES].some((code) => body.includes(`"${code}"`));
}

function isTransient(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

/**
 * Returns the error message from a response body in a common error format. For a body in an unknown
 * format, returns the beginning of the body.
 */
function readWords(body: string): string {
  return clip(wordsOf(parseLoosely(body)) ?? withoutMarkup(body), MAX_WORDS);
}

function wordsOf(body: WireObject): string | undefined {
  const { error } = body;
  const inner = readRecord(error);
  return readText(error) ?? readText(inner.message) ?? readText(body.message) ??
    readText(body.detail) ?? (isRecord(error) ? JSON.stringify(error) : undefined);
}

function parseLoosely(body: string): WireObject {
  try {
    return readRecord(JSON.parse(body));
  } catch {
    // A body that is not JSON is quoted unchanged.
    return {};
  }
}

/** Removes the markup from a proxy's HTML error page. */
function withoutMarkup(body: string): string {
  return truncate(body, 10 * MAX_WORDS).replace(/<(style|script)\b.*?<\/\1>/gis, " ")
    .replace(/<[^<>]*>/g, " ");
}
