/**
 * Options for tools from an OpenAPI document.
 *
 * @module
 */

import {
  assertCount,
  assertFunction,
  assertNonEmptyString,
  assertRecord,
  assertString,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { arrayOf, int32From, recordOf } from "@parley/internal/option-checks";
import {
  type OptionsReader,
  optionsReader,
  required,
  type Settings,
  withDefault,
} from "@parley/internal/options";
import { networkScopeOf } from "@parley/internal/network-scope";
import type { Principal } from "../server/exchange_context.ts";
import type { HttpFetch } from "../shared/http_types.ts";
import type { JsonObject } from "../shared/json.ts";
import { VALID_NAME } from "./names.ts";

/** An operation of an OpenAPI document. */
export interface OpenApiOperation {
  /** Method, such as `GET`. */
  readonly method: string;
  /** Path template, such as `/users/{id}`. */
  readonly path: string;
  /** The `operationId`, if the operation has one. */
  readonly operationId?: string;
  /** Short description, if the operation has one. */
  readonly summary?: string;
  /** Tags of the operation. */
  readonly tags: readonly string[];
  /** Whether the document marks the operation as deprecated. */
  readonly deprecated: boolean;
}

/** A call of a tool, as passed to {@linkcode OpenApiOptions.headers}. */
export interface OpenApiCall {
  /** Operation that is called. */
  readonly operation: OpenApiOperation;
  /**
   * Authenticated principal for which the tool is called. `undefined` if there is none, for example
   * in a call by an agent.
   */
  readonly principal: Principal | undefined;
  /** The `_meta` object of the call, which is an untrusted value, or an empty object. */
  readonly meta: Readonly<JsonObject>;
  /** Aborted when the call is aborted or has timed out. */
  readonly signal: AbortSignal;
}

/** Headers: an object, or a `Headers` object, an array or another iterable of names and values. */
export type OpenApiHeaders =
  | Readonly<Record<string, string>>
  | Iterable<readonly [string, string]>;

/** Options for {@linkcode openApiTools}. */
export interface OpenApiOptions {
  /**
   * URL to which the paths of the document are appended, such as `https://api.example.com/v1`: an
   * HTTPS URL or a loopback HTTP URL, without credentials, query and fragment. The `servers` of the
   * document are never used.
   */
  readonly baseUrl: string;
  /**
   * Operations to offer: an array of operation ids and of texts such as `GET /users/{id}`, or a
   * function that is called with each operation and offers it only by returning exactly `true`.
   */
  readonly operations: readonly string[] | ((operation: OpenApiOperation) => boolean);
  /**
   * Text before the name of each tool, such as `crm_`.
   *
   * @default {""}
   */
  readonly prefix?: string;
  /**
   * Names of tools, keyed by operation id or by a text such as `GET /users/{id}`. The names are
   * used without `prefix`, and have at most 64 characters, all of them `A-Z a-z 0-9 _ -`.
   */
  readonly names?: Readonly<Record<string, string>>;
  /**
   * Returns the headers of a request, such as the credentials of the API. They replace headers of
   * the same name that are arguments. If `headers` throws or returns anything other than headers,
   * the call fails and no request is sent. If omitted, requests have no credentials.
   */
  readonly headers?: (call: OpenApiCall) => OpenApiHeaders | Promise<OpenApiHeaders>;
  /**
   * Returns query parameters of a request, such as an API key. They replace parameters of the same
   * name that are arguments. Failures have the same effect as for `headers`.
   */
  readonly query?: (
    call: OpenApiCall,
  ) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /**
   * Function that sends the requests. If omitted, the built-in `fetch` is used. The function must
   * not follow redirects.
   */
  readonly fetch?: HttpFetch;
  /**
   * Called with an error for each operation that cannot be offered, and with the error of each
   * failed call of a registered tool. If omitted, errors are printed to standard error: each error
   * once, and at most 20 per minute. Pass `() => {}` to ignore errors.
   */
  readonly onError?: (error: unknown) => void;
  /**
   * Maximum number of operations to offer. If `operations` selects more operations, an error is
   * thrown.
   *
   * @default {128}
   */
  readonly maxTools?: number;
  /**
   * Maximum size of the input schema of a tool as JSON text, in characters. An operation with a
   * larger schema is skipped.
   *
   * @default {32_768}
   */
  readonly maxSchemaChars?: number;
  /**
   * Timeout for a call, including the call of `headers` and the response body, in milliseconds.
   *
   * @default {30_000}
   */
  readonly timeoutMs?: number;
  /**
   * Maximum size of a response body, in bytes. The result of a larger response is an error.
   *
   * @default {1_048_576}
   */
  readonly maxResponseBytes?: number;
  /**
   * Maximum length of the text in a result, in characters. The result of a longer response is an
   * error that names parameters with which the model can request less. If the program adds
   * credentials, a text with more than 262,144 characters is withheld in any case, because it is
   * not searched for them.
   *
   * @default {100_000}
   */
  readonly maxResultChars?: number;
}

/** Names of the options that have a default. */
type DefaultOption =
  | "prefix"
  | "names"
  | "fetch"
  | "maxTools"
  | "maxSchemaChars"
  | "timeoutMs"
  | "maxResponseBytes"
  | "maxResultChars";

/** The options, with defaults. */
export type OpenApiSettings = Settings<OpenApiOptions, DefaultOption>;

/** Reads the options. */
export const readOptions: OptionsReader<OpenApiOptions, DefaultOption> = optionsReader<
  OpenApiOptions
>("options", {
  url: "baseUrl",
  baseURL: "baseUrl",
  timeout: "timeoutMs",
  include: "operations",
})({
  baseUrl: required(assertBaseUrl),
  operations: required(assertOperations),
  prefix: withDefault("", assertString),
  names: withDefault({}, assertToolNames),
  headers: assertFunction,
  query: assertFunction,
  fetch: withDefault<HttpFetch>(builtInFetch, assertFunction),
  onError: assertFunction,
  maxTools: withDefault(128, assertCount),
  maxSchemaChars: withDefault(32_768, assertCount),
  timeoutMs: withDefault(30_000, int32From(1)),
  maxResponseBytes: withDefault(1_048_576, assertCount),
  maxResultChars: withDefault(100_000, assertCount),
});

function builtInFetch(...args: Parameters<HttpFetch>): Promise<Response> {
  return fetch(...args);
}

function assertBaseUrl(name: string, value: unknown): void {
  const text = typeof value === "string" ? value : "";
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === "https:" ||
    (url?.protocol === "http:" && networkScopeOf(url.hostname) === "loopback");
  if (isSafe && url?.username === "" && url.password === "" && !/[?#]/.test(text)) return;
  const requirement = "an HTTPS URL or a loopback HTTP URL without credentials, query and fragment";
  // A URL that can contain credentials is not quoted, because errors must not contain secrets.
  if (/[@?#]/.test(text)) throw new TypeError(`"${name}" must be ${requirement}`);
  rejectArgument(name, requirement, value);
}

function assertOperations(name: string, value: unknown): void {
  if (typeof value === "function") return;
  if (!Array.isArray(value)) {
    rejectArgument(name, "an array of operation ids or a function", value);
  }
  arrayOf("operation ids", assertNonEmptyString)(name, value);
}

const assertNames = recordOf((name, value) => {
  if (typeof value === "string" && VALID_NAME.test(value)) return;
  rejectArgument(name, "a name of at most 64 characters A-Z a-z 0-9 _ -", value);
});

function assertToolNames(name: string, value: unknown): void {
  assertNames(name, value);
  assertRecord(name, value);
  const names = Object.values(value);
  const twice = names.find((each, index) => names.indexOf(each) !== index);
  if (twice !== undefined) rejectArgument(name, "an object with different names", twice);
}
