/**
 * Registered resources, and the handler for `resources/read`.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/server/resources Resources}
 * @module
 */

import type { JsonObject, JsonValue } from "../shared/json.ts";
import {
  assertFunction,
  assertNonEmptyString,
  assertObject,
  assertString,
} from "@parley/internal/assert-argument";
import { defined, isRecord } from "@parley/internal/json";
import { withKeptJson } from "../jsonrpc/kept_json.ts";
import { type OptionsReader, optionsReader, required } from "@parley/internal/options";
import { isContents } from "../protocol/result_readers.ts";
import {
  isResourceContents,
  type McpResource,
  type ReadResourceResult,
} from "../protocol/resource.ts";
import { toJsonValue } from "../shared/to_json_value.ts";
import { encodeBase64 } from "@parley/internal/base64";
import { arrayOf, integerFrom } from "@parley/internal/option-checks";
import type { RequestContext } from "./request_context.ts";
import type { MethodHandler } from "./dispatch.ts";
import type { Principal } from "./exchange_context.ts";
import { assertJson, invalidParams, readText } from "./params.ts";
import type { Registry } from "./registry.ts";
import type { ResourceTemplateEntry } from "./resource_templates.ts";
import {
  type ComparedUri,
  isUnusualUri,
  mayRead,
  toCompared,
  toListed,
} from "./uri_resemblance.ts";

/**
 * Returns the contents of a resource. The return value determines the result:
 *
 * - `undefined` means that the resource does not exist.
 * - A string or a `Uint8Array` becomes the contents.
 * - Resource contents, or a non-empty array of resource contents, become the contents of the
 *   result. An object is resource contents if it has a string `uri`, either `text` (a string) or
 *   `blob` (base64 or a `Uint8Array`), optionally `mimeType` and `_meta`, and no other members.
 * - A {@linkcode ReadResourceResult} becomes the result.
 * - A JSON value of any other kind, such as a number or a plain object, is returned as JSON text.
 *
 * A thrown `McpError` with an `rpcCode` is sent to the client. An error without an `rpcCode`, or a
 * value that JSON cannot represent without loss, becomes an internal error without details and is
 * reported to `onError`.
 */
export type ResourceHandler = (uri: string, context: RequestContext) => unknown;

/** Reads the description of a resource to register. */
export const readResource: OptionsReader<McpResource, never> = optionsReader<McpResource>(
  "resource",
)({
  uri: required(assertNonEmptyString),
  name: required(assertString),
  description: assertString,
  mimeType: assertString,
  title: assertString,
  size: integerFrom(0),
  annotations: assertObject,
  icons: arrayOf("icons", assertObject),
  _meta: assertObject,
});

/** A registered resource. */
export interface ResourceEntry {
  readonly descriptor: McpResource;
  /** Forms of the URI that are compared with requested URIs. */
  readonly compared: ComparedUri;
  readonly read: ResourceHandler;
}

/**
 * Converts the arguments of {@linkcode McpServer.registerResource} to a registered resource.
 *
 * @throws {TypeError} If the description or the handler is invalid.
 */
export function toResourceEntry(resource: McpResource, handler: ResourceHandler): ResourceEntry {
  const descriptor = defined(readResource(resource));
  assertFunction("handler", handler);
  assertJson("resource", descriptor);
  return {
    compared: toListed(descriptor.uri),
    descriptor: withKeptJson(descriptor),
    read: handler,
  };
}

/** Creates the handler for `resources/read`. */
export function resourceReadMethod(
  resources: Registry<ResourceEntry>,
  templates: Registry<ResourceTemplateEntry>,
): MethodHandler {
  return async (params, context) => {
    const uri = readText(params, "uri");
    const reader = findReader(uri, resources, templates, context.principal);
    if (reader === undefined) throw resourceNotFound(uri);
    return toReadResourceResult(await reader.read(context), uri, reader.mimeType);
  };
}

/**
 * Returns `true` if a principal can read a resource, or if the URI belongs to no resource or
 * resource template. A URI is hidden if a resource with this URI or a template that covers it is
 * hidden. URIs that a handler may treat as equal count as the same URI. A URI that is not
 * registered is also hidden if it is the URI of a hidden item without the parts that some handlers
 * ignore, such as a query, or if handlers may interpret it in different ways and anything is hidden
 * from the principal.
 */
export function canSeeResource(
  uri: string,
  resources: Registry<ResourceEntry>,
  templates: Registry<ResourceTemplateEntry>,
  principal: Principal | undefined,
): boolean {
  if (!resources.canHide) return true;
  const registered = resources.entry(uri)?.compared;
  const isUnusual = registered === undefined && isUnusualUri(uri);
  const compared = registered ?? toCompared(uri);
  const isSame = (other: ComparedUri): boolean =>
    registered === undefined ? mayRead(compared, other) : other.canonical === compared.canonical;
  if (resources.hides(principal, (entry) => isUnusual || isSame(entry.compared))) return false;
  // A registered resource has its own handler.
  return registered !== undefined || !templates.hides(
    principal,
    ({ coverage }) => isUnusual || coverage.mayRead(compared),
  );
}

interface Reader {
  readonly mimeType: string | undefined;
  readonly read: (context: RequestContext) => unknown;
}

/**
 * Finds the handler for a URI that the principal can see. A resource takes precedence over resource
 * templates, and an earlier template takes precedence over later templates.
 */
function findReader(
  uri: string,
  resources: Registry<ResourceEntry>,
  templates: Registry<ResourceTemplateEntry>,
  principal: Principal | undefined,
): Reader | undefined {
  // A template must not serve a resource that is hidden from the principal.
  if (!canSeeResource(uri, resources, templates, principal)) return undefined;
  const resource = resources.get(uri, principal);
  if (resource !== undefined) {
    const { descriptor, read } = resource;
    return { mimeType: descriptor.mimeType, read: (context) => read(uri, context) };
  }
  for (const { descriptor, template, read } of templates.values(principal)) {
    const variables = template.match(uri);
    if (variables === undefined) continue;
    return { mimeType: descriptor.mimeType, read: (context) => read(uri, variables, context) };
  }
  return undefined;
}

function resourceNotFound(uri: string): Error {
  return invalidParams(`Resource not found: "${uri}"`, { uri });
}

/** @throws {TypeError} If JSON cannot represent the value. */
function toReadResourceResult(
  value: unknown,
  uri: string,
  mimeType: string | undefined,
): JsonObject {
  if (value === undefined) throw resourceNotFound(uri);
  const about = mimeType === undefined ? { uri } : { uri, mimeType };
  if (value instanceof Uint8Array) return { contents: [{ ...about, blob: encodeBase64(value) }] };
  const json = toJson(uri, Array.isArray(value) ? value.map(withBase64) : withBase64(value));
  if (isReadResourceResult(json)) return json;
  if (typeof json === "string") return { contents: [{ ...about, text: json }] };
  const all = Array.isArray(json) ? json : [json];
  if (all.length > 0 && all.every(isResourceContents)) {
    return { contents: all.map((each) => each.uri === uri ? { ...about, ...each } : each) };
  }
  const text = JSON.stringify(json);
  return { contents: [{ mimeType: "application/json", ...about, text }] };
}

/**
 * Encodes the bytes of resource contents as base64. Returns a value that has no bytes unchanged.
 */
function withBase64(value: unknown): unknown {
  if (!isRecord(value) || !(value.blob instanceof Uint8Array)) return value;
  const contents = { ...value, blob: encodeBase64(value.blob) };
  return isResourceContents(contents) ? contents : value;
}

function toJson(uri: string, value: unknown): JsonValue {
  try {
    return toJsonValue(value);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TypeError(`Cannot read resource "${uri}": the handler must return JSON: ${reason}`, {
      cause,
    });
  }
}

function isReadResourceResult(value: unknown): value is JsonObject & ReadResourceResult {
  return isRecord(value) && isContents(value.contents) && value.contents.length > 0;
}
