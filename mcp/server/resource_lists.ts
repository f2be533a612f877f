/**
 * Handler for `resources/list`: first the registered resources, then the resources that each
 * resource template lists, in order of registration. A page contains the resources of one source.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination Pagination}
 * @module
 */

import type { JsonObject, JsonValue } from "../shared/json.ts";
import { toJsonValue } from "../shared/to_json_value.ts";
import { assertNonEmptyString } from "@parley/internal/assert-argument";
import { escapeText } from "@parley/internal/escape-text";
import { formatValue } from "@parley/internal/format-value";
import { defined, isRecord } from "@parley/internal/json";
import { arrayOf } from "@parley/internal/option-checks";
import { optionsReader, required } from "@parley/internal/options";
import { Method } from "../protocol/methods.ts";
import type { MethodHandler } from "./dispatch.ts";
import type { Principal } from "./exchange_context.ts";
import { invalidCursor, readCursor } from "./params.ts";
import type { Registry } from "./registry.ts";
import type { MethodContext } from "./request_context.ts";
import type { RequestStateSeal, StateBinding } from "./request_state.ts";
import type { ResourcePage, ResourceTemplateEntry } from "./resource_templates.ts";
import { readResource, type ResourceEntry } from "./resources.ts";

/** Maximum length of a cursor that clients receive, in characters. */
const MAX_CURSOR_CHARS = 4096;

/** The sources of the list, and the options of the server. */
export interface ResourceListOptions {
  readonly resources: Registry<ResourceEntry>;
  readonly templates: Registry<ResourceTemplateEntry>;
  /** Maximum number of items per page. */
  readonly pageSize: number;
  /** Encrypts the cursors of templates, so that clients cannot choose them. */
  readonly seal: RequestStateSeal;
  /** Called with the reasons why resources are left out. */
  readonly onError: (error: unknown) => void;
}

/** A place in the list: the next page of a resource template. */
interface Place {
  readonly entry: ResourceTemplateEntry;
  /** The template's own cursor. */
  readonly cursor?: string;
}

const readPage = optionsReader<ResourcePage>("page")({
  resources: required(arrayOf("resources", checkedLater)),
  nextCursor: assertNonEmptyString,
});

/** An invalid resource is left out of the page; the other resources are listed. */
function checkedLater(): void {}

/** Creates the handler for `resources/list`. */
export function resourceListMethod(options: ResourceListOptions): MethodHandler {
  const { resources, pageSize } = options;
  return (params, context) => {
    const cursor = readCursor(params);
    // The cursor of a page of registered resources is the URI of a resource.
    if (cursor !== undefined && !resources.has(cursor)) {
      return openPlace(options, cursor, context.principal)
        .then((place) => listPlace(options, place, context));
    }
    const { entries, ...rest } = resources.page(cursor, pageSize, context.principal);
    const page = { resources: entries.map(({ descriptor }) => descriptor), ...rest };
    const next = rest.nextCursor === undefined && nextTemplate(options, undefined, context);
    if (!next) return page;
    return entries.length === 0
      ? listPlace(options, { entry: next }, context)
      : withCursor(options, page, { entry: next }, context.principal);
  };
}

/** Returns the next template that lists resources and that the principal can see. */
function nextTemplate(
  { templates }: ResourceListOptions,
  after: ResourceTemplateEntry | undefined,
  { principal }: MethodContext,
): ResourceTemplateEntry | undefined {
  const key = after?.descriptor.uriTemplate;
  return templates.next(key, principal, ({ options: { list } }) => list !== undefined);
}

/** Returns a page of the resources of a template. */
async function listPlace(
  options: ResourceListOptions,
  { entry, cursor }: Place,
  context: MethodContext,
): Promise<JsonObject> {
  const { list } = entry.options;
  if (list === undefined) throw invalidCursor();
  // The template can be removed or renamed while it lists.
  const next = nextTemplate(options, entry, context);
  const request = { limit: options.pageSize, ...(cursor !== undefined && { cursor }) };
  const { resources, nextCursor } = readPage(await list(request, context));
  if (nextCursor !== undefined && nextCursor === cursor) {
    throw new TypeError(
      `"nextCursor" must differ from the cursor of the page, got ${formatValue(nextCursor)} twice`,
    );
  }
  const items = listable(options, entry, resources);
  if (nextCursor !== undefined) {
    const place = { entry, cursor: nextCursor };
    return await withCursor(options, { resources: items }, place, context.principal);
  }
  return next === undefined
    ? { resources: items }
    : await withCursor(options, { resources: items }, { entry: next }, context.principal);
}

/** Returns the resources that can be listed. The other resources are reported, in one error. */
function listable(
  { resources, pageSize, onError }: ResourceListOptions,
  { template, descriptor: { uriTemplate } }: ResourceTemplateEntry,
  listed: ResourcePage["resources"],
): readonly JsonValue[] {
  const items: JsonValue[] = [];
  const faults: string[] = [];
  for (const [index, given] of listed.slice(0, pageSize).entries()) {
    try {
      const resource = defined(readResource(given, `resources[${index}]`));
      const { uri } = resource;
      if (resources.has(uri)) faults.push(`${formatValue(uri)} is a registered resource`);
      else if (template.match(uri) === undefined) {
        faults.push(`${formatValue(uri)} does not match the template`);
      } else items.push(toJsonValue(resource));
    } catch (error) {
      faults.push(error instanceof Error ? error.message : String(error));
    }
  }
  if (listed.length > pageSize) {
    faults.push(`the page has ${listed.length} resources, more than "limit" (${pageSize})`);
  }
  const [first] = faults;
  if (first !== undefined) {
    const more = faults.length === 1 ? "" : ` (and ${faults.length - 1} more)`;
    const text = `Cannot list all resources of the template "${uriTemplate}": ${first}${more}`;
    onError(new TypeError(escapeText(text)));
  }
  return items;
}

/** Adds the cursor of the next page to a page. */
async function withCursor(
  { seal }: ResourceListOptions,
  page: JsonObject,
  { entry, cursor }: Place,
  principal: Principal | undefined,
): Promise<JsonObject> {
  const { uriTemplate } = entry.descriptor;
  const savedState = { uriTemplate, ...(cursor !== undefined && { cursor }) };
  const nextCursor = await seal.seal({ inputResponses: {}, savedState }, bindingOf(principal));
  if (nextCursor.length > MAX_CURSOR_CHARS) {
    throw new RangeError(
      `"nextCursor" of the template ${formatValue(uriTemplate)} must be shorter: the encrypted ` +
        `cursor has ${nextCursor.length} characters, more than ${MAX_CURSOR_CHARS}`,
    );
  }
  return { ...page, nextCursor };
}

/**
 * Returns the place that a cursor names.
 *
 * @throws {McpError} With code `protocol_error` and `rpcCode` -32602 if the cursor is not valid,
 * has expired, belongs to another principal, or names a template that the principal cannot see or
 * that was removed.
 */
async function openPlace(
  { templates, seal }: ResourceListOptions,
  text: string,
  principal: Principal | undefined,
): Promise<Place> {
  if (text.length > MAX_CURSOR_CHARS) throw invalidCursor();
  const { savedState } = await seal.open(text, bindingOf(principal)).catch(() => {
    throw invalidCursor();
  });
  if (!isRecord(savedState) || typeof savedState.uriTemplate !== "string") throw invalidCursor();
  const { uriTemplate, cursor } = savedState;
  const entry = templates.get(uriTemplate, principal);
  if (entry === undefined) throw invalidCursor();
  return { entry, ...(typeof cursor === "string" && { cursor }) };
}

/**
 * Cursors have the same encryption as request states, but are bound to the name of no method, so a
 * client cannot send a cursor as a request state, or the reverse.
 */
function bindingOf(principal: Principal | undefined): StateBinding {
  const method = `cursor of ${Method.ListResources}`;
  return { method, params: {}, subject: principal?.subject };
}
