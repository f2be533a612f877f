/**
 * Headers and query parameters that the program adds to requests.
 *
 * @module
 */

import { defined, isRecord } from "@parley/internal/json";
import { Secrets } from "../auth/redact_secrets.ts";
import { McpError, type McpErrorDetails } from "../shared/error.ts";
import { credentialKey } from "./document.ts";
import type { OpenApiCall, OpenApiSettings } from "./options.ts";
import type { RequestParts } from "./request_template.ts";
import { encode, type Pair } from "./styles.ts";

/** Names of headers and query parameters whose values are secrets. */
const SECRET_NAME =
  /auth|token|key|secret|passw|passphrase|pwd|\bsig\b|credential|session|signature|cookie|jwt|bearer|csrf/i;

/** A request that can be sent. */
export interface SignedRequest {
  readonly url: string;
  readonly headers: Headers;
  readonly body: string | undefined;
  /** The credentials in the request. */
  readonly secrets: Secrets;
}

type ErrorDetails = McpErrorDetails["auth_error"];

/** Sources of the credentials of a request. */
export interface CredentialSources {
  /** Locations and lower-case names of the API keys of the document, such as `query api_key`. */
  readonly credentials: ReadonlySet<string>;
  readonly settings: Pick<OpenApiSettings, "headers" | "query">;
}

/**
 * Adds the headers and the query parameters of the program. Arguments with the same name, and
 * arguments that have the name of an API key, are removed.
 *
 * @throws {McpError} With code `auth_error` if a function of the program throws or returns an
 * invalid value.
 */
export async function addCredentials(
  parts: RequestParts,
  call: OpenApiCall,
  { credentials: names, settings: { headers, query } }: CredentialSources,
): Promise<SignedRequest> {
  const secrets = new Secrets();
  const added = await read("headers", async () => readHeaders(await headers?.(call), headers));
  const parameters = await read("query", async () => readQuery(await query?.(call), query));
  for (const [name, value] of added) {
    parts.headers.set(name, value);
    if (SECRET_NAME.test(name) || names.has(credentialKey("header", name))) {
      secrets.add(...secretsIn(value));
    }
  }
  for (const [name, value] of parameters) {
    if (SECRET_NAME.test(name) || names.has(credentialKey("query", name))) secrets.add(value);
  }
  const own = new Set(parameters.map(([name]) => name.toLowerCase()));
  const kept = parts.query.filter(([encoded]) => {
    const name = decodeURIComponent(encoded);
    return !own.has(name.toLowerCase()) && !names.has(credentialKey("query", name));
  });
  const pairs = [
    ...kept,
    ...parameters.map(([name, value]): Pair => [encode(name), encode(value)]),
  ];
  const texts = [parts.fixedQuery, ...pairs.map(([name, value]) => `${name}=${value}`)];
  const search = texts.filter((text) => text !== "").join("&");
  const url = search === "" ? parts.url.href : `${parts.url.href}?${search}`;
  return { url, headers: parts.headers, body: parts.body, secrets };
}

async function read<Value>(name: string, call: () => Promise<Value>): Promise<Value> {
  try {
    return await call();
  } catch (cause) {
    // The cause can contain a secret, so its message is not repeated.
    const { message, details } = McpError.authError(`the option "${name}" failed`);
    throw new McpError("auth_error", { ...details, ...exchangeOf(cause) }, message, { cause });
  }
}

/** Returns the kind of failure of a token exchange, and the page for the user's consent. */
function exchangeOf(cause: unknown): Pick<ErrorDetails, "exchange" | "consentUrl"> {
  if (!(cause instanceof McpError) || !cause.is("auth_error")) return {};
  const { exchange, consentUrl } = cause.details;
  return defined({ exchange, consentUrl });
}

/** A missing value must not cause a request without credentials. */
function readHeaders(value: unknown, option: unknown): Headers {
  if (option === undefined) return new Headers();
  const entries = entriesOf(value);
  // `new Headers` would convert `undefined` to text.
  if (entries === undefined || !entries.every(isPair)) {
    throw wrong("headers", "headers whose values are strings");
  }
  try {
    return new Headers(entries.map(([name, text]): [string, string] => [name, text]));
  } catch {
    // The error is discarded, because some runtimes quote the value.
    throw wrong("headers", "names and values that are valid in HTTP headers");
  }
}

/** Creates the error for a value that a function has returned. The value can contain a secret. */
function wrong(name: string, requirement: string): TypeError {
  return new TypeError(`"${name}()" must return ${requirement}`);
}

function isPair(entry: unknown): entry is Pair {
  return Array.isArray(entry) && entry.length === 2 &&
    entry.every((text) => typeof text === "string");
}

/**
 * Returns the entries of an array, of a `Headers` object of any implementation, or of an object.
 */
function entriesOf(value: unknown): unknown[] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  return isIterable(value) ? [...value] : Object.entries(value);
}

function isIterable(value: object): value is Iterable<unknown> {
  return Symbol.iterator in value;
}

function readQuery(value: unknown, option: unknown): readonly Pair[] {
  if (option === undefined) return [];
  const entries = isRecord(value) ? Object.entries(value) : undefined;
  const pairs = entries?.flatMap(([name, text]): readonly Pair[] =>
    typeof text === "string" ? [[name, text]] : []
  );
  if (pairs === undefined || pairs.length !== entries?.length) {
    throw wrong("query", "an object whose values are strings");
  }
  return pairs;
}

/**
 * Returns the secrets in the value of a header: the value, the credentials without the name of the
 * scheme, the values of cookies and of parameters, and the password of `Basic` (RFC 7617).
 */
function secretsIn(value: string): readonly string[] {
  const [scheme = "", ...rest] = value.split(" ");
  const credentials = rest.join(" ").trim();
  const isBasic = scheme.toLowerCase() === "basic";
  const values = Array.from(value.matchAll(/=\s*"?([^\s";,=]{8,})/g), ([, text = ""]) => text);
  return [value, credentials, ...values, ...(isBasic ? [passwordIn(credentials)] : [])];
}

function passwordIn(credentials: string): string {
  try {
    const text = atob(credentials);
    return text.slice(text.indexOf(":") + 1);
  } catch {
    // The credentials are not base64.
    return "";
  }
}
