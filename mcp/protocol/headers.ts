/**
 * HTTP headers that mirror parts of a request, which allows intermediaries to process the request
 * without parsing its body.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#request-metadata Request metadata}
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import { quote } from "@parley/internal/format-value";
import { isRecord } from "@parley/internal/json";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import type { McpErrorObject, RpcRequest } from "../jsonrpc/message.ts";
import { MetaKey, metaOf } from "./meta.ts";
import { Method } from "./methods.ts";
import type { ReadResult } from "./result_readers.ts";

/** Names of HTTP headers, in lower case. Header names are case-insensitive. */
export const HeaderName = {
  /** Protocol version of the request. */
  ProtocolVersion: "mcp-protocol-version",
  /** Method of the request. */
  Method: "mcp-method",
  /** Name of the tool or prompt, or URI of the resource. */
  Name: "mcp-name",
  /** Session identifier, used only in legacy protocol versions. */
  SessionId: "mcp-session-id",
  /**
   * Identifier of the last event that the client received, used only in legacy protocol versions.
   */
  LastEventId: "last-event-id",
} as const;

/** An object that looks up headers by name, such as `Headers`. */
export type HeaderReader = Pick<Headers, "get">;

/** The headers of a request, which can also be listed. */
export type RequestHeaders = HeaderReader & Iterable<[string, string]>;

/** Prefix of headers that mirror tool call arguments. */
export const PARAMETER_HEADER_PREFIX = "mcp-param-";

/** A header that mirrors a tool call argument. */
export interface ParameterHeader {
  /** Full name of the header, in lower case. */
  readonly header: string;
  /** Path to the argument: property names, outermost first. */
  readonly path: readonly string[];
}

/** Names of the request parameters that `Mcp-Name` mirrors, keyed by method. */
const NAMED_BY: ReadonlyMap<string, string> = new Map([
  [Method.CallTool, "name"],
  [Method.GetPrompt, "name"],
  [Method.ReadResource, "uri"],
]);

const METHODS: ReadonlySet<string> = new Set(Object.values(Method));

const ANNOTATION = "x-mcp-header";

/** Maximum nesting depth of an input schema. */
const MAX_DEPTH = 500;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const SENTINEL = /^=\?base64\?(.*)\?=$/s;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * Returns the value for a request's `Mcp-Name` header, or `undefined` if requests with the method
 * have no `Mcp-Name` header.
 *
 * @param nameKeys Names of the request parameters that `Mcp-Name` mirrors, keyed by extension
 * method.
 */
export function nameOf(
  { method, params }: Pick<RpcRequest, "method" | "params">,
  nameKeys: ReadonlyMap<string, string> = new Map(),
): string | undefined {
  const key = NAMED_BY.get(method) ?? nameKeys.get(method);
  const name = key === undefined ? undefined : params?.[key];
  return typeof name === "string" ? name : undefined;
}

/** Encodes a header value. Uses base64 for strings that are not valid HTTP header values. */
export function encodeHeaderValue(value: string): string {
  if (PLAIN.test(value) && !SENTINEL.test(value)) return value;
  const bytes = Array.from(new TextEncoder().encode(value), (byte) => String.fromCharCode(byte));
  return `=?base64?${btoa(bytes.join(""))}?=`;
}

/** Decodes a header value. Returns `undefined` if the encoding is invalid. */
export function decodeHeaderValue(text: string): string | undefined {
  const encoded = SENTINEL.exec(text)?.[1];
  if (encoded === undefined) return /^[\t\x20-\x7e]*$/.test(text) ? text : undefined;
  if (!BASE64.test(encoded)) return undefined;
  const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Checks that the `MCP-Protocol-Version` header matches the request body. Returns the error for the
 * response, or `undefined` if the header matches or the body does not contain a version.
 */
export function checkVersion(
  headers: HeaderReader,
  { params }: Pick<RpcRequest, "params">,
): McpErrorObject | undefined {
  const version = metaOf(params)[MetaKey.ProtocolVersion];
  if (typeof version !== "string") return undefined;
  return checkHeader(headers.get(HeaderName.ProtocolVersion), HeaderName.ProtocolVersion, version);
}

/**
 * Checks that the request headers match the request body. Returns the error for the response, or
 * `undefined` if the headers match the body.
 */
export function checkHeaders(
  headers: HeaderReader,
  request: RpcRequest,
  nameKeys?: ReadonlyMap<string, string>,
): McpErrorObject | undefined {
  return checkVersion(headers, request) ??
    checkHeader(headers.get(HeaderName.Method), HeaderName.Method, request.method) ??
    (nameOf(request, nameKeys) === undefined
      ? checkOrphan(headers, request, nameKeys)
      : checkName(headers, request, nameKeys));
}

/**
 * Checks the `Mcp-Method` and `Mcp-Name` headers of a legacy message. Legacy protocol versions do
 * not define these headers, so they may be absent. Headers that are present must match the body,
 * because an intermediary that reads them would process a different request than the server.
 * Returns the error for the response, or `undefined` if no header contradicts the body.
 */
export function checkPresentHeaders(
  headers: HeaderReader,
  message: Pick<RpcRequest, "method" | "params">,
  nameKeys?: ReadonlyMap<string, string>,
): McpErrorObject | undefined {
  const method = headers.get(HeaderName.Method);
  if (method !== null && method !== message.method) {
    return checkHeader(method, HeaderName.Method, message.method);
  }
  if (headers.get(HeaderName.Name) === null) return undefined;
  return nameOf(message, nameKeys) === undefined
    ? checkOrphan(headers, message, nameKeys)
    : checkName(headers, message, nameKeys);
}

function checkName(
  headers: HeaderReader,
  message: Pick<RpcRequest, "method" | "params">,
  nameKeys: ReadonlyMap<string, string> | undefined,
): McpErrorObject | undefined {
  const text = headers.get(HeaderName.Name);
  const name = nameOf(message, nameKeys) ?? "";
  return checkHeader(text && decodeHeaderValue(text), HeaderName.Name, name);
}

/**
 * Rejects an `Mcp-Name` header if the body lacks the name, because an intermediary would process a
 * different request than the server.
 *
 * Decision: the specification does not mention an `Mcp-Name` header in a request that has no name,
 * such as `tools/list`. It is rejected, like an `Mcp-Param-` header that belongs to no argument,
 * because an intermediary may read only this header. In requests with an unknown method and in
 * requests of an extension that does not state its names, the header is ignored.
 */
function checkOrphan(
  headers: HeaderReader,
  { method }: Pick<RpcRequest, "method">,
  nameKeys: ReadonlyMap<string, string> | undefined,
): McpErrorObject | undefined {
  const isKnown = METHODS.has(method) || nameKeys?.has(method) === true;
  if (headers.get(HeaderName.Name) === null || !isKnown) return undefined;
  return mismatch(`header "${HeaderName.Name}" does not match any name in the request body`);
}

function checkHeader(
  text: string | null | undefined,
  header: string,
  expected: string,
): McpErrorObject | undefined {
  if (text === expected) return undefined;
  const fact = text === null ? "is missing" : "does not match the request body";
  return mismatch(`header "${header}" ${fact}`);
}

/**
 * Checks that the headers that mirror tool call arguments match the arguments, and that no other
 * header has their prefix. Returns the error for the response, or `undefined` if all headers match.
 */
export function checkParameterHeaders(
  headers: RequestHeaders,
  args: unknown,
  parameters: readonly ParameterHeader[],
): McpErrorObject | undefined {
  for (const { header, path } of parameters) {
    const value = valueAt(args, path);
    const text = headers.get(header);
    if (value === undefined || value === null) {
      if (text !== null) {
        return mismatch(`header "${header}" does not match any argument in the request body`);
      }
      continue;
    }
    if (text === null) return mismatch(`header "${header}" is missing`);
    const decoded = decodeHeaderValue(text);
    // Integers are compared numerically, so `42.0` is 42. Other notations, such as `0x2a`, and
    // values that a number cannot represent exactly are rejected, because intermediaries read them
    // differently.
    const shown = typeof value === "number" ? decoded && integerOf(decoded) : decoded;
    if (shown === undefined || shown !== formatValue(value)) {
      return mismatch(`header "${header}" does not match the request body`);
    }
  }
  return checkUnknownParameters(headers, parameters);
}

function checkUnknownParameters(
  headers: RequestHeaders,
  parameters: readonly ParameterHeader[],
): McpErrorObject | undefined {
  for (const [name] of headers) {
    const header = name.toLowerCase();
    if (!header.startsWith(PARAMETER_HEADER_PREFIX)) continue;
    if (parameters.some((each) => each.header === header)) continue;
    return mismatch(`header ${quote(header)} does not match any argument in the request body`);
  }
  return undefined;
}

/** Returns the headers that mirror tool call arguments. */
export function parameterHeaderValues(
  args: unknown,
  parameters: readonly ParameterHeader[],
): Record<string, string> {
  const values = parameters.flatMap(({ header, path }) => {
    const text = formatValue(valueAt(args, path));
    return text === undefined ? [] : [[header, encodeHeaderValue(text)] as const];
  });
  return Object.fromEntries(values);
}

/**
 * Reads the `x-mcp-header` annotations in an input schema. Returns the reason for the failure if an
 * annotation is invalid.
 */
export function readParameterHeaders(
  inputSchema: JsonObject,
): ReadResult<readonly ParameterHeader[]> {
  if (isTooDeep(inputSchema)) {
    return { ok: false, reason: `"inputSchema" must have at most ${MAX_DEPTH} levels` };
  }
  const found: ParameterHeader[] = [];
  const reason = collect(inputSchema, [], found);
  if (reason !== undefined) return { ok: false, reason };
  const names = new Set(found.map(({ header }) => header));
  return names.size === found.length
    ? { ok: true, value: found }
    : { ok: false, reason: `"${ANNOTATION}" must be unique among the arguments` };
}

/**
 * Collects the `x-mcp-header` annotations on properties. Returns the reason if the schema is
 * invalid, for example because an annotation is not on a property.
 */
function collect(
  schema: JsonObject,
  path: readonly string[],
  found: ParameterHeader[],
): string | undefined {
  const { properties, ...others } = schema;
  const own = others[ANNOTATION];
  if (own !== undefined) {
    if (typeof own !== "string" || !TOKEN.test(own)) {
      return `"${ANNOTATION}" must be a valid header name`;
    }
    const { type } = schema;
    if (path.length === 0 || (type !== "string" && type !== "integer" && type !== "boolean")) {
      return `"${ANNOTATION}" "${own}" must be on a property of type string, integer or boolean`;
    }
    found.push({ header: PARAMETER_HEADER_PREFIX + own.toLowerCase(), path });
  }
  const { [ANNOTATION]: _own, ...rest } = others;
  if (Object.values(rest).some(isAnnotated)) {
    return `"${ANNOTATION}" must be on a property that is reachable through "properties"`;
  }
  for (const [name, property] of Object.entries(isRecord(properties) ? properties : {})) {
    if (!isRecord(property)) continue;
    const reason = collect(property, [...path, name], found);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/**
 * Returns `true` if a schema has too many levels. The check is iterative, because recursion into a
 * deep schema would overflow the call stack.
 */
function isTooDeep(schema: JsonObject): boolean {
  let level: readonly unknown[] = [schema];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((value) =>
      typeof value === "object" && value !== null ? Object.values(value) : []
    );
  }
  return false;
}

function isAnnotated(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isAnnotated);
  if (!isRecord(value)) return false;
  return ANNOTATION in value || Object.values(value).some(isAnnotated);
}

/** Returns the digits of an integer in decimal notation without a fraction other than zeros. */
function integerOf(text: string): string | undefined {
  return /^(-?(?:0|[1-9]\d*))(?:\.0+)?$/.exec(text)?.[1];
}

function valueAt(args: unknown, path: readonly string[]): unknown {
  let value = args;
  for (const name of path) {
    if (!isRecord(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

function formatValue(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "boolean" || Number.isSafeInteger(value) ? String(value) : undefined;
}

function mismatch(fact: string): McpErrorObject {
  return { code: RpcErrorCode.HeaderMismatch, message: `Header mismatch: ${fact}` };
}
