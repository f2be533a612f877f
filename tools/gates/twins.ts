/**
 * Checks that the files in each group in tools/twins.json are identical except for import
 * statements. Members do not import from each other, so a small helper that two members need exists
 * twice.
 *
 *     deno task layers
 *
 * @module
 */

import { readFlags, runTool } from "../cli.ts";
import { ROOT } from "../members.ts";
import groups from "../twins.json" with { type: "json" };
import { formatPlace } from "./places.ts";

/** Files that must be identical. */
export interface TwinGroup {
  /** Paths relative to the repository root. */
  readonly files: readonly string[];
}

/** Matches the import statements in a file and in its documented examples. */
const IMPORT = /^(?: \* )?import\b[^;]*;\n/gm;

/** Returns one line for each file that differs from the first file in its group. */
export async function compareTwins(
  groups: readonly TwinGroup[],
  read: (path: string) => Promise<string | undefined>,
): Promise<string[]> {
  const errors: string[] = [];
  for (const { files: [first = "", ...others] } of groups) {
    if (others.length === 0) errors.push(`${first}: a group needs at least two files`);
    const expected = await read(first);
    if (expected === undefined) errors.push(`${first} does not exist`);
    for (const other of others) {
      const actual = await read(other);
      if (actual === undefined) errors.push(`${other} does not exist`);
      if (actual === undefined || expected === undefined) continue;
      const difference = findDifference(expected, actual);
      if (difference === undefined) continue;
      errors.push(
        `${formatPlace(other, difference.line)} differs from ${first}: ${difference.text}; ` +
          "make the same change in each file of the group",
      );
    }
  }
  return errors;
}

/** Describes the first line that differs, or returns `undefined` if the files are equal. */
function findDifference(
  expected: string,
  actual: string,
): { readonly line: number; readonly text: string } | undefined {
  const [left, right] = [linesWithoutImports(expected), linesWithoutImports(actual)];
  const length = Math.max(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const [before, after] = [left[index], right[index]];
    if (before?.text === after?.text) continue;
    return {
      line: after?.line ?? right.at(-1)?.line ?? 1,
      text: `expected ${quote(before?.text)}, got ${quote(after?.text)}`,
    };
  }
  return undefined;
}

/** Returns the lines that are not part of an import statement, with their numbers. */
function linesWithoutImports(source: string): { readonly line: number; readonly text: string }[] {
  const blanked = source.replace(IMPORT, (found) => found.replace(/[^\n]+/g, "\0"));
  return blanked.split("\n").map((text, index) => ({ line: index + 1, text }))
    .filter(({ text }) => text !== "\0");
}

function quote(line: string | undefined): string {
  return line === undefined ? "the end of the file" : JSON.stringify(line.trim().slice(0, 80));
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(new URL(path, ROOT));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

async function main(): Promise<number> {
  readFlags(Deno.args, {});
  const errors = await compareTwins(groups, readIfPresent);
  for (const error of errors) console.error(error);
  console.log(`twins: ${groups.length} groups, ${errors.length} errors`);
  return errors.length === 0 ? 0 : 1;
}

if (import.meta.main) await runTool("twins", main);
