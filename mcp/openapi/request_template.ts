/**
 * Converts the arguments of a call to a request. The URL of every request is below the base URL.
 *
 * @module
 */

import { quote } from "@parley/internal/format-value";
import { isRecord } from "@parley/internal/json";
import type { JsonObject } from "../shared/json.ts";
import { InvalidArguments, UnsupportedOperation } from "./failures.ts";
import type { OpenApiOperation } from "./options.ts";
import type { Parameter } from "./parameters.ts";
import type { RequestBody } from "./request_body.ts";
import { encode, type Pair, toHeaderText, toPairs, toPathText, toText } from "./styles.ts";

/** The parts of an operation that determine its requests. */
export interface RequestTemplate {
  readonly operation: OpenApiOperation;
  readonly parameters: readonly Parameter[];
  readonly body: RequestBody | undefined;
  /** Path template without a fixed query. */
  readonly path: string;
  /** Query that the path of the document contains, encoded. */
  readonly fixedQuery: string;
}

/** A request without credentials. */
export interface RequestParts {
  /** URL without the query. */
  readonly url: URL;
  readonly fixedQuery: string;
  readonly query: readonly Pair[];
  readonly headers: Headers;
  readonly body: string | undefined;
}

const EXPRESSION = /\{([^{}]+)\}/g;

/**
 * Creates a template. The fragment of a path, with which some documents distinguish operations, is
 * removed.
 *
 * @throws {UnsupportedOperation} If the path is not valid, could leave the base URL, or contains a
 * parameter that is not declared.
 */
export function createTemplate(
  operation: OpenApiOperation,
  parameters: readonly Parameter[],
  body: RequestBody | undefined,
): RequestTemplate {
  const [withQuery = ""] = operation.path.split("#");
  const [path = "", ...queries] = withQuery.split("?");
  const fixedQuery = queries.join("?");
  // The URL parser removes tabs and line breaks, and treats a backslash as a slash.
  const isValid = path.startsWith("/") && !/[\p{Cc}\\]/u.test(withQuery) &&
    !hasDots(decodeDots(path));
  if (!isValid) throw new UnsupportedOperation("the path is not valid");
  if (/[{}]/.test(fixedQuery)) {
    throw new UnsupportedOperation("the path has a query with parameters");
  }
  const inPath = new Set(parameters.flatMap(({ in: at, name }) => at === "path" ? [name] : []));
  const names = Array.from(path.matchAll(EXPRESSION), ([, name = ""]) => name);
  const unknown = names.find((name) => !inPath.has(name));
  if (unknown !== undefined) {
    throw new UnsupportedOperation(`the path parameter ${quote(unknown)} is not declared`);
  }
  if (/[{}]/.test(path.replace(EXPRESSION, ""))) {
    throw new UnsupportedOperation("the path is not valid: a brace has no partner");
  }
  const used = parameters.filter(({ in: at, name }) => at !== "path" || names.includes(name));
  return { operation, parameters: used, body, path, fixedQuery };
}

/**
 * Builds a request.
 *
 * @throws {InvalidArguments} If the arguments are not valid, or the URL would not be below the base
 * URL.
 */
export function buildRequest(
  template: RequestTemplate,
  args: JsonObject,
  base: URL,
): RequestParts {
  const query: Pair[] = [];
  const headers = new Headers({ accept: "application/json, */*;q=0.5" });
  const inPath = new Map<string, string>();
  for (const parameter of template.parameters) {
    const value = readArgument(args, parameter.input);
    if (value === undefined) continue;
    const sent = parameter.isJson ? JSON.stringify(value) : value;
    if (parameter.in === "path") inPath.set(parameter.name, pathText(parameter, sent));
    else if (parameter.in === "query") query.push(...toPairs(parameter, sent));
    else headers.set(parameter.name, headerText(parameter, sent));
  }
  const body = template.body && readBody(template.body, args, headers);
  const url = toUrl(template, inPath, base);
  return { url, fixedQuery: template.fixedQuery, query, headers, body };
}

/** Returns an argument. `null` is the same as absent. */
function readArgument(args: JsonObject, name: string): unknown {
  return Object.hasOwn(args, name) ? args[name] ?? undefined : undefined;
}

function pathText(parameter: Parameter, value: unknown): string {
  const { input } = parameter;
  const texts = [...textsOf(value)];
  if (texts.length === 0 || texts.includes("")) {
    throw new InvalidArguments(`"${input}" must not be empty`);
  }
  if (texts.some(hasDots)) {
    throw new InvalidArguments(`"${input}" must not contain the path segments "." and ".."`);
  }
  const text = toPathText(parameter, value);
  // An object can consist of members without a value.
  if (text === "" || text === ".") throw new InvalidArguments(`"${input}" must not be empty`);
  return text;
}

/** Iterates over the texts of a value: itself, its items, or its names and members. */
function* textsOf(value: unknown): Generator<string> {
  if (typeof value !== "object" || value === null) yield toText(value);
  else if (Array.isArray(value)) { for (const item of value) yield* textsOf(item); }
  else for (const pair of Object.entries(value)) yield* textsOf([...pair]);
}

function headerText(parameter: Parameter, value: unknown): string {
  const text = toHeaderText(parameter, value);
  // A field value (RFC 9110, section 5.5) of characters that `fetch` can send.
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) return text;
  throw new InvalidArguments(
    `"${parameter.input}" must not contain line breaks and characters that headers cannot contain`,
  );
}

function toUrl(template: RequestTemplate, values: ReadonlyMap<string, string>, base: URL): URL {
  const path = template.path.replace(EXPRESSION, (_, name: string) => {
    const text = values.get(name);
    if (text !== undefined) return text;
    throw new InvalidArguments(`the path parameter "${name}" is required`);
  });
  const root = base.href.replace(/\/$/, "");
  const url = new URL(root + path);
  const folder = new URL(`${root}/`).pathname;
  // Arguments can also form a dot segment with the text of the template. The other checks would
  // find a difference between this module and the URL parser.
  const isBelow = url.origin === base.origin && url.pathname.startsWith(folder) &&
    !hasDots(decodeDots(path));
  if (!isBelow) throw new InvalidArguments("the path parameters must not change the path");
  return url;
}

/**
 * Returns true if a text contains the path segment `.` or `..`. Some servers remove the text after
 * a semicolon before they resolve `..`.
 */
function hasDots(text: string): boolean {
  return /(?:^|[/\\])\.{1,2}(?:[/\\;]|$)/.test(text);
}

/** Decodes the characters before which some servers resolve `..`, and the dot. */
function decodeDots(path: string): string {
  return path.replace(/%(?:2e|2f|3b|5c)/gi, decodeURIComponent);
}

function readBody(
  { kind, mediaType, parts }: RequestBody,
  args: JsonObject,
  headers: Headers,
): string | undefined {
  const value = Object.hasOwn(args, "body") ? args.body : undefined;
  if (value === undefined) return undefined;
  headers.set("content-type", mediaType);
  if (kind === "json") return JSON.stringify(value);
  if (kind === "text") return toText(value);
  if (!isRecord(value)) throw new InvalidArguments('"body" must be an object');
  const pairs = Object.entries(value).flatMap(([name, member]): readonly Pair[] => {
    if (member === undefined || member === null) return [];
    const part = parts.get(name);
    if (part !== undefined) return toPairs({ ...part, name }, member);
    const items = Array.isArray(member) ? member : [member];
    return items.map((item) => [encode(name), encode(item)]);
  });
  // In a form, a space is `+` (URL Standard, application/x-www-form-urlencoded).
  return pairs.map(([name, text]) => `${name}=${text}`).join("&").replaceAll("%20", "+");
}
