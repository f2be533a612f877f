/**
 * Checks the lines of comments: no line is wider than 100 columns, and no line is torn, that is,
 * ends in the middle of a sentence although the next word would leave 20 columns. Code, tables,
 * headings, examples and directives are not checked. comments_ratchet.json lists the number of
 * faults that each folder may have.
 *
 *     deno task comments                    checks all files; `deno task fmt` does the same
 *     deno task comments --write [PATH...]  wraps the comments that have a fault, in all files or in
 *                                           some files and folders, and lowers the numbers in the
 *                                           ratchet; never raises them
 *
 * @module
 */

import { readArguments, runTool, ToolError } from "../cli.ts";
import { ROOT } from "../members.ts";
import { type CommentFault, findCommentFaults, MAX_COLUMNS, wrapComments } from "./comment_wrap.ts";
import ratchet from "./comments_ratchet.json" with { type: "json" };
import { compareToRatchet, lowerRatchet } from "./ratchet.ts";
import { readSources, type SourceText } from "./sources.ts";

/** A fault and its file. */
export interface FaultPlace extends CommentFault {
  readonly path: string;
}

const RATCHET = "tools/gates/comments_ratchet.json";

const MESSAGES: Readonly<Record<CommentFault["kind"], string>> = {
  after_code: `the line is wider than ${MAX_COLUMNS} columns; move its comment to the line before`,
  wide: `the comment is wider than ${MAX_COLUMNS} columns`,
  torn: "the comment line ends although the next word fits",
};

/** Returns the faults in the comments of all files. */
export function findFaults(sources: readonly SourceText[]): FaultPlace[] {
  return sources.flatMap(({ path, source }) =>
    findCommentFaults(source).map((fault) => ({ path, ...fault }))
  );
}

/** Returns the name of the number in the ratchet that counts a fault: `mcp, wide lines`. */
export function groupOf({ path, kind }: FaultPlace): string {
  const folder = path.includes("/") ? path.slice(0, path.indexOf("/")) : "root";
  return `${folder}, ${kind === "torn" ? "torn" : "wide"} lines`;
}

/** Formats a fault: `mcp/mod.ts:12 the comment is wider than 100 columns`. */
export function formatFault({ path, line, kind }: FaultPlace): string {
  return `${path}:${line} ${MESSAGES[kind]}`;
}

function countFaults(faults: readonly FaultPlace[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const fault of faults) {
    const name = groupOf(fault);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

function check(faults: readonly FaultPlace[]): number {
  const { errors, hints } = compareToRatchet(countFaults(faults), ratchet, RATCHET);
  for (const fault of faults) {
    if (errors.some((error) => error.startsWith(`${groupOf(fault)}:`))) {
      console.error(formatFault(fault));
    }
  }
  for (const error of errors) console.error(error);
  for (const hint of hints) console.log(hint);
  if (errors.length + hints.length > 0) {
    console.log("deno task comments --write wraps the comments and lowers the numbers");
  }
  console.log(`comments: ${faults.length} faults, ${errors.length} errors`);
  return errors.length === 0 ? 0 : 1;
}

/** Wraps the comments of the files at the given paths, and lowers the ratchet. */
async function write(sources: readonly SourceText[], paths: readonly string[]): Promise<number> {
  const unknown = paths.find((path) => !sources.some((source) => isAt(source.path, path)));
  if (unknown !== undefined) throw new ToolError(`Cannot find a source file at "${unknown}"`);
  const wrapped = sources.map(({ path, source }) => {
    const isChosen = paths.length === 0 || paths.some((chosen) => isAt(path, chosen));
    return { path, source: isChosen ? wrapComments(source) : source };
  });
  const changed = wrapped.filter(({ source }, index) => source !== sources[index]?.source);
  for (const { path, source } of changed) await Deno.writeTextFile(new URL(path, ROOT), source);
  const faults = findFaults(wrapped);
  const lowered = JSON.stringify(lowerRatchet(ratchet, countFaults(faults)), null, 2);
  await Deno.writeTextFile(new URL(RATCHET, ROOT), `${lowered}\n`);
  for (const { path } of changed) console.log(path);
  console.log(`comments: ${changed.length} files written, ${faults.length} faults left`);
  return 0;
}

function isAt(path: string, chosen: string): boolean {
  const plain = chosen.replace(/^\.\//, "").replace(/\/$/, "");
  return path === plain || path.startsWith(`${plain}/`);
}

async function main(): Promise<number> {
  const { values, positionals } = readArguments(Deno.args, { write: { type: "boolean" } });
  const [first] = positionals;
  if (!values.write && first !== undefined) throw new ToolError(`Unexpected argument '${first}'`);
  const sources = await readSources();
  return values.write ? await write(sources, positionals) : check(findFaults(sources));
}

if (import.meta.main) await runTool("comments", main);
