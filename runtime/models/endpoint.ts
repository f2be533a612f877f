/**
 * Model API endpoints: URL, headers, limits, and secrets that error messages must not contain.
 *
 * @module
 */

import { assertCount, assertFunction, assertRecord } from "@parley/internal/assert-argument";
import { decodeBase64 } from "@parley/internal/base64";
import { formatValue } from "@parley/internal/format-value";
import { int32From } from "@parley/internal/option-checks";
import { type DefaultRule, type Settings, withDefault } from "@parley/internal/options";
import { formsOf, isHiddenIn } from "@parley/internal/secret-forms";

/**
 * The subset of `fetch` that the adapters use. Receives the URL and the options of a `POST`
 * request, whose body is JSON text.
 *
 * @see https://fetch.spec.whatwg.org/#fetch-method
 *
 * @example Count the requests of a model
 * ```ts
 * import { type Fetch, openAiChat } from "@parley/runtime/models";
 * import { assertEquals } from "@std/assert";
 *
 * let count = 0;
 * const counted: Fetch = (url, init) => {
 *   count++;
 *   return fetch(url, init);
 * };
 * openAiChat({ baseUrl: "http://127.0.0.1:11434/v1", model: "qwen3", fetch: counted });
 * assertEquals(count, 0); // Creating a model sends no request.
 * ```
 */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Header values, keyed by name. */
export type HeaderValues = Readonly<Record<string, string>>;

/**
 * Options that {@linkcode openAiResponses}, {@linkcode openAiChat}, {@linkcode anthropicMessages}
 * and {@linkcode googleGenerateContent} have in common.
 *
 * @example Send a new access token with each request
 * ```ts
 * import { anthropicMessages, type EndpointOptions } from "@parley/runtime/models";
 * import { assertEquals } from "@std/assert";
 *
 * const endpoint: EndpointOptions = {
 *   headers: async () => ({ authorization: `Bearer ${await Promise.resolve("a token")}` }),
 *   timeoutMs: 120_000,
 * };
 * const model = anthropicMessages({ model: "claude-sonnet-4-5", ...endpoint });
 * assertEquals(model.provider, "anthropic");
 * ```
 */
export interface EndpointOptions {
  /**
   * Headers to add to each request, for example for a gateway, or a function that returns the
   * headers, which is called for each request, for example for credentials that expire. If the
   * function throws, the call fails with a retryable error. Error messages do not contain values of
   * six or more characters. If omitted, no headers are added.
   */
  readonly headers?:
    | Readonly<Record<string, string>>
    | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);
  /** Function that sends the requests. Defaults to the global `fetch`. */
  readonly fetch?: Fetch;
  /**
   * Timeout for a request, including the response body, in milliseconds, from 1 to 2147483647.
   * After this time, the call fails with a retryable error.
   *
   * @default {600_000}
   */
  readonly timeoutMs?: number;
  /**
   * Maximum time that a streamed response may be silent, in milliseconds. After this time, the call
   * fails with a retryable error. Comments and ping events count as data. `0` disables the timeout.
   *
   * @default {300_000}
   */
  readonly idleTimeoutMs?: number;
  /**
   * Maximum size of a response, in bytes. A larger response fails with an error that is not
   * retryable.
   *
   * @default {16_777_216}
   */
  readonly maxResponseBytes?: number;
}

/** Asserts that a value contains headers, or is a function that returns them. */
function assertHeaders(name: string, value: unknown): void {
  if (typeof value !== "function") assertRecord(name, value);
}

/** Settings for an endpoint. */
type EndpointSettings = Settings<EndpointOptions, keyof EndpointOptions>;

/** Rules for the options for an endpoint. */
export const ENDPOINT_RULES: {
  readonly [Name in keyof EndpointSettings]: DefaultRule<EndpointSettings[Name]>;
} = {
  headers: withDefault({}, assertHeaders),
  fetch: withDefault((input, init) => fetch(input, init), assertFunction),
  timeoutMs: withDefault(600_000, int32From(1)),
  idleTimeoutMs: withDefault(300_000, int32From(0)),
  maxResponseBytes: withDefault(16_777_216, assertCount),
};

/** A validated endpoint. */
export interface Endpoint {
  readonly url: string;
  readonly host: string;
  readonly headers: HeaderValues;
  /** Returns further headers for a request. */
  readonly loadHeaders: (() => HeaderValues | Promise<HeaderValues>) | undefined;
  readonly secrets: readonly string[];
  readonly fetch: Fetch;
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly maxResponseBytes: number;
}

/**
 * Minimum length of a header value that is redacted as a secret. Short header values are not
 * redacted, because they may occur in a message by chance.
 */
const MIN_SECRET_LENGTH = 6;

/**
 * Creates an endpoint.
 *
 * @param url Complete URL for the operation.
 * @param own Headers that the adapter adds, such as credentials and API versions.
 * @param settings Settings of the endpoint.
 * @throws {TypeError} If a header is invalid.
 */
export function createEndpoint(
  url: URL,
  own: HeaderValues,
  { fetch, headers, idleTimeoutMs, maxResponseBytes, timeoutMs }: EndpointSettings,
): Endpoint {
  const isLoaded = typeof headers === "function";
  const fixed = isLoaded ? {} : headers;
  return {
    url: url.href,
    host: url.host,
    headers: mergeHeaders({ "content-type": "application/json" }, own, fixed),
    loadHeaders: isLoaded ? headers : undefined,
    secrets: [...secretsOf(own), ...secretsOf(fixed), ...querySecretsOf(url)],
    fetch,
    timeoutMs,
    idleTimeoutMs,
    maxResponseBytes,
  };
}

/**
 * Asserts that a value is the base URL of an API.
 *
 * @throws {TypeError} If the URL is invalid, does not use `http:` or `https:`, or contains
 * credentials.
 */
export function assertBaseUrl(name: string, value: unknown): void {
  const url = typeof value === "string" || value instanceof URL ? URL.parse(value) : null;
  if (url === null) {
    throw new TypeError(
      `"${name}" must be a URL such as "https://api.openai.com/v1", got ${formatUrl(value)}`,
    );
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new TypeError(`"${name}" must be an http or https URL, got scheme "${url.protocol}"`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new TypeError(`"${name}" must not contain a user name or password`);
  }
}

/**
 * Returns the URL for an operation.
 *
 * @param baseUrl Base URL of the API. A query string is preserved.
 * @param path Path to append to the base URL.
 */
export function toOperationUrl(baseUrl: string | URL, path: string): URL {
  const url = new URL(baseUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}${path}`;
  url.hash = "";
  return url;
}

/** Formats an invalid URL for an error message. Omits text that may contain a password or a key. */
function formatUrl(url: unknown): string {
  return typeof url === "string" && /[@?]/.test(url) ? "an invalid URL" : formatValue(url);
}

/**
 * Asserts that a value is a string. The error message does not contain the value, which may be
 * secret.
 */
export function assertApiKey(name: string, value: unknown): void {
  if (typeof value === "string") return;
  throw new TypeError(`"${name}" must be a string, got a value of type ${typeof value}`);
}

/**
 * Returns the key in `providerOptions` for the data that a server sends, such as signatures, and
 * that is sent back to it in later requests. The data of one server is not sent to another, because
 * servers reject signatures and fields that they do not know.
 *
 * @param endpoint Endpoint of the server.
 * @param provider Value of the `provider` option.
 * @param own The provider's own server, and its key.
 */
export function serverKeyOf(
  { host }: Endpoint,
  provider: string | undefined,
  own: { readonly host: string; readonly provider: string },
): string {
  return provider ?? (host === own.host ? own.provider : host);
}

/**
 * Asserts that a key is set if the endpoint is the provider's own server, which requires a key.
 *
 * @param apiKey Value of the `apiKey` option.
 * @param endpoint Endpoint to call.
 * @param host Host that requires a key.
 * @param headers Names of the headers that can contain the key.
 * @throws {TypeError} If the key is missing.
 */
export function assertKey(
  apiKey: string | undefined,
  endpoint: Endpoint,
  host: string,
  headers: readonly string[],
): void {
  const isSet = endpoint.loadHeaders !== undefined ||
    headers.some((name) => endpoint.headers[name] !== undefined);
  if (endpoint.host !== host || isSet) return;
  const actual = apiKey === undefined ? "undefined" : "an empty string";
  throw new TypeError(
    `"apiKey" must be the key for ${host}, got ${actual}; if the key is in an environment variable, check its name`,
  );
}

/**
 * Merges headers. Header names are case-insensitive, and later values replace earlier values.
 *
 * @throws {TypeError} If a name or value is invalid.
 */
export function mergeHeaders(...sources: readonly HeaderValues[]): HeaderValues {
  const headers = new Headers();
  for (const [name, value] of sources.flatMap((source) => Object.entries(source))) {
    try {
      headers.set(name, value);
    } catch {
      // The caught error is not set as the `cause`, because its message may contain the header
      // value, which may be secret.
      throw new TypeError(`Cannot set header "${name}": invalid name or value`);
    }
  }
  return Object.fromEntries(headers);
}

/**
 * Redacts an endpoint's secrets from a string: credentials, header values, and values in the URL's
 * query string. A secret is found as it is, escaped and encoded. A text that contains a secret in
 * another encoding is replaced.
 *
 * @param text Text of an error message.
 * @param endpoint Endpoint whose secrets are redacted.
 * @param headers Additional headers of the call.
 */
export function redact(text: string, endpoint: Endpoint, headers: HeaderValues = {}): string {
  const forms = [...endpoint.secrets, ...secretsOf(headers)]
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    .flatMap(formsOf)
    .sort((a, b) => b.length - a.length);
  const safe = forms.reduce(hideSecret, text);
  return isHiddenIn(safe, forms) ? "[text with a secret]" : safe;
}

function hideSecret(text: string, secret: string): string {
  let safe = text.replaceAll(secret, "[redacted]");
  // Text that was truncated before redaction might end with the beginning of a secret.
  for (let length = secret.length - 1; length >= MIN_SECRET_LENGTH; length--) {
    safe = safe.replaceAll(`${secret.slice(0, length)}…`, "[redacted]…");
  }
  return safe;
}

function secretsOf(headers: HeaderValues): string[] {
  return Object.values(headers).flatMap((value) => {
    const secret = value.trim().replace(/^(?:Bearer|Basic)\s+/i, "");
    return secret === value.trim() ? [secret] : [secret, ...passwordsOf(secret)];
  });
}

/** Returns the password in basic credentials, which a server may repeat without the user name. */
function passwordsOf(secret: string): readonly string[] {
  try {
    const credentials = new TextDecoder().decode(decodeBase64(secret));
    const colon = credentials.indexOf(":");
    return colon < 0 ? [] : [credentials.slice(colon + 1)];
  } catch {
    // Other credentials are not base64.
    return [];
  }
}

/** Returns the values in the query string. */
function querySecretsOf(url: URL): string[] {
  return [...url.searchParams.values()];
}
