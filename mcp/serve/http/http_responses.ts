/**
 * Responses that servers make.
 *
 * @module
 */

import type { HttpResponse } from "../../shared/http_types.ts";

export type { HttpRequest, HttpResponse } from "../../shared/http_types.ts";

/** A response that says nothing more than that the message was taken. */
export const ACCEPTED: HttpResponse = { status: 202, headers: {}, body: null };

/** A response with a JSON text. */
export function jsonResponse(status: number, body: string): HttpResponse {
  return { status, headers: { "content-type": "application/json" }, body };
}
