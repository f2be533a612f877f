/**
 * Where a model is, how long and how much to listen to it, and what must not be told of the way there.
 *
 * @module
 */

import { formatValue } from "../shared/format_value.ts";
import { assertLimit } from "../shared/limits.ts";
import { MAX_TIMEOUT_MS } from "./deadline.ts";

/** The part of the platform's `fetch` that the models use. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** How to reach an endpoint. */
export interface EndpointOptions {
  /** Headers to add to each request, for example for a gateway. Their values never appear in an error. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What sends the requests. Default: the platform's `fetch`. */
  readonly fetch?: Fetch;
  /** How long one call may take in all, in milliseconds, up to 2147483647. Default: 600000, which is ten minutes. */
  readonly timeoutMs?: number;
  /** The largest answer, in bytes. Default: 16777216, which is 16 MiB. */
  readonly maxResponseBytes?: number;
}

/** Header values by name. */
export type HeaderValues = Readonly<Record<string, string>>;

/** An endpoint, looked at once. */
export interface Endpoint {
  readonly url: string;
  readonly host: string;
  readonly headers: HeaderValues;
  readonly secrets: readonly string[];
  readonly fetch: Fetch;
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
}

/** Shorter values are not worth hiding, and hiding them would garble every message. */
const MIN_SECRET_LENGTH = 6;

/**
 * Looks at where and how to send.
 *
 * @param url where, whole
 * @param own headers that the adapter adds: credentials and versions
 * @param options the caller's part
 * @throws {TypeError} if a header cannot be used
 * @throws {RangeError} if a limit cannot be used
 */
export function createEndpoint(url: URL, own: HeaderValues, options: EndpointOptions): Endpoint {
  const { headers = {}, timeoutMs = 600_000, maxResponseBytes = 16_777_216 } = options;
  assertLimit("timeoutMs", timeoutMs, 1, MAX_TIMEOUT_MS);
  assertLimit("maxResponseBytes", maxResponseBytes, 1);
  return {
    url: url.href,
    host: url.host,
    headers: mergeHeaders({ "content-type": "application/json" }, own, headers),
    secrets: [...secretsOf(own), ...secretsOf(headers), ...querySecretsOf(url)],
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    timeoutMs,
    maxResponseBytes,
  };
}

/**
 * The URL of one operation.
 *
 * @param baseUrl the interface's root; a query in it is kept
 * @param path what to add to it
 * @throws {TypeError} if it cannot be used
 */
export function toOperationUrl(baseUrl: string | URL, path: string): URL {
  if (!URL.canParse(baseUrl)) throw new TypeError('"baseUrl" must be a valid URL');
  const url = new URL(baseUrl);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new TypeError(`"baseUrl" must be an http or https URL, got scheme "${url.protocol}"`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new TypeError('"baseUrl" must not contain a user name or password');
  }
  url.pathname = `${url.pathname.replace(/\/+$/, "")}${path}`;
  url.hash = "";
  return url;
}

/**
 * Checks a model's name.
 *
 * @throws {TypeError} if there is none
 */
export function assertModelName(model: string): void {
  if (typeof model !== "string" || model === "") {
    throw new TypeError(`"model" must be a non-empty string, got ${formatValue(model)}`);
  }
}

/**
 * All headers in one; later ones win, whatever their case.
 *
 * @throws {TypeError} if one cannot be used
 */
export function mergeHeaders(...sources: readonly HeaderValues[]): HeaderValues {
  const headers = new Headers();
  for (const [name, value] of sources.flatMap((source) => Object.entries(source))) {
    try {
      headers.set(name, value);
    } catch {
      // The platform's own error may quote the value, which may be a secret.
      throw new TypeError(`Cannot set header "${name}": invalid name or value`);
    }
  }
  return Object.fromEntries(headers);
}

/**
 * Text without the endpoint's secrets: credentials, header values, values in the URL's query.
 *
 * @param text what is to be told
 * @param endpoint the endpoint
 * @param headers the headers of one call
 */
export function redact(text: string, endpoint: Endpoint, headers: HeaderValues = {}): string {
  return [...endpoint.secrets, ...secretsOf(headers)]
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    .sort((a, b) => b.length - a.length)
    .reduce(hideSecret, text);
}

function hideSecret(text: string, secret: string): string {
  let safe = text.replaceAll(secret, "[redacted]");
  // A quotation that was cut short may end within the secret.
  for (let length = secret.length - 1; length >= MIN_SECRET_LENGTH; length--) {
    safe = safe.replaceAll(`${secret.slice(0, length)}…`, "[redacted]…");
  }
  return safe;
}

function secretsOf(headers: HeaderValues): string[] {
  return Object.values(headers).map((value) => value.trim().replace(/^(?:Bearer|Basic)\s+/i, ""));
}

/** The values in the query, as they are and as error messages show them. */
function querySecretsOf(url: URL): string[] {
  return [...url.searchParams.values()].flatMap((value) => [value, encodeURIComponent(value)]);
}
