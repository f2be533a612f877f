/**
 * Lists the locations in the Parley libraries where random mutants can be made.
 *
 * @module
 */

import type { DrawnMutant } from "../drawn_mutant.ts";
import { listSites, type Site } from "./operators.ts";
import { ts } from "./typescript.ts";

/** A location, and the file that contains it. */
export interface Place extends Site {
  /** Path relative to the root of the repository. */
  readonly file: string;
  /** Text of the file. */
  readonly text: string;
}

/** Paths of files that contain no library code. */
const NO_CODE = /_test\.ts$|\/testdata\/|\/stress\/|\.d\.ts$/;

/**
 * Lists the paths of the files that are mutated, relative to the root of the repository.
 *
 * @param repository Path to the repository, without a trailing slash.
 * @param member Folder of the member.
 * @param outside Prefixes of paths that are not mutated.
 */
export function listFiles(
  repository: string,
  member: string,
  outside: readonly string[],
): readonly string[] {
  return ts.sys.readDirectory(`${repository}/${member}`, [".ts"], ["**/node_modules"])
    .map((path) => path.slice(repository.length + 1))
    .filter((file) => !NO_CODE.test(file))
    .filter((file) => !outside.some((prefix) => file.startsWith(prefix)))
    .toSorted();
}

/** Lists the locations in a file, in file order. */
export function listPlaces(repository: string, file: string): readonly Place[] {
  const path = `${repository}/${file}`;
  const text = ts.sys.readFile(path) ?? "";
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true);
  return listSites(source).map((site) => ({ file, text, ...site }));
}

/**
 * Returns the smallest range of whole lines that contains a location and occurs once in the file,
 * because a mutant replaces a string that occurs once.
 */
function findUniqueRange({ text, start, end }: Place): readonly [number, number] {
  let from = text.lastIndexOf("\n", start - 1) + 1;
  const lineEnd = text.indexOf("\n", end);
  const to = lineEnd < 0 ? text.length : lineEnd;
  while (from > 0 && text.split(text.slice(from, to)).length > 2) {
    from = text.lastIndexOf("\n", from - 2) + 1;
  }
  return [from, to];
}

/** Returns the mutant that writes a text at a location. */
export function toMutant(place: Place, after: string): Omit<DrawnMutant, "id" | "member"> {
  const { file, text, operator, context, start, end } = place;
  const [from, to] = findUniqueRange(place);
  return {
    file,
    line: text.slice(0, start).split("\n").length,
    operator,
    context,
    before: text.slice(start, end),
    after,
    find: text.slice(from, to),
    replace: text.slice(from, start) + after + text.slice(end, to),
  };
}
