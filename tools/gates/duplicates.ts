/**
 * Finds code that two members repeat: runs of at least six equal lines. Blank lines, comments,
 * imports, exports from other modules, and lines that contain only punctuation are not counted, and
 * white space does not matter. Tests and generated files are not checked.
 *
 *     deno task layers
 *     deno run -A tools/gates/duplicates.ts --list      also lists the pairs that duplicates_ratchet.json allows
 *     deno run -A tools/gates/duplicates.ts --write     lowers the numbers in the ratchet; never raises them
 *
 * @module
 */

import { readFlags, runTool } from "../cli.ts";
import { COPIES } from "./copies.ts";
import { ROOT } from "../members.ts";
import ratchet from "./duplicates_ratchet.json" with { type: "json" };
import { splitSource } from "./lexer.ts";
import { compareToRatchet, lowerRatchet } from "./ratchet.ts";
import { readProductSources, type SourceText } from "./sources.ts";

/** Lines of a file: the first and the last, starting at 1. */
export interface LineRange {
  readonly path: string;
  readonly first: number;
  readonly last: number;
}

/** Equal lines in two members. The path of `a` is before that of `b` in the alphabet. */
export interface DuplicateRun {
  readonly a: LineRange;
  readonly b: LineRange;
}

/** The lines of a file that are compared, without the other lines. */
interface ComparedFile {
  readonly path: string;
  /** Number of each line's text. Equal texts have equal numbers. */
  readonly texts: readonly number[];
  /** Number of each line in the file, starting at 1. */
  readonly lines: readonly number[];
}

const RATCHET = "tools/gates/duplicates_ratchet.json";

/** Minimum number of equal lines. */
const MIN_LINES = 6;

/** Files that a program writes from other files. */
const GENERATED: ReadonlySet<string> = new Set([
  "mcp/init/starters.ts",
  "runtime/init/starters.ts",
  ...COPIES.map(({ path }) => path),
]);

const IMPORT = /^import\b(?!\s*[(.])[^;]*;/gm;
const EXPORT_FROM = /^export\s+(?:type\s+)?(?:\*[^;]*|\{[^}]*\}\s*)from\b[^;]*;/gm;
const ONLY_PUNCTUATION = /^[^\p{L}\p{N}]*$/u;

/** Returns the equal lines in the files of different members. */
export function findDuplicates(sources: readonly SourceText[]): DuplicateRun[] {
  const numbers = new Map<string, number>();
  const files = sources.map((source) => readComparedFile(source, numbers))
    .toSorted((a, b) => a.path < b.path ? -1 : 1);
  const runs: DuplicateRun[] = [];
  for (const diagonal of findDiagonals(files).values()) runs.push(...joinMatches(diagonal));
  return runs.toSorted((one, other) => formatRun(one) < formatRun(other) ? -1 : 1);
}

/**
 * Reads the lines to compare. `numbers` contains the number of each text, and receives new texts.
 */
function readComparedFile(
  { path, source }: SourceText,
  numbers: Map<string, number>,
): ComparedFile {
  const texts: number[] = [];
  const lines: number[] = [];
  const code = withoutComments(source).replace(IMPORT, lineBreaks).replace(EXPORT_FROM, lineBreaks);
  for (const [index, line] of code.split("\n").entries()) {
    const text = line.replace(/\s+/g, " ").trim();
    if (ONLY_PUNCTUATION.test(text)) continue;
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    texts.push(number);
    lines.push(index + 1);
  }
  return { path, texts, lines };
}

/** Removes the comments, but keeps their line breaks. */
function withoutComments(source: string): string {
  let code = "";
  let at = 0;
  for (const { kind, start, end } of splitSource(source)) {
    if (kind !== "doc" && kind !== "comment") continue;
    code += source.slice(at, start) + lineBreaks(source.slice(start, end));
    at = end;
  }
  return code + source.slice(at);
}

function lineBreaks(text: string): string {
  return text.replace(/[^\n]/g, "");
}

/**
 * Two files, and the positions in the first file at which both contain the same
 * {@linkcode MIN_LINES} lines.
 */
interface Diagonal {
  readonly a: ComparedFile;
  readonly b: ComparedFile;
  /** Difference between the position in the first and that in the second file. */
  readonly shift: number;
  readonly positions: number[];
}

/** Finds the equal lines, grouped by the pair of files and the distance of the lines. */
function findDiagonals(files: readonly ComparedFile[]): Map<string, Diagonal> {
  const places = new Map<string, { readonly file: ComparedFile; readonly at: number }[]>();
  const diagonals = new Map<string, Diagonal>();
  for (const b of files) {
    for (let at = 0; at + MIN_LINES <= b.texts.length; at++) {
      const key = b.texts.slice(at, at + MIN_LINES).join();
      const equal = places.get(key) ?? [];
      for (const { file: a, at: before } of equal) {
        if (memberOf(a.path) === memberOf(b.path)) continue;
        const shift = before - at;
        const name = `${a.path} ${b.path} ${shift}`;
        const diagonal = diagonals.get(name) ?? { a, b, shift, positions: [] };
        diagonal.positions.push(before);
        diagonals.set(name, diagonal);
      }
      places.set(key, [...equal, { file: b, at }]);
    }
  }
  return diagonals;
}

/** Joins overlapping matches of two files to runs of maximum length. */
function joinMatches({ a, b, shift, positions }: Diagonal): DuplicateRun[] {
  const spans: { first: number; last: number }[] = [];
  for (const first of positions) {
    const open = spans.at(-1);
    if (open !== undefined && first <= open.last) open.last = first + MIN_LINES - 1;
    else spans.push({ first, last: first + MIN_LINES - 1 });
  }
  return spans.map(({ first, last }) => ({
    a: toRange(a, first, last),
    b: toRange(b, first - shift, last - shift),
  }));
}

function toRange({ path, lines }: ComparedFile, first: number, last: number): LineRange {
  return { path, first: lines[first] ?? 0, last: lines[last] ?? 0 };
}

function memberOf(path: string): string {
  return path.slice(0, path.indexOf("/"));
}

/** Formats a run: `comm/a.ts:10-24 ~ mcp/b.ts:40-54`. */
export function formatRun({ a, b }: DuplicateRun): string {
  return `${a.path}:${a.first}-${a.last} ~ ${b.path}:${b.first}-${b.last}`;
}

/**
 * Returns the number of pairs of files that repeat code, for each pair of members: `comm ~ mcp`.
 */
export function countPairs(runs: readonly DuplicateRun[]): Map<string, number> {
  const pairs = new Map(runs.map((run) => [`${run.a.path} ${run.b.path}`, membersOf(run)]));
  const counts = new Map<string, number>();
  for (const members of pairs.values()) counts.set(members, (counts.get(members) ?? 0) + 1);
  return counts;
}

function membersOf({ a, b }: DuplicateRun): string {
  return `${memberOf(a.path)} ~ ${memberOf(b.path)}`;
}

async function main(): Promise<number> {
  const flag = { type: "boolean" } as const;
  const { list = false, write = false } = readFlags(Deno.args, { list: flag, write: flag });
  const sources = (await readProductSources()).filter(({ path }) => !GENERATED.has(path));
  const runs = findDuplicates(sources);
  const counts = countPairs(runs);
  if (write) {
    const lowered = JSON.stringify(lowerRatchet(ratchet, counts), null, 2);
    await Deno.writeTextFile(new URL(RATCHET, ROOT), `${lowered}\n`);
    return 0;
  }
  const { errors, hints } = compareToRatchet(counts, ratchet, RATCHET);
  if (list) { for (const run of runs) console.log(formatRun(run)); }
  for (const run of runs) {
    if (errors.some((error) => error.startsWith(`${membersOf(run)}:`))) {
      console.error(`${formatRun(run)} repeat the same code; write it once`);
    }
  }
  for (const error of errors) console.error(`pairs of files in ${error}`);
  for (const hint of hints) console.log(`pairs of files in ${hint}`);
  if (hints.length > 0) {
    console.log("deno run -A tools/gates/duplicates.ts --write lowers the numbers");
  }
  const pairs = [...counts.values()].reduce((sum, count) => sum + count, 0);
  console.log(
    `duplicates: ${sources.length} files, ${pairs} pairs between members, ${errors.length} errors`,
  );
  return errors.length === 0 ? 0 : 1;
}

if (import.meta.main) await runTool("duplicates", main);
