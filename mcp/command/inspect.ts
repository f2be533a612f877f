/**
 * The description of a server that `parley-mcp inspect` prints.
 *
 * @module
 */

import { escapeText } from "@parley/internal/escape-text";
import { quote } from "@parley/internal/format-value";
import { isRecord } from "@parley/internal/json";
import type { McpClient } from "../client/client.ts";
import type { RequestOptions } from "../client/request_options.ts";
import type { JsonObject } from "../shared/json.ts";
import { messageOf } from "./exit_code.ts";
import { formatCount } from "./format_content.ts";

/** One list of a server, or the error of its request. */
export type InspectedList =
  & { readonly durationMs: number }
  & ({ readonly count: number; readonly chars: number } | { readonly error: string });

/** Description of a server. */
export interface Inspection {
  readonly name: string;
  readonly version: string;
  readonly protocolVersion: string;
  readonly era: string;
  readonly connectMs: number;
  readonly capabilities: JsonObject;
  readonly instructions?: string;
  /** The lists, keyed by name. */
  readonly lists: Readonly<Record<string, InspectedList>>;
  /** Warnings of the client, such as accepted deviations from the protocol. */
  readonly warnings: readonly string[];
}

/** Requests all lists of a connected server. A list that fails does not end the inspection. */
export async function inspectServer(
  client: McpClient,
  { connectMs, warnings, request }: {
    readonly connectMs: number;
    /** Warnings so far. The list grows while the lists are requested. */
    readonly warnings: readonly string[];
    readonly request: RequestOptions;
  },
): Promise<Inspection> {
  const { info, protocolVersion = "", capabilities = {}, instructions } = client.server ?? {};
  const names: string[] = [];
  const listTools = async () => {
    const tools = await client.listTools(request);
    names.push(...tools.map(({ name }) => name));
    return tools;
  };
  const lists = {
    tools: await measure(listTools, request),
    resources: await measure(() => client.listResources(request), request),
    templates: await measure(() => client.listResourceTemplates(request), request),
    prompts: await measure(() => client.listPrompts(request), request),
  };
  return {
    name: info?.name ?? "unknown",
    version: info?.version ?? "unknown",
    protocolVersion,
    era: client.era ?? "unknown",
    connectMs: round(connectMs),
    capabilities: { ...capabilities },
    ...(instructions === undefined ? {} : { instructions }),
    lists,
    warnings: [...warnings, ...names.filter(isRejected).map(warnOfName)],
  };
}

/** Model APIs accept names of at most 64 letters, digits, underscores and hyphens. */
function isRejected(name: string): boolean {
  return !/^[A-Za-z0-9_-]{1,64}$/.test(name);
}

function warnOfName(name: string): string {
  return `many model APIs reject the tool name ${
    quote(name)
  }; use at most 64 letters, digits, "_" and "-"`;
}

async function measure(
  list: () => Promise<readonly unknown[]>,
  { signal }: RequestOptions,
): Promise<InspectedList> {
  const startedAt = performance.now();
  try {
    const items = await list();
    const durationMs = round(performance.now() - startedAt);
    return { durationMs, count: items.length, chars: JSON.stringify(items).length };
  } catch (error) {
    signal?.throwIfAborted();
    return { durationMs: round(performance.now() - startedAt), error: messageOf(error) };
  }
}

function round(durationMs: number): number {
  return Math.round(durationMs * 10) / 10;
}

/** Formats a description for the terminal. */
export function formatInspection(inspection: Inspection): string {
  const { name, version, protocolVersion, era, connectMs, instructions, warnings } = inspection;
  const { extensions, ...capabilities } = inspection.capabilities;
  const facts: readonly (readonly [string, string])[] = [
    ["server", `${name} ${version}`],
    ["protocol", `${protocolVersion} (${era})`],
    ["connected in", `${connectMs.toFixed(1)} ms`],
    ["capabilities", formatCapabilities(capabilities)],
    ["extensions", isRecord(extensions) ? formatNames(Object.keys(extensions)) : "none"],
    ["instructions", instructions === undefined ? "none" : formatChars(instructions.length)],
  ];
  return [
    ...facts.map(([label, value]) => `${label.padEnd(LABEL_WIDTH)}${escapeText(value)}`),
    "",
    ...formatTable(inspection.lists),
    "",
    warnings.length === 0 ? "no warnings" : "warnings",
    ...warnings.map((warning) => `  ${escapeText(warning)}`),
  ].join("\n");
}

const LABEL_WIDTH = 14;

/** Formats the lists as a table whose numbers are aligned on the right. */
function formatTable(lists: Inspection["lists"]): readonly string[] {
  const rows = Object.entries(lists).map(([name, list]) =>
    "error" in list ? { name, cells: ["-", "-", list.durationMs.toFixed(1)], error: list.error } : {
      name,
      cells: [formatCount(list.count), formatCount(list.chars), list.durationMs.toFixed(1)],
      error: undefined,
    }
  );
  const all = [{ name: "", cells: ["items", "characters", "ms"], error: undefined }, ...rows];
  const widths = [0, 1, 2].map((column) =>
    Math.max(...all.map(({ cells }) => cells[column]?.length ?? 0))
  );
  return all.map(({ name, cells, error }) => {
    const numbers = cells.map((cell, column) => cell.padStart(widths[column] ?? 0)).join("  ");
    const line = `${name.padEnd(LABEL_WIDTH)}${numbers}`;
    return error === undefined ? line : `${line}  ${escapeText(error)}`;
  });
}

/** Formats capabilities, each with the features that it declares. */
function formatCapabilities(capabilities: JsonObject): string {
  return formatNames(
    Object.entries(capabilities).map(([name, value]) => {
      const features = isRecord(value)
        ? Object.keys(value).filter((key) => value[key] !== false)
        : [];
      return features.length === 0 ? name : `${name} (${features.join(", ")})`;
    }),
  );
}

function formatNames(names: readonly string[]): string {
  return names.length === 0 ? "none" : names.join(", ");
}

function formatChars(count: number): string {
  return `${formatCount(count)} characters`;
}
