/**
 * Reads, checks and formats the case files of a folder.
 *
 * @module
 */

import { formatCaseFile } from "../kit/format_cases.ts";
import { isObject, type JsonObject, readJson } from "../kit/json.ts";

/** Texts of case files, keyed by their path relative to the folder of cases, sorted by path. */
export type CaseTexts = ReadonlyMap<string, string>;

/** Reads all JSON files in a folder and its folders. */
export async function readCaseTexts(folder: URL): Promise<CaseTexts> {
  const paths = await listFiles(folder, "");
  const texts = paths.toSorted().map(async (path) =>
    [path, await Deno.readTextFile(new URL(path, folder))] as const
  );
  return new Map(await Promise.all(texts));
}

/** Formats each case file that is not formatted. */
export async function formatAll(folder: URL): Promise<void> {
  for (const [path, text] of await readCaseTexts(folder)) {
    const formatted = formatText(text);
    if (formatted !== undefined && formatted !== text) {
      await Deno.writeTextFile(new URL(path, folder), formatted);
    }
  }
}

/** Returns the path, the first differing line and the reason for each text that is not formatted. */
export function findUnformatted(texts: CaseTexts): readonly string[] {
  return [...texts].flatMap(([path, text]) => {
    const formatted = formatText(text);
    if (formatted === text) return [];
    if (formatted === undefined) return [`${path} is not a JSON object`];
    return [`${path}:${firstDifference(text, formatted)} is not formatted; run deno task cases`];
  });
}

/** Formats the text of a case file. Returns `undefined` if the text is not a JSON object. */
function formatText(text: string): string | undefined {
  const value = readJson(text)?.value;
  return isJsonObject(value) ? formatCaseFile(value) : undefined;
}

/** The members of a parsed object are JSON values. */
function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value);
}

/** Returns the number of the first line that differs, counted from 1. */
function firstDifference(text: string, formatted: string): number {
  const lines = text.split("\n");
  const other = formatted.split("\n");
  const count = Math.max(lines.length, other.length);
  return Array.from({ length: count }, (_, index) => index)
    .findIndex((index) => lines[index] !== other[index]) + 1;
}

async function listFiles(folder: URL, below: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(new URL(below, folder))) {
    if (isDirectory) found.push(...await listFiles(folder, `${below}${name}/`));
    else if (name.endsWith(".json")) found.push(`${below}${name}`);
  }
  return found;
}
