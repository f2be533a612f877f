/**
 * Lists of a server's tools, resources and prompts, as text.
 *
 * @module
 */

import { escapeText, excerpt } from "@parley/internal/escape-text";
import { isRecord } from "@parley/internal/json";
import type { McpPrompt } from "../protocol/prompt.ts";
import type { McpResource, McpResourceTemplate } from "../protocol/resource.ts";
import type { McpToolDescriptor } from "../protocol/tool.ts";
import type { JsonObject } from "../shared/json.ts";
import { formatTypes } from "./call_arguments.ts";

/** The lists of a server. A list that was not requested or that has failed is `undefined`. */
export interface Lists {
  readonly tools: readonly McpToolDescriptor[] | undefined;
  readonly resources: readonly McpResource[] | undefined;
  readonly templates: readonly McpResourceTemplate[] | undefined;
  readonly prompts: readonly McpPrompt[] | undefined;
}

/** Maximum width of the first column. The description of a wider item is on the next line. */
const MAX_WIDTH = 44;

/** Maximum length of a description, in characters. */
const MAX_DESCRIPTION = 90;

/** An item, and its description. */
type Row = readonly [item: string, description: string];

/**
 * Formats lists, each with a heading and one line per item. If all lists were requested, those
 * without items are omitted.
 */
export function formatLists({ tools, resources, templates, prompts }: Lists): string {
  const lists = [tools, resources, templates, prompts];
  const isComplete = lists.every((list) => list !== undefined);
  const shown = <Item>(items: readonly Item[] | undefined) =>
    isComplete && items?.length === 0 ? undefined : items;
  const texts = [
    ...formatList("Tools", shown(tools), ({ name, inputSchema, description, title }) => {
      return [`${name}(${formatParameters(inputSchema)})`, description || (title ?? "")];
    }),
    ...formatList("Resources", shown(resources), (item) => [item.uri, describe(item)]),
    ...formatList("Resource templates", shown(templates), (item) => {
      return [item.uriTemplate, describe(item)];
    }),
    ...formatList("Prompts", shown(prompts), (prompt) => {
      const names = prompt.arguments.map((argument) => mark(argument.name, argument.required));
      return [`${prompt.name}(${names.join(", ")})`, prompt.description ?? prompt.title ?? ""];
    }),
  ];
  return texts.length === 0 ? "No tools, resources or prompts" : texts.join("\n\n");
}

function formatList<Item>(
  heading: string,
  items: readonly Item[] | undefined,
  toRow: (item: Item) => Row,
): readonly string[] {
  if (items === undefined) return [];
  const rows = items.map(toRow).map(([item, description]): Row => {
    return [escapeText(item), firstLine(description)];
  });
  const lengths = rows.map(([item]) => item.length).filter((length) => length <= MAX_WIDTH);
  const width = Math.max(0, ...lengths);
  return [[`${heading} (${items.length})`, ...rows.map((row) => formatRow(row, width))].join("\n")];
}

function formatRow([item, description]: Row, width: number): string {
  if (description === "") return `  ${item}`;
  return item.length <= width
    ? `  ${item.padEnd(width)}  ${description}`
    : `  ${item}\n  ${" ".repeat(width)}  ${description}`;
}

function firstLine(text: string): string {
  const [line = ""] = text.trim().split(/\r?\n/);
  return excerpt(escapeText(line.trim()), MAX_DESCRIPTION);
}

function describe(
  { name, title, mimeType, description }: McpResource | McpResourceTemplate,
): string {
  const label = title ?? name;
  const type = mimeType === undefined ? "" : ` (${mimeType})`;
  return description === undefined ? `${label}${type}` : `${label}${type}: ${description}`;
}

/** Formats the parameters of a tool, such as `a: number, b?: string`. */
function formatParameters(schema: JsonObject): string {
  const { properties, required } = schema;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const entries = Object.entries(isRecord(properties) ? properties : {});
  return entries.map(([name, parameter]) => {
    return `${mark(name, needed.includes(name))}: ${formatTypes(parameter, schema)}`;
  }).join(", ");
}

function mark(name: string, isRequired = false): string {
  return isRequired ? name : `${name}?`;
}
