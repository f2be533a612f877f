/**
 * Rules on the ids of requests and responses, and on the requests to which notifications refer.
 *
 * @module
 */

import { show } from "../kit/match_value.ts";
import { type Dialogue, paramsOf, type Seen } from "./dialogue.ts";

const MODERN = "2026-07-28";

/**
 * Finds violations of the rules on ids: a request has a new id, and each request has one response.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic#messages
 */
export function findIdProblems(seen: Seen, dialogue: Dialogue): readonly string[] {
  if (seen.kind === "response") return findResponseProblems(seen, dialogue);
  if (seen.kind === "request") return findRequestProblems(seen);
  return seen.message.method === "notifications/cancelled"
    ? findCancellationProblems(seen, dialogue)
    : [];
}

function findResponseProblems(
  { message, asked, answers }: Seen,
  { hasMalformed, isPartial }: Dialogue,
): readonly string[] {
  if (asked === undefined && isPartial) return [];
  const isError = "error" in message;
  if (asked === undefined) {
    // The id of a message that cannot be read is unknown, and a JSON-RPC error then has none.
    const mayBeUnknown = isError && (hasMalformed || (message.id ?? null) === null);
    return mayBeUnknown ? [] : [`a response to no request: ${show(message, 200)}`];
  }
  if (answers === 0 || asked.isRepeated) return [];
  return [`response ${answers + 1} to one request "${asked.method}": ${show(message, 200)}`];
}

function findRequestProblems({ message, asked, exchange, version }: Seen): readonly string[] {
  const { id, method } = message;
  const call = `the request "${String(method)}"`;
  if (typeof method === "string" && method.startsWith("notifications/")) {
    return [`a notification with the id ${show(id)}: ${show(message, 200)}`];
  }
  if (typeof id !== "string" && !Number.isInteger(id)) return [`${call} has the id ${show(id)}`];
  if (asked?.isRepeated !== true) return [];
  const { inputResponses, requestState } = paramsOf(message);
  const isRetry = inputResponses !== undefined || requestState !== undefined;
  if (version === MODERN && !isRetry) return [];
  // Over HTTP, a client can send a request again that had no response, for example without a token.
  return exchange !== undefined ? [] : [`${call} has the id ${show(id)} of an earlier request`];
}

function findCancellationProblems(
  { message, from, version }: Seen,
  dialogue: Dialogue,
): readonly string[] {
  const { requestId } = paramsOf(message);
  const isServer = from !== dialogue.client;
  const other = from === "kit" ? "subject" : "kit";
  if (version === MODERN && isServer) {
    const asked = dialogue.askedWithId(other, requestId);
    if (asked === undefined || asked.method === "subscriptions/listen") return [];
    return [`the server cancelled the request "${asked.method}"`];
  }
  const asked = dialogue.askedWithId(from, requestId);
  if (asked === undefined && dialogue.isRenewed) return [];
  if (asked === undefined) return [`a cancellation of no request: ${show(message, 200)}`];
  return asked.method === "initialize" && !isServer ? ["the client cancelled initialize"] : [];
}

/**
 * Finds violations of the rules on progress: it refers to a request that is running, and increases.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress
 */
export function findProgressProblems(
  { message, asked, answers, progress: last, exchange, version }: Seen,
): readonly string[] {
  const { progressToken, progress } = paramsOf(message);
  if (asked === undefined) return [`progress for an unknown token: ${show(progressToken, 100)}`];
  const isOnItsStream = exchange === asked.exchange;
  if (answers > 0 && !asked.isLasting && isOnItsStream) {
    return [`progress after the response to "${asked.method}": ${show(message, 200)}`];
  }
  if (version === MODERN && !isOnItsStream && exchange !== undefined) {
    return [`progress on the stream of another request: ${show(message, 200)}`];
  }
  if (typeof progress === "number" && progress <= last) {
    return [`progress ${progress} after progress ${last}`];
  }
  return [];
}
