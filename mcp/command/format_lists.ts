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

/** Maximum length of a description, in characters. A narrow terminal has less space. */
const MAX_DESCRIPTION = 90;

/** Minimum length to which a description is truncated, in characters. */
const MIN_DESCRIPTION = 20;

/** An item, and its description. */
type Row = readonly [item: string, description: string];

/**
 * Formats lists, each with a heading and one line per item. If all lists were requested, those
 * without items are omitted.
 *
 * @param columns Width of the terminal. Descriptions are truncated so that lines are not wrapped.
 */
export function formatLists(
  { tools, resources, templates, prompts }: Lists,
  columns: number = Infinity,
): string {
  const lists = [tools, resources, templates, prompts];
  const isComplete = lists.every((list) => list !== undefined);
  const shown = <Item>(items: readonly Item[] | undefined) =>
    isComplete && items?.length === 0 ? undefined : items;
  const formatList = createFormat(columns);
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

/** Creates a function that formats one list for a terminal. */
function createFormat(columns: number) {
  return <Item>(
    heading: string,
    items: readonly Item[] | undefined,
    toRow: (item: Item) => Row,
  ): readonly string[] => {
    if (items === undefined) return [];
    const rows = items.map(toRow).map(([item, text]): Row => [escapeText(item), text]);
    const lengths = rows.map(([item]) => item.length).filter((length) => length <= MAX_WIDTH);
    const width = Math.max(0, ...lengths);
    const space = Math.min(MAX_DESCRIPTION, Math.max(MIN_DESCRIPTION, columns - width - 4));
    const lines = rows.map(([item, text]) => formatRow([item, firstLine(text, space)], width));
    return [[`${heading} (${items.length})`, ...lines].join("\n")];
  };
}

function formatRow([item, description]: Row, width: number): string {
  if (description === "") return `  ${item}`;
  return item.length <= width
    ? `  ${item.padEnd(width)}  ${description}`
    : `  ${item}\n  ${" ".repeat(width)}  ${description}`;
}

function firstLine(text: string, maxLength: number): string {
  const [line = ""] = text.trim().split(/\r?\n/);
  const escaped = escapeText(line.trim());
  return escaped.length <= maxLength ? escaped : excerpt(escaped, maxLength - 1);
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
