/**
 * The tools, resources, resource templates and prompts of one server, as the gateway offers them.
 *
 * @module
 */

import { type ParameterHeader, readParameterHeaders } from "../protocol/headers.ts";
import type { McpPrompt } from "../protocol/prompt.ts";
import type { McpResource, McpResourceTemplate } from "../protocol/resource.ts";
import type { McpToolDescriptor } from "../protocol/tool.ts";
import { formatValue } from "@parley/internal/format-value";
import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { prefixedName } from "@parley/internal/prefixed-name";
import { canonicalUri } from "../server/uri_resemblance.ts";
import { toolFingerprint } from "./fingerprint.ts";
import { escapeText } from "@parley/internal/escape-text";

/** An item that the gateway offers. */
export interface Item {
  /**
   * Name of the tool or prompt on the server behind the gateway, URI of the resource, or URI
   * template of the resource template.
   */
  readonly name: string;
  /** Description of the item for the gateway's clients. */
  readonly descriptor: JsonObject;
  /** Arguments of the tool that are mirrored in HTTP headers. */
  readonly parameterHeaders: readonly ParameterHeader[];
}

/** Kinds of items. */
export type ItemKind = "tools" | "resources" | "templates" | "prompts";

/** Items by kind and by the name that the gateway's clients use. */
export type Items = Readonly<Record<ItemKind, ReadonlyMap<string, Item>>>;

/** The tools, resources, resource templates and prompts that a server lists. */
export interface ServerLists {
  readonly tools: readonly McpToolDescriptor[];
  readonly resources: readonly McpResource[];
  readonly templates: readonly McpResourceTemplate[];
  readonly prompts: readonly McpPrompt[];
}

/** Options for {@linkcode toItems}. */
export interface ItemOptions {
  /** Key of the server, for error messages. */
  readonly key: string;
  /** Prefix for the names of tools and prompts. */
  readonly prefix: string;
  /** Expected fingerprints of tools. */
  readonly fingerprints: ReadonlyMap<string, string>;
  /** Maximum number of items. */
  readonly maxItems: number;
  /** Called with an error for each item that is omitted. */
  readonly onError: (error: unknown) => void;
}

/**
 * Maximum length of a name or URI, in characters. An item whose name exceeds `MAX_NAME_CHARS` is
 * omitted.
 */
const MAX_NAME_CHARS = 8192;

/**
 * Maximum number of resource templates of one server, because each template is compared with the
 * URIs and templates of all other servers.
 */
const MAX_TEMPLATES = 1000;

/**
 * Maximum number of resource templates of one server that can match one URI: templates with the
 * same literal text before the first variable, or with a beginning of it.
 */
const MAX_TEMPLATES_PER_PREFIX = 100;

/** Maximum number of characters of the names and URIs of one server, because they are kept. */
const MAX_TOTAL_CHARS = 8_388_608;

/**
 * Converts the lists of a server. An item that the gateway cannot offer is omitted and reported.
 *
 * @throws {McpError} With code `protocol_error` if the server has more than `maxItems` items, too
 * many characters in names and URIs, or too many or too long resource templates. A template is not
 * omitted, because the gateway must know which URIs are hidden.
 */
export async function toItems(lists: ServerLists, options: ItemOptions): Promise<Items> {
  const { tools, resources, templates, prompts } = lists;
  const { prefix, maxItems } = options;
  const count = tools.length + resources.length + templates.length + prompts.length;
  if (count > maxItems) {
    throw McpError.protocolError(
      `the server has ${count} items, more than "maxItems" (${maxItems})`,
    );
  }
  assertTemplates(templates.map(({ uriTemplate }) => uriTemplate));
  assertTotalChars(lists);
  return {
    tools: await collect("tool", tools, options, async (tool) => {
      const name = await prefixedName(prefix, tool.name);
      const headers = readParameterHeaders(tool.inputSchema);
      if (!headers.ok) return headers.reason;
      const expected = options.fingerprints.get(name);
      if (expected !== undefined && expected !== await toolFingerprint(tool)) {
        return 'its fingerprint differs from "fingerprints"; review the tool, then update the option';
      }
      const parameterHeaders = headers.value;
      return [name, { ...toItem(tool.name, { ...tool, name }), parameterHeaders }];
    }),
    resources: await collect(
      "resource",
      resources,
      options,
      (resource) => [resource.uri, toItem(resource.uri, { ...resource })],
    ),
    templates: await collect("resource template", templates, options, (template) => {
      const { uriTemplate } = template;
      return [uriTemplate, toItem(uriTemplate, { ...template })];
    }),
    prompts: await collect("prompt", prompts, options, async (prompt) => {
      const name = await prefixedName(prefix, prompt.name);
      return [name, toItem(prompt.name, { ...prompt, name })];
    }),
  };
}

/** @throws {McpError} With code `protocol_error` if there are too many or too long templates. */
function assertTemplates(uriTemplates: readonly string[]): void {
  if (uriTemplates.length > MAX_TEMPLATES) {
    throw McpError.protocolError(`the server has more than ${MAX_TEMPLATES} resource templates`);
  }
  if (uriTemplates.some(({ length }) => length > MAX_NAME_CHARS)) {
    throw McpError.protocolError(
      `the server has a resource template with more than ${MAX_NAME_CHARS} characters`,
    );
  }
  const prefixes = uriTemplates.map((text) => canonicalUri(text.split("{", 1)[0] ?? ""));
  for (const prefix of new Set(prefixes)) {
    const count = prefixes.filter((other) => prefix.startsWith(other)).length;
    if (count <= MAX_TEMPLATES_PER_PREFIX) continue;
    throw McpError.protocolError(
      `the server has more than ${MAX_TEMPLATES_PER_PREFIX} resource templates for the URIs that ` +
        `start with ${formatValue(prefix)}`,
    );
  }
}

/** @throws {McpError} With code `protocol_error` if the names and URIs are too long in total. */
function assertTotalChars({ tools, prompts, resources, templates }: ServerLists): void {
  let total = 0;
  for (const { name } of [...tools, ...prompts]) total += name.length;
  for (const { uri } of resources) total += uri.length;
  for (const { uriTemplate } of templates) total += uriTemplate.length;
  if (total <= MAX_TOTAL_CHARS) return;
  throw McpError.protocolError(
    `the names and URIs of the server have more than ${MAX_TOTAL_CHARS} characters`,
  );
}

/**
 * Converts one list of a server. `convert` returns the name and the item, or the reason why the
 * item is omitted.
 */
async function collect<Descriptor extends object>(
  kind: string,
  list: readonly Descriptor[],
  { key, onError }: ItemOptions,
  convert: (descriptor: Descriptor) => Conversion | Promise<Conversion>,
): Promise<ReadonlyMap<string, Item>> {
  const items = new Map<string, Item>();
  for (const descriptor of list) {
    const converted = await convert(descriptor);
    const reason = typeof converted === "string" ? converted : reasonToOmit(converted, items);
    if (typeof converted !== "string" && reason === undefined) items.set(...converted);
    else {
      const name = Reflect.get(descriptor, "name");
      const item = `${kind} ${formatValue(name)}  from the server "${key}"`;
      onError(new Error(escapeText(`Cannot offer the ${item}: ${reason}`)));
    }
  }
  return items;
}

type Conversion = string | readonly [name: string, item: Item];

function reasonToOmit(
  [name, item]: readonly [string, Item],
  items: ReadonlyMap<string, Item>,
): string | undefined {
  if (item.name === "") return "the name is empty";
  if (item.name.length > MAX_NAME_CHARS) {
    return `the name has more than ${MAX_NAME_CHARS} characters`;
  }
  return items.has(name) ? "the server lists the item twice" : undefined;
}

function toItem(name: string, descriptor: JsonObject): Item {
  return { name, descriptor, parameterHeaders: [] };
}
