/**
 * Received HTTP requests: checks of the headers, and the body.
 *
 * @module
 */

import { readBody, type ReadBodyOptions } from "../shared/read_body.ts";

/** Creates a response with a text. */
export function respond(status: number, text: string, headers: HeadersInit = {}): Response {
  return new Response(text, { status, headers });
}

const MESSAGE_TYPE = /^application\/json\s*(?:;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/gi;

/**
 * Returns the response to a request that cannot contain a message, or `undefined` if the method and
 * the headers are valid. JSON is encoded in UTF-8 (RFC 8259 §8.1), and a body with a content coding
 * is not decoded.
 */
export function rejectHeaders({ method, headers }: Request): Response | undefined {
  if (method !== "POST") return respond(405, "Method not allowed", { allow: "POST" });
  const type = headers.get("content-type") ?? "";
  if (!MESSAGE_TYPE.test(type)) {
    return respond(415, "Unsupported media type: expected application/json");
  }
  const charsets = Array.from(type.matchAll(CHARSET), ([, charset = ""]) => charset);
  if (!charsets.every((charset) => /^(?:utf-?8|us-ascii)$/i.test(charset))) {
    return respond(415, "Unsupported media type: expected charset utf-8");
  }
  const coding = headers.get("content-encoding") ?? "identity";
  if (coding.trim().toLowerCase() !== "identity") {
    return respond(415, "Unsupported media type: expected no content coding");
  }
  return undefined;
}

/** Reads the body of a request. If it cannot be read, returns the response to the request. */
export async function readRequest(
  { headers, body }: Request,
  options: ReadBodyOptions,
): Promise<Uint8Array | Response> {
  const { maxBytes, signal } = options;
  const tooLarge = `Payload too large: maximum is ${maxBytes} bytes`;
  if (Number(headers.get("content-length") ?? 0) > maxBytes) return respond(413, tooLarge);
  try {
    return await readBody(body, options) ?? respond(413, tooLarge);
  } catch {
    // The body did not arrive in time, or the client has disconnected and will not read a response.
    return signal.aborted
      ? respond(408, "Request timeout")
      : respond(400, "Bad request: incomplete body");
  }
}
