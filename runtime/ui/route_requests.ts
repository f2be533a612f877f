/**
 * Reads and checks the requests for sessions.
 *
 * @module
 */

import { readRequestBody } from "../shared/request_body.ts";
import { readId } from "./read_turn.ts";

/** A request that is rejected with a status and a code. */
export class Refusal extends Error {
  readonly response: Response;

  constructor(status: number, code: string, details: object = {}, headers: HeadersInit = {}) {
    super(code);
    this.response = Response.json({ code, ...details }, { status, headers });
  }
}

/** @throws {Refusal} With status 405 if a request has another method. */
export function allow(request: Request, method: "GET" | "POST"): void {
  if (request.method === method) return;
  throw new Refusal(405, "method_not_allowed", {}, { allow: method });
}

/** @throws {Refusal} With status 400 if the id is not valid. */
export function readSessionId(encoded: string): string {
  try {
    return readId("sessionId", decodeURIComponent(encoded));
  } catch {
    throw invalidSessionId();
  }
}

/** Returns the response to an id that is not valid. */
export function invalidSessionId(): Refusal {
  return new Refusal(400, "invalid_request", { message: "the session id is not valid" });
}

/**
 * Rejects requests that a page of another site may have sent with the cookies of the user. A
 * browser sends a form, and a request without a body or with plain text, without asking the server
 * first. It asks for the type JSON, and adds `Sec-Fetch-Site` or `Origin` to all of these requests.
 *
 * @param canOmitType Whether the content type is optional for a page of the same origin, and for
 * programs other than browsers.
 * @throws {Refusal} With status 403 for a request from another site, and with status 415 for
 * another content type.
 */
export function assertNotForged({ headers, url }: Request, canOmitType = false): void {
  const site = headers.get("sec-fetch-site");
  if (site === "cross-site") throw new Refusal(403, "forbidden");
  const type = headers.get("content-type");
  if (type?.split(";", 1)[0]?.trim().toLowerCase() === "application/json") return;
  const isSameOrigin = site === null
    ? isFrom(headers.get("origin"), url)
    : site === "same-origin" || site === "none";
  if (canOmitType && type === null && isSameOrigin) return;
  throw new Refusal(415, "unsupported_media_type");
}

/** Returns true if a request has no origin, or the host to which it was sent. */
function isFrom(origin: string | null, url: string): boolean {
  if (origin === null) return true;
  // The scheme can differ behind a proxy. The origin of an isolated page is "null".
  return URL.canParse(origin) && new URL(origin).host === new URL(url).host;
}

/**
 * Reads a JSON body.
 *
 * @throws {Refusal} If the content type is not JSON, or the body is too large or not JSON.
 */
export async function readBody(request: Request, maxBytes: number): Promise<unknown> {
  assertNotForged(request);
  const body = await readRequestBody(request, maxBytes);
  if ("failure" in body) {
    if (body.failure === "too_large") throw new Refusal(413, "too_large", { maxBytes });
    throw new Refusal(400, "invalid_request", { message: "the body cannot be read" });
  }
  try {
    return JSON.parse(body.text);
  } catch {
    throw new Refusal(400, "invalid_request", { message: "the body is not JSON" });
  }
}
