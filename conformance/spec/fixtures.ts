/**
 * Writes the table of fixtures in PROTOCOL.md from fixtures.json.
 *
 * @module
 */

import { isObject } from "../kit/json.ts";

/** A tool, resource, prompt or resource template that cases for servers use. */
export interface Fixture {
  readonly kind: "tool" | "prompt" | "resource" | "template";
  /** Name of the tool or prompt, URI of the resource, or URI template. */
  readonly name: string;
  /** Id of the extension that the fixture belongs to. */
  readonly extension?: string;
  /** Media type of the resource. */
  readonly mimeType?: string;
  /** Names of the prompt's arguments, which are all required. */
  readonly arguments?: readonly string[];
  /** If omitted, the tool has no arguments that the schema describes. */
  readonly inputSchema?: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  /** Behavior that the cases rely on, as Markdown without a final period. */
  readonly behavior: string;
}

const START = "<!-- fixtures: deno task spec writes this table from spec/fixtures.json -->";
const END = "<!-- /fixtures -->";
const HEAD = ["Fixture", "Extension", "Arguments", "Behavior"];

/** Returns the name of a fixture in `needs.fixtures`, such as `tool:add_numbers`. */
export function idOf({ kind, name }: Pick<Fixture, "kind" | "name">): string {
  return `${kind}:${name}`;
}

/**
 * Replaces the table of fixtures in PROTOCOL.md.
 *
 * @throws {SyntaxError} If the text has no place for the table.
 */
export function writeFixtures(markdown: string, fixtures: readonly Fixture[]): string {
  const [before, rest] = splitOnce(markdown, START);
  const [, after] = splitOnce(rest, END);
  return `${before}${START}\n\n${formatTable(fixtures)}\n\n${END}${after}`;
}

function splitOnce(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator);
  if (at < 0) throw new SyntaxError(`Cannot write the fixtures: no line "${separator}"`);
  return [text.slice(0, at), text.slice(at + separator.length)];
}

/** Formats a table whose columns are aligned, as the formatter of the repository writes them. */
function formatTable(fixtures: readonly Fixture[]): string {
  const rows = fixtures.map((each) => [
    `\`${idOf(each)}\``,
    each.extension === undefined ? "" : `\`${each.extension.replace(/^.*\//, "")}\``,
    formatArguments(each),
    each.behavior,
  ]);
  const widths = HEAD.map((head, column) =>
    Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0))
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(HEAD), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

/** Formats the names and types of arguments. Other keywords are in fixtures.json only. */
function formatArguments({ arguments: names, inputSchema }: Fixture): string {
  if (names !== undefined) return names.map((name) => `\`${name}\``).join(", ");
  if (inputSchema === undefined) return "";
  const { properties = {}, type: _type, required: _required, ...others } = inputSchema;
  if (!isObject(properties) || Object.keys(others).length > 0) return SEE_FILE;
  const found = Object.entries(properties).map(([name, schema]) =>
    isObject(schema) && typeof schema.type === "string" && Object.keys(schema).length === 1
      ? `\`${name}\` (${schema.type})`
      : undefined
  );
  return found.includes(undefined) ? SEE_FILE : found.join(", ");
}

const SEE_FILE = "the schema in `fixtures.json`";
