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
import { readRetryAfter } from "@parley/internal/retry-after";

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
  "ABORTED",
  "DEADLINE_EXCEEDED",
  "INTERNAL",
  "RESOURCE_EXHAUSTED",
  "UNAVAILABLE",
  "api_error",
  "internal_server_error",
  "overloaded_error",
  "rate_limit_error",
  "rate_limit_exceeded",
  "server_error",
  "server_is_overloaded",
  "slow_down",
  "timeout_error",
  "vector_store_timeout",
]);

/** Fields that contain the error or its message, in lowercase, in order of preference. */
const WORD_FIELDS = [
  "error_description",
  "error",
  "message",
  "msg",
  "error_msg",
  "error_message",
  "status_msg",
  "detail",
  "errors",
  "base_resp",
  "fault",
  "faultstring",
];

/** Maximum depth of the message in an error body. */
const MAX_WORD_DEPTH = 4;

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
  const retryAfterMs = readRetryAfterMs(headers) ?? readRetryInfoMs(errorIn(body));
  const remedy = remedyFor(status, target) || remedyForWords(words);
  const reason = `HTTP ${status}${words === "" ? "" : `: ${words}`}${remedy}`;
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
 * Returns a hint for an error that the server's message identifies, or an empty string. OpenAI's
 * reasoning models accept tools only in the Responses API, and its other models reject requests for
 * encrypted reasoning.
 */
function remedyForWords(words: string): string {
  if (/\btools?\b/i.test(words) && words.includes("/v1/responses")) {
    return '; use openAiResponses(), or set the "reasoning" option to "none"';
  }
  return /encrypted.content/i.test(words) && words.includes("not supported")
    ? '; set "encryptedReasoning" to false'
    : "";
}

/**
 * Returns the error that a body reports instead of a response, or `undefined` if the body contains
 * neither an error nor a message.
 *
 * @param body Body of a response with status 200.
 */
export function readBodyFailure(body: WireObject): AgentError | undefined {
  return isFailure(body.error) || wordsOf(body) !== undefined ? bodyFailure(body) : undefined;
}

/** Returns `false` for an empty error, which some servers send with each response. */
export function isFailure(error: unknown): boolean {
  return isRecord(error) ? Object.keys(error).length > 0 : Boolean(error);
}

/**
 * Creates the error for a failure reported in the body of a response with status 200, for example
 * in a stream or by a gateway.
 *
 * @param error The body, or the error in it.
 */
export function bodyFailure(error: unknown): AgentError {
  const levels = levelsOf(error);
  const [inner = {}] = levels;
  const words = wordsOf(error) ??
    (levels.length > 0
      ? JSON.stringify(inner)
      : "the endpoint reported an error without a message");
  const status = levels.flatMap(({ code, status }) => [code, status]).map(Number).find(isStatus);
  const types = levels.flatMap(({ type, code, status, error_code }) => {
    return [type, code, status, error_code].map(String);
  });
  const retryable = status === undefined
    ? types.some((type) => TRANSIENT_TYPES.has(type))
    : isTransient(status) && !types.some((type) => QUOTA_CODES.has(type));
  return AgentError.modelError(clip(words, MAX_WORDS), {
    retryable: retryable && !levels.some(isDailyQuota),
    ...defined({ retryAfterMs: levels.map(readRetryInfoMs).find((ms) => ms !== undefined) }),
    ...defined({ status }),
  });
}

/** Returns the objects that contain each other as `error`, from the inside to the outside. */
function levelsOf(error: unknown, depth: number = MAX_WORD_DEPTH): readonly WireObject[] {
  const record = Array.isArray(error) ? error[0] : error;
  if (!isRecord(record) || depth === 0) return [];
  return [...levelsOf(record.error, depth - 1), record];
}

function isStatus(value: number): boolean {
  return Number.isInteger(value) && value >= 400 && value < 600;
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
  return readRetryAfter(value);
}

/**
 * Returns the retry delay in the details of a Google API error (`RetryInfo`), in milliseconds.
 *
 * @see https://google.aip.dev/193
 */
function readRetryInfoMs(error: unknown): number | undefined {
  for (const { retryDelay } of detailsOf(error)) {
    const [, seconds] = /^(\d+(?:\.\d+)?)s$/.exec(String(retryDelay)) ?? [];
    if (seconds !== undefined) return Number(seconds) * 1000;
  }
  return undefined;
}

/**
 * Returns true if a Google API error reports that a quota per day is exhausted (`QuotaFailure`).
 * The server also sends a retry delay of some seconds, which does not apply to this quota.
 */
function isDailyQuota(error: unknown): boolean {
  return detailsOf(error).flatMap(({ violations }) => Array.isArray(violations) ? violations : [])
    .some((violation) => String(readRecord(violation).quotaId).includes("PerDay"));
}

function detailsOf(error: unknown): WireObject[] {
  const { details } = readRecord(error);
  return Array.isArray(details) ? details.map(readRecord) : [];
}

function isRetryableStatus(status: number, body: string, advice: string | null): boolean {
  if (advice === "true" || advice === "false") return advice === "true";
  return isTransient(status) && ![...QUOTA_CODES].some((code) => body.includes(`"${code}"`)) &&
    !isDailyQuota(errorIn(body));
}

function isTransient(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

/**
 * Returns the error message from a response body in a common error format. For a body in an unknown
 * format, returns the beginning of the body.
 */
function readWords(body: string): string {
  const value = parseLoosely(body);
  const { error } = readRecord(value);
  const words = wordsOf(value) ?? (isRecord(error) ? JSON.stringify(error) : undefined);
  return clip(words ?? withoutMarkup(body), MAX_WORDS);
}

/** Returns the message in an error: text, or an object or a list that contains an error. */
function wordsOf(error: unknown, depth: number = MAX_WORD_DEPTH): string | undefined {
  if (typeof error === "string" || depth === 0) return readText(error);
  if (Array.isArray(error)) return wordsOf(error[0], depth - 1);
  const record = readRecord(error);
  const fields = new Map(
    Object.entries(record).map(([name, value]) => [name.toLowerCase(), value]),
  );
  for (const field of WORD_FIELDS) {
    const words = wordsOf(fields.get(field), depth - 1);
    if (words !== undefined) return [words, ...upstreamWords(record)].join(": ");
  }
  return undefined;
}

/** Returns the words of the server behind a gateway (OpenRouter), as JSON or text. */
function upstreamWords({ metadata }: WireObject): readonly string[] {
  const raw = readText(readRecord(metadata).raw);
  return raw === undefined ? [] : [wordsOf(parseLoosely(raw)) ?? raw];
}

/** Returns the error in a body. Some servers send the object with the error in an array. */
function errorIn(body: string): unknown {
  const value = parseLoosely(body);
  return readRecord(Array.isArray(value) ? value[0] : value).error;
}

function parseLoosely(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // A body that is not JSON is quoted unchanged.
    return undefined;
  }
}

/** Removes the markup from a proxy's HTML error page. */
function withoutMarkup(body: string): string {
  return truncate(body, 10 * MAX_WORDS).replace(/<(style|script)\b.*?<\/\1>/gis, " ")
    .replace(/<[^<>]*>/g, " ");
}
