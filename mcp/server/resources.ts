/**
 * Handlers for `resources/list`, `resources/templates/list` and `resources/read`.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/server/resources Resources}
 * @module
 */

import { isJsonObject, type JsonObject } from "../shared/json.ts";
import { Method } from "../protocol/methods.ts";
import { isContents } from "../protocol/result_readers.ts";
import type {
  McpResource,
  McpResourceTemplate,
  ReadResourceResult,
  ResourceContents,
} from "../protocol/resource.ts";
import { encodeBase64 } from "./base64.ts";
import type { Completers } from "./completion.ts";
import type { RequestContext } from "./request_context.ts";
import type { MethodHandler } from "./dispatch.ts";
import { invalidParams, readCursor, readText } from "./params.ts";
import type { Registry } from "./registry.ts";
import type { TemplateVariables, UriTemplate } from "./uri_template.ts";

/**
 * Returns the contents of a resource: a {@linkcode ReadResourceResult}, a string, a `Uint8Array`, or any other JSON
 * value, which is serialized. Returns `undefined` if the resource does not exist.
 *
 * A thrown `McpError` with an `rpcCode` is sent to the client. Any other error becomes an internal error without
 * details.
 */
export type ResourceHandler = (uri: string, context: RequestContext) => unknown;

/**
 * Returns the contents of a resource whose URI matches a resource template, in the same forms as
 * {@linkcode ResourceHandler}. `variables` contains the values of the template variables in the URI.
 */
export type ResourceTemplateHandler = (
  uri: string,
  variables: TemplateVariables,
  context: RequestContext,
) => unknown;

/** A registered resource template. */
export interface ResourceTemplateEntry {
  readonly descriptor: McpResourceTemplate;
  readonly template: UriTemplate;
  readonly read: ResourceTemplateHandler;
  readonly completers: Completers;
}

/** A registered resource. */
export interface ResourceEntry {
  readonly descriptor: McpResource;
  readonly read: ResourceHandler;
}

/** Creates the handlers for the resource methods. */
export function resourceMethods(
  resources: Registry<ResourceEntry>,
  templates: Registry<ResourceTemplateEntry>,
  pageSize: number,
): Record<string, MethodHandler> {
  return {
    [Method.ListResources]: (params) => {
      const { entries, ...rest } = resources.page(readCursor(params), pageSize);
      return { resources: entries.map(({ descriptor }) => descriptor), ...rest };
    },
    [Method.ListResourceTemplates]: (params) => {
      const { entries, ...rest } = templates.page(readCursor(params), pageSize);
      return { resourceTemplates: entries.map(({ descriptor }) => descriptor), ...rest };
    },
    [Method.ReadResource]: async (params, context) => {
      const uri = readText(params, "uri");
      const reader = findReader(uri, resources, templates);
      if (reader === undefined) throw resourceNotFound(uri);
      return toReadResourceResult(await reader.read(context), uri, reader.mimeType);
    },
  };
}

interface Reader {
  readonly mimeType: string | undefined;
  readonly read: (context: RequestContext) => unknown;
}

/**
 * Finds the handler for a URI. A resource takes precedence over resource templates, and an earlier template takes
 * precedence over later templates.
 */
function findReader(
  uri: string,
  resources: Registry<ResourceEntry>,
  templates: Registry<ResourceTemplateEntry>,
): Reader | undefined {
  const resource = resources.get(uri);
  if (resource !== undefined) {
    const { descriptor, read } = resource;
    return { mimeType: descriptor.mimeType, read: (context) => read(uri, context) };
  }
  for (const { descriptor, template, read } of templates.values()) {
    const variables = template.match(uri);
    if (variables === undefined) continue;
    return { mimeType: descriptor.mimeType, read: (context) => read(uri, variables, context) };
  }
  return undefined;
}

function resourceNotFound(uri: string): Error {
  return invalidParams(`Resource not found: "${uri}"`, { uri });
}

function toReadResourceResult(
  value: unknown,
  uri: string,
  mimeType: string | undefined,
): JsonObject {
  if (isReadResourceResult(value)) return { ...value };
  if (value === undefined) throw resourceNotFound(uri);
  const about = mimeType === undefined ? { uri } : { uri, mimeType };
  return { contents: [toContents(value, about)] };
}

function isReadResourceResult(value: unknown): value is ReadResourceResult {
  return isJsonObject(value) && isContents(value.contents) && value.contents.length > 0;
}

function toContents(
  value: unknown,
  about: Pick<ResourceContents, "uri" | "mimeType">,
): ResourceContents {
  if (value instanceof Uint8Array) return { ...about, blob: encodeBase64(value) };
  if (typeof value === "string") return { ...about, text: value };
  return { mimeType: "application/json", ...about, text: JSON.stringify(value) };
}
