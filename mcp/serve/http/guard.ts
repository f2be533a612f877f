/**
 * What an HTTP request has to pass before its body is looked at: where it comes from, what it is, how large it is.
 *
 * @module
 */

import type { HttpRequest, HttpResponse } from "../../shared/http_types.ts";
import { transportErrorResponse } from "./http_responses.ts";

/** Who may reach the server. */
export interface HttpGuardOptions {
  /**
   * Names in the `Host` header that the server answers to, without the port; `"any"` for all. Default: the names of this
   * machine to itself (`localhost`, `127.0.0.1`, `[::1]`), so that no web page can reach a local server by a name that
   * leads to it.
   */
  readonly allowedHosts?: readonly string[] | "any";
  /**
   * Origins of web pages that may use the server, such as `https://app.example`; `"any"` for all. They get CORS headers.
   * Default: none but pages of the allowed hosts themselves, which need no CORS.
   */
  readonly allowedOrigins?: readonly string[] | "any";
  /** How large a body may be, in bytes. Default 4 MiB. */
  readonly maxBodyBytes?: number;
}

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/**
 * Refuses a request that a web page may have sent by a trick.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#security-%26-endpoint Security}
 */
export function checkHostAndOrigin(
  { headers, url }: HttpRequest,
  options: HttpGuardOptions,
): HttpResponse | undefined {
  const { allowedHosts = LOOPBACK, allowedOrigins = [] } = options;
  const host = headers.get("host") ?? new URL(url).host;
  if (!isAllowedHost(host, allowedHosts)) {
    return transportErrorResponse(403, 'Forbidden: the Host header is not in "allowedHosts"');
  }
  const origin = headers.get("origin");
  if (origin === null || allowedOrigins === "any" || allowedOrigins.includes(origin)) return;
  if (allowedHosts !== "any" && isAllowedHost(hostOf(origin), allowedHosts)) return;
  return transportErrorResponse(403, 'Forbidden: the Origin header is not in "allowedOrigins"');
}

function isAllowedHost(host: string | undefined, allowed: readonly string[] | "any"): boolean {
  if (allowed === "any") return true;
  const name = host?.replace(/:\d*$/, "").toLowerCase();
  return name !== undefined && allowed.includes(name);
}

function hostOf(origin: string): string | undefined {
  try {
    return new URL(origin).host;
  } catch {
    return undefined;
  }
}

/** The headers that let a page of an allowed origin read the response; undefined for whoever is none. */
export function corsHeaders(
  { headers }: HttpRequest,
  { allowedOrigins }: HttpGuardOptions,
): Readonly<Record<string, string>> | undefined {
  if (allowedOrigins === undefined) return undefined;
  const origin = headers.get("origin");
  if (origin === null) return undefined;
  if (allowedOrigins !== "any" && !allowedOrigins.includes(origin)) return undefined;
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "Mcp-Session-Id, WWW-Authenticate",
    "vary": "Origin",
  };
}

/** The answer to a browser that asks before it sends. */
export function preflight(request: HttpRequest, options: HttpGuardOptions): HttpResponse {
  const headers = corsHeaders(request, options);
  if (headers === undefined) return transportErrorResponse(405, "Method not allowed");
  const wanted = request.headers.get("access-control-request-headers") ?? "content-type";
  return {
    status: 204,
    headers: {
      ...headers,
      "access-control-allow-methods": "POST, GET, DELETE",
      "access-control-allow-headers": wanted,
      "access-control-max-age": "86400",
    },
    body: null,
  };
}

/** The body as text, or why not. */
export async function readBody(
  request: HttpRequest,
  { maxBodyBytes = MAX_BODY_BYTES }: HttpGuardOptions,
): Promise<string | HttpResponse> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json\s*(?:;|$)/i.test(type)) {
    return transportErrorResponse(
      415,
      "Unsupported media type: Content-Type must be application/json",
    );
  }
  const length = request.headers.get("content-length");
  if (length !== null && !(Number(length) <= maxBodyBytes)) return tooLarge(maxBodyBytes);
  try {
    if (length !== null) {
      // A server hands out no more than the announced length; whatever stands before it may have unpacked the body.
      const text = await request.text();
      return text.length > Number(length) ? tooLarge(maxBodyBytes) : text;
    }
    return await readCapped(request.body, maxBodyBytes) ?? tooLarge(maxBodyBytes);
  } catch {
    return transportErrorResponse(400, "Request body ended unexpectedly");
  }
}

function tooLarge(maxBytes: number): HttpResponse {
  return transportErrorResponse(
    413,
    `Payload too large: maximum is ${maxBytes} bytes`,
  );
}

async function readCapped(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<string | undefined> {
  if (body === null) return "";
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let length = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    length += next.value.length;
    if (length > maxBytes) {
      await reader.cancel();
      return undefined;
    }
    text += decoder.decode(next.value, { stream: true });
  }
  return text + decoder.decode();
}
