/**
 * Rules on the HTTP responses of servers.
 *
 * @module
 */

import { isObject, readJson } from "../kit/json.ts";
import { show } from "../kit/match_value.ts";
import { hasVersion } from "./dialogue.ts";
import type { HttpFacts } from "./http_facts.ts";
import type { RecordProblems } from "./message_rules.ts";

/** Characters that a session id can contain. */
const SESSION_ID = /^[\x21-\x7e]+$/;

/** Checks the status and the headers of a server's response. */
export function checkResponseHead(exchange: HttpFacts, record: RecordProblems): void {
  const { request: { method }, status, isStream } = exchange;
  if (method === "POST") record("http-status", findStatusProblems(exchange));
  if (method === "GET" && status < 300 && !isStream) {
    record("http-status", [`the status ${status} without an event stream for a GET request`]);
  }
  const session = exchange.headers["mcp-session-id"];
  if (session !== undefined) record("http-session-id", findSessionProblems(exchange, session));
}

/** Checks the body of a server's response that is not an event stream. */
export function checkResponseBody(
  { request, sent, status, headers }: HttpFacts,
  body: Uint8Array,
  record: RecordProblems,
): void {
  const text = new TextDecoder().decode(body);
  if (status === 202 && body.length > 0) {
    record("http-status", [`the status 202 with the body ${show(text, 100)}`]);
  }
  const ofError = findErrorStatusProblems({ sent, status }, text);
  if (ofError !== undefined) record("http-status", ofError);
  const isEmpty = request.method === "POST" && status === 200 && text.trim() === "";
  if (isEmpty && isCall(sent) && isJson(headers)) {
    record("http-status", [`no body for ${show(sent, 100)}`]);
  }
}

/**
 * Finds modern errors whose HTTP status differs from the status that the specification demands.
 * Returns `undefined` for other responses.
 *
 * @see
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#request-metadata
 */
function findErrorStatusProblems(
  { sent, status }: Pick<HttpFacts, "sent" | "status">,
  text: string,
): readonly string[] | undefined {
  const value = readJson(text)?.value;
  const code = isObject(value) && isObject(value.error) ? value.error.code : undefined;
  const expected = ERROR_STATUSES.get(code);
  if (expected === undefined || !isObject(sent) || !hasVersion(sent)) return undefined;
  return status === expected
    ? []
    : [`the status ${status} for an error with the code ${String(code)}`];
}

/** Status of each error that the transport defines. */
const ERROR_STATUSES: ReadonlyMap<unknown, number> = new Map([
  [-32601, 404],
  [-32020, 400],
  [-32021, 400],
  [-32022, 400],
]);

/**
 * Finds violations of the rules on statuses: 202 for an accepted notification, and JSON or an event
 * stream for a request.
 *
 * @see
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server
 */
function findStatusProblems({ sent, status, headers, isStream }: HttpFacts): readonly string[] {
  if (status >= 300) return [];
  const messages: readonly unknown[] = Array.isArray(sent) ? sent : [sent];
  if (messages.length === 0 || !messages.every(isMessage)) return [];
  if (!messages.some(isCall)) {
    return status === 202 ? [] : [`the status ${status} for ${show(sent, 100)}`];
  }
  if (status === 202 || status === 204) return [`the status ${status} for ${show(sent, 100)}`];
  if (isJson(headers) || isStream) return [];
  return [`the content type ${show(headers["content-type"])} for ${show(sent, 100)}`];
}

/**
 * Finds violations of the rules on session ids: visible ASCII characters, assigned in the response
 * to `initialize` and unchanged afterwards.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
 */
function findSessionProblems(
  { request, sent, status }: HttpFacts,
  session: string,
): readonly string[] {
  if (!SESSION_ID.test(session)) return [`the session id ${show(session)}`];
  const known = request.headers["mcp-session-id"];
  const isOpening = isObject(sent) && sent.method === "initialize";
  if (isOpening || status >= 300 || known === session) return [];
  // A server without sessions can name one in each response.
  return known === undefined ? [] : [`the session id ${show(session)} in the session ${known}`];
}

function isMessage(value: unknown): boolean {
  return isObject(value) && value.jsonrpc === "2.0" &&
    ("method" in value || "result" in value || "error" in value);
}

function isCall(value: unknown): boolean {
  return isObject(value) && "method" in value && "id" in value;
}

function isJson(headers: Readonly<Record<string, string>>): boolean {
  return /^application\/json\s*(;|$)/i.test(headers["content-type"] ?? "");
}
