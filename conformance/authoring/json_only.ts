/**
 * Finds expectations that accept the response to a request only as JSON. If the client accepts an
 * event stream, a server can respond with one instead.
 *
 * @module
 */

import type { Case, WireStep } from "../kit/case.ts";
import type { HttpCall } from "../kit/http_message.ts";
import { isObject, readJson } from "../kit/json.ts";

/** Returns the places of such expectations in an exchange case, such as `steps[3]`. */
export function findJsonOnly(each: Case): readonly string[] {
  if (each.kind !== "exchange") return [];
  return each.steps.flatMap((step, index) => isJsonOnly(step) ? [`steps[${index}]`] : []);
}

function isJsonOnly(step: WireStep): boolean {
  if ("steps" in step) return step.steps.some(isJsonOnly);
  if (!("http" in step) || !isObject(step.expect)) return false;
  const { json, status } = step.expect;
  return json !== undefined && !isRejection(status) && canBeStreamed(step.http);
}

/** A response with an error status is JSON, or has no JSON-RPC message. */
function isRejection(status: unknown): boolean {
  const range = isObject(status) ? status.$num : undefined;
  const least = isObject(range) ? range.min : status;
  return typeof least === "number" && least >= 400;
}

/** Returns true if a message is a request, and the client accepts an event stream. */
function canBeStreamed({ method, headers, body, bodyText }: HttpCall): boolean {
  const message = body ?? readJson(bodyText ?? "")?.value;
  const accept = JSON.stringify(headers?.accept ?? "");
  return method === "POST" && isObject(message) && "method" in message && "id" in message &&
    accept.includes("text/event-stream");
}
