/**
 * Converts the results of input handlers to responses.
 *
 * @module
 */

import { formatValue } from "@parley/internal/format-value";
import { isRecord } from "@parley/internal/json";
import {
  findResponseFault,
  type InputRequest,
  isInputResponse,
} from "../protocol/input_request.ts";
import { Method } from "../protocol/methods.ts";
import type { JsonObject } from "../shared/json.ts";

/** Required handler results, keyed by method. */
const REQUIRED_RESULTS = {
  [Method.Elicit]:
    'an object whose "action" is "accept", "decline" or "cancel", and whose "content" is an object if set',
  [Method.CreateMessage]: 'an object with "role", "model" and "content"',
  [Method.ListRoots]: 'an array of objects with a "uri"',
} as const;

/**
 * Returns a handler's result as a response. Throws if the result is not a valid response to the
 * request. Servers repeat an input request that has received no valid response.
 */
export function toResponse(
  name: string,
  request: InputRequest,
  response: unknown,
  returned: unknown = response,
): JsonObject {
  if (isInputResponse(request, response)) return { ...response };
  const fault = isRecord(response) ? findResponseFault(request, response) : undefined;
  if (fault !== undefined) {
    throw new TypeError(`"${name}" must return content that matches the form: ${fault}`);
  }
  const required = REQUIRED_RESULTS[request.method];
  throw new TypeError(`"${name}" must return ${required}, got ${formatValue(returned)}`);
}

/** Sets missing fields of an accepted form to the defaults in its schema. */
export function withDefaults(result: unknown, { properties }: JsonObject): unknown {
  if (!isRecord(result) || result.action !== "accept" || !isRecord(properties)) return result;
  const { content = {} } = result;
  if (!isRecord(content)) return result;
  const defaults = Object.entries(properties).flatMap(([name, property]) =>
    isRecord(property) && property.default !== undefined ? [[name, property.default]] : []
  );
  return { ...result, content: { ...Object.fromEntries(defaults), ...content } };
}
