/**
 * HTTP request checks that run before the body is read: host and origin.
 *
 * @module
 */

import { rejectArgument } from "@parley/internal/assert-argument";
import { formatValue } from "@parley/internal/format-value";
import { int32From } from "@parley/internal/option-checks";
import {
  type DefaultRule,
  type OptionCheck,
  type Settings,
  withDefault,
} from "@parley/internal/options";
import type { HttpRequest, HttpResponse } from "../../shared/http_types.ts";
import { transportErrorResponse } from "./http_responses.ts";

/** Allowed hosts and origins, and the body limit. */
export interface HttpGuardOptions {
  /**
   * Host names accepted in the `Host` header, without a port. `"any"` accepts all hosts. If
   * omitted, only loopback names are accepted (`localhost`, `127.0.0.1`, `[::1]`), which prevents
   * DNS rebinding attacks on local servers.
   */
  readonly allowedHosts?: readonly string[] | "any";
  /**
   * Origins of web pages that may use the server, such as `https://app.example`. `"any"` accepts
   * all origins. Responses to allowed origins include CORS headers. If omitted, only pages served
   * from the allowed hosts may use the server.
   */
  readonly allowedOrigins?: readonly string[] | "any";
  /**
   * Maximum size of a request body, in bytes. If the received parts of bodies with more than 65,536
   * bytes exceed 32 times `maxBodyBytes` in total, the oldest of these requests is rejected with
   * HTTP 503. A body that is not received within two minutes is rejected with HTTP 408.
   *
   * @default {4_194_304}
   */
  readonly maxBodyBytes?: number;
}

/** Options of the guard after reading. */
export type GuardSettings = Settings<HttpGuardOptions, "allowedHosts" | "maxBodyBytes">;

/** Host names that are accepted by default. */
const LOOPBACK: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Rules for the options of the guard. A list that is neither an array nor `"any"` is a `TypeError`,
 * and so is an entry in an unsupported form, which would never match a request.
 */
export const GUARD_RULES: {
  readonly allowedHosts: DefaultRule<readonly string[] | "any">;
  readonly allowedOrigins: OptionCheck;
  readonly maxBodyBytes: DefaultRule<number>;
} = {
  allowedHosts: withDefault<readonly string[] | "any">(
    LOOPBACK,
    entriesOf({
      form: "a host name without a scheme, port or wildcard",
      normalize: (entry) => `${urlOf(`http://${entry}`)?.hostname}`,
    }),
  ),
  allowedOrigins: entriesOf({
    form: "an origin such as https://app.example, without a path or wildcard",
    normalize: (entry) => `${urlOf(entry)?.origin}`,
  }),
  maxBodyBytes: withDefault(4 * 1024 * 1024, int32From(1)),
};

/** Returns settings whose lists the program cannot change any more. */
export function withCopiedLists<Guard extends GuardSettings>(settings: Guard): Guard {
  const { allowedHosts, allowedOrigins } = settings;
  return {
    ...settings,
    allowedHosts: copyList(allowedHosts),
    allowedOrigins: allowedOrigins && copyList(allowedOrigins),
  };
}

function copyList(list: readonly string[] | "any"): readonly string[] | "any" {
  return list === "any" ? list : [...list];
}

/** Required form of the entries in a list. */
interface EntryForm {
  readonly form: string;
  /** Normalizes an entry for comparison with request headers. */
  readonly normalize: (entry: string) => string;
}

/** Returns a check for a list of entries in the required form, or `"any"`. */
function entriesOf({ form, normalize }: EntryForm): OptionCheck {
  return (name, list) => {
    if (list === "any") return;
    if (!Array.isArray(list)) rejectArgument(name, 'an array of strings or "any"', list);
    for (const [index, entry] of list.entries()) {
      if (typeof entry === "string" && normalize(entry) === entry && !entry.includes("*")) continue;
      rejectArgument(`${name}[${index}]`, form, entry);
    }
  };
}

/**
 * Checks the `Host` and `Origin` headers to prevent DNS rebinding attacks. Returns an error
 * response if the request is rejected, otherwise `undefined`.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#security-%26-endpoint Security}
 */
export function checkHostAndOrigin(
  { headers, url }: HttpRequest,
  { allowedHosts, allowedOrigins = [] }: GuardSettings,
): HttpResponse | undefined {
  const host = headers.get("host") ?? new URL(url).host;
  if (!isAllowedHost(host, allowedHosts)) {
    return transportErrorResponse(
      403,
      `Forbidden: host ${formatValue(host)} is not in "allowedHosts"`,
    );
  }
  const origin = headers.get("origin");
  if (origin === null || allowedOrigins === "any" || allowedOrigins.includes(origin)) return;
  if (allowedHosts !== "any" && isAllowedHost(urlOf(origin)?.host, allowedHosts)) return;
  return transportErrorResponse(
    403,
    `Forbidden: origin ${formatValue(origin)} is not in "allowedOrigins"`,
  );
}

function isAllowedHost(host: string | undefined, allowed: readonly string[] | "any"): boolean {
  if (allowed === "any") return true;
  const name = host?.replace(/:\d*$/, "").toLowerCase();
  return name !== undefined && allowed.includes(name);
}

function urlOf(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** Returns the CORS headers for a request from an allowed origin, otherwise `undefined`. */
export function corsHeaders(
  { headers }: HttpRequest,
  { allowedOrigins }: GuardSettings,
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

/** Handles a CORS preflight request. */
export function preflight(request: HttpRequest, options: GuardSettings): HttpResponse {
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
