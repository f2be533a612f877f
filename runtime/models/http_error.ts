/**
 * What a failed HTTP answer of a model's endpoint means: in words, whether to try again, and when.
 *
 * @module
 */

import { AgentError } from "../shared/error.ts";
import { isRecord } from "../shared/json.ts";
import { clip, readRecord, readText, type WireObject } from "./response_fields.ts";

/** How much of the server's own words goes into a message. */
const MAX_WORDS = 500;

/** Words for exhausted quotas: the status is that of a rate limit, but waiting does not help. */
const QUOTA_CODES: ReadonlySet<string> = new Set([
  "insufficient_quota",
  "billing_hard_limit_reached",
]);

/** Error types and codes of answers that begin well and fail later, where no status can say it any more. */
const TRANSIENT_TYPES: ReadonlySet<string> = new Set([
  "api_error",
  "internal_server_error",
  "overloaded_error",
  "rate_limit_error",
  "rate_limit_exceeded",
  "server_error",
  "timeout_error",
]);

/**
 * The error of a status that is not 2xx.
 *
 * @param response status and headers
 * @param body the beginning of the body
 */
export function statusFailure(response: Response, body: string): AgentError {
  const { status, headers } = response;
  const words = readWords(body);
  const retryAfterMs = readRetryAfterMs(headers);
  return AgentError.modelError(`HTTP ${status}${words === "" ? "" : `: ${words}`}`, {
    status,
    retryable: isRetryableStatus(status, body, headers.get("x-should-retry")),
    ...retryAfterMs === undefined ? {} : { retryAfterMs },
  });
}

/**
 * The error that an answer holds although its status was 200: in a stream that fails half-way, or from a gateway.
 *
 * @param error the value of the field `error`
 */
export function bodyFailure(error: unknown): AgentError {
  const record = readRecord(error);
  const words = wordsOf({ error }) ?? "the endpoint reports an error without words";
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
 * How long the server wants to be left alone, by the two headers in use, in milliseconds.
 *
 * @param headers headers, or an object with their names in lower case
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

/** What the server says, from the several shapes of error bodies, or the beginning of the body. */
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
    // Then the body is quoted as it is.
    return {};
  }
}

/** A proxy's page says as little as its tags: the text in it is enough. */
function withoutMarkup(body: string): string {
  return body.slice(0, 10 * MAX_WORDS).replace(/<(style|script)\b.*?<\/\1>/gis, " ")
    .replace(/<[^<>]*>/g, " ");
}
