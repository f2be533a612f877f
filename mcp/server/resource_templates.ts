/**
 * Registered resource templates, and the handler for `resources/templates/list`.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/server/resources Resources}
 * @module
 */

import {
  assertFunction,
  assertNonEmptyString,
  assertObject,
  assertString,
} from "@parley/internal/assert-argument";
import { defined } from "@parley/internal/json";
import { arrayOf } from "@parley/internal/option-checks";
import { type OptionsReader, optionsReader, required } from "@parley/internal/options";
import { withKeptJson } from "../jsonrpc/kept_json.ts";
import type { McpResource, McpResourceTemplate } from "../protocol/resource.ts";
import { assertCompleters, type CompletionOptions } from "./completion.ts";
import type { MethodHandler } from "./dispatch.ts";
import { assertJson, readCursor } from "./params.ts";
import type { Registry } from "./registry.ts";
import type { RequestContext } from "./request_context.ts";
import { coverageOf, type TemplateCoverage } from "./template_coverage.ts";
import { parseUriTemplate, type TemplateVariables, type UriTemplate } from "./uri_template.ts";

/**
 * Returns the contents of a resource whose URI matches a resource template. Return values have the
 * same meaning as for {@linkcode ResourceHandler}. `variables` contains the values of the template
 * variables in the URI.
 */
export type ResourceTemplateHandler = (
  uri: string,
  variables: TemplateVariables,
  context: RequestContext,
) => unknown;

/** The requested page of the resources of a resource template. */
export interface ResourcePageRequest {
  /** `nextCursor` of the previous page. If absent, the first page is requested. */
  readonly cursor?: string;
  /** Maximum number of resources on the page: the `pageSize` of the server. */
  readonly limit: number;
}

/** One page of the resources of a resource template. */
export interface ResourcePage {
  /** The resources, at most `limit`. Each URI must match the URI template. */
  readonly resources: readonly McpResource[];
  /**
   * Text with which the next page can be found, for example the key of the last row. Clients
   * receive it only in encrypted form, so they cannot choose it. If omitted, this is the last page.
   */
  readonly nextCursor?: string;
}

/**
 * Lists resources of a resource template, one page per call. The order must be stable, so that no
 * resource is missing between two pages.
 */
export type ListTemplateResources = (
  page: ResourcePageRequest,
  context: RequestContext,
) => ResourcePage | Promise<ResourcePage>;

/** Options for {@linkcode McpServer.registerResourceTemplate}. */
export interface ResourceTemplateOptions extends CompletionOptions {
  /**
   * Lists resources of the template in `resources/list`, after the registered resources. A listed
   * resource is left out, and reported to `onError`, if it is not a valid resource, if its URI does
   * not match the template or if its URI is registered; so are the resources beyond `limit`. The
   * `visible` option is asked for the template, not for each listed resource; list only what
   * `context.principal` can read. A function that throws or rejects fails the request of that page
   * only. If omitted, clients can read the resources of the template, but not list them.
   */
  readonly list?: ListTemplateResources;
}

/** A registered resource template. */
export interface ResourceTemplateEntry {
  readonly descriptor: McpResourceTemplate;
  readonly template: UriTemplate;
  /** URIs that the template covers. */
  readonly coverage: TemplateCoverage;
  readonly read: ResourceTemplateHandler;
  readonly options: ResourceTemplateOptions;
}

const readDescriptor = optionsReader<McpResourceTemplate>("template")({
  uriTemplate: required(assertNonEmptyString),
  name: required(assertString),
  description: assertString,
  mimeType: assertString,
  title: assertString,
  annotations: assertObject,
  icons: arrayOf("icons", assertObject),
  _meta: assertObject,
});

const readOptions: OptionsReader<ResourceTemplateOptions, never> = optionsReader<
  ResourceTemplateOptions
>("options")({ complete: assertObject, list: assertFunction });

/**
 * Converts the arguments of {@linkcode McpServer.registerResourceTemplate} to a registered
 * template.
 *
 * @throws {TypeError} If the description, the handler or an option is invalid.
 */
export function toTemplateEntry(
  template: McpResourceTemplate,
  handler: ResourceTemplateHandler,
  options: ResourceTemplateOptions,
): ResourceTemplateEntry {
  const descriptor = defined(readDescriptor(template));
  const read = defined(readOptions(options));
  assertFunction("handler", handler);
  assertJson("template", descriptor);
  const parsed = parseUriTemplate(descriptor.uriTemplate);
  if (read.complete !== undefined) assertCompleters(read.complete, parsed.variables, "variable");
  return {
    descriptor: withKeptJson(descriptor),
    template: parsed,
    coverage: coverageOf(descriptor.uriTemplate),
    read: handler,
    options: read,
  };
}

/** Creates the handler for `resources/templates/list`. */
export function templateListMethod(
  templates: Registry<ResourceTemplateEntry>,
  pageSize: number,
): MethodHandler {
  return (params, { principal }) => {
    const { entries, ...rest } = templates.page(readCursor(params), pageSize, principal);
    return { resourceTemplates: entries.map(({ descriptor }) => descriptor), ...rest };
  };
}
