/**
 * `resources/list`, `resources/templates/list` and `resources/read`.
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
import { toBase64 } from "./base64.ts";
import type { Completers } from "./completion.ts";
import type { RequestContext } from "./request_context.ts";
import type { MethodHandler } from "./dispatch.ts";
import { invalidParams, readCursor, readText } from "./params.ts";
import type { Registry } from "./registry.ts";
import type { TemplateVariables, UriTemplate } from "./uri_template.ts";

/**
 * Reads a resource. It may return a whole {@linkcode ReadResourceResult}, a string, bytes, or any other JSON value (it
 * becomes JSON text); nothing means that there is no such resource. What it throws becomes an internal error that tells
 * the client nothing, unless it is an `McpError` with an `rpcCode` of its own.
 */
export type ResourceHandler = (uri: string, context: RequestContext) => unknown;

/** Reads a resource of a template, given the values of its variables. It may return what a {@linkcode ResourceHandler} may. */
export type ResourceTemplateHandler = (
  uri: string,
  variables: TemplateVariables,
  context: RequestContext,
) => unknown;

/** A template that has been registered. */
export interface ResourceTemplateEntry {
  readonly descriptor: McpResourceTemplate;
  readonly template: UriTemplate;
  readonly read: ResourceTemplateHandler;
  readonly completers: Completers;
}

/** A resource that has been registered. */
export interface ResourceEntry {
  readonly descriptor: McpResource;
  readonly read: ResourceHandler;
}

/** The handlers of the resource methods. */
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

/** A resource itself goes before a template that would match it, an earlier template before a later one. */
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
  if (value instanceof Uint8Array) return { ...about, blob: toBase64(value) };
  if (typeof value === "string") return { ...about, text: value };
  return { mimeType: "application/json", ...about, text: JSON.stringify(value) };
}
