/**
 * Checks the size of functions and files: a function has at most 60 lines, and a file at most 400.
 * Tests are not checked. structure.json lists the exceptions, each with its number of lines, which
 * may decrease but must not increase, or with the reason why its size is not limited.
 *
 *     deno task lint
 *     deno run -A tools/gates/structure.ts --write     lowers the numbers in structure.json; never raises them
 *
 * @module
 */

import ts from "typescript";
import { readFlags, runTool } from "../cli.ts";
import { ROOT } from "../members.ts";
import { readProductSources, type SourceText } from "./sources.ts";
import exceptions from "./structure.json" with { type: "json" };

/** A function or a file that has more lines than allowed. */
export interface LongPart {
  /** Key in structure.json: the path of the file, and the name of the function after a space. */
  readonly key: string;
  readonly path: string;
  /** Name of the function with its class, such as `McpServer.constructor`. Omitted for a file. */
  readonly name?: string;
  /** Line of the first character, starting at 1. */
  readonly line: number;
  readonly lines: number;
}

/** Exceptions by key: the number of lines, or the reason why the size is not limited. */
export type Exceptions = Readonly<Record<string, number | string>>;

const EXCEPTIONS = "tools/gates/structure.json";
const MAX_FUNCTION_LINES = 60;
const MAX_FILE_LINES = 400;

/** Result of {@linkcode compareToExceptions}, one line per entry. */
export interface StructureReport {
  readonly errors: readonly string[];
  /** Exceptions that can be lowered or removed. */
  readonly hints: readonly string[];
}

/** Returns the functions and files that have too many lines. */
export function findLongParts({ path, source }: SourceText): LongPart[] {
  const lines = source.split("\n").length - (source.endsWith("\n") ? 1 : 0);
  const file = { key: path, path, line: 1, lines };
  return [
    ...(lines > MAX_FILE_LINES ? [file] : []),
    ...(lines > MAX_FUNCTION_LINES ? findLongFunctions(path, source) : []),
  ];
}

/** Returns the longest of the functions with the same name, for each name. */
function findLongFunctions(path: string, source: string): LongPart[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest);
  const found = new Map<string, LongPart>();
  const visit = (node: ts.Node, outer: string): void => {
    const name = [outer, nameOf(node)].filter(Boolean).join(".");
    if (ts.isFunctionLike(node) && "body" in node && node.body !== undefined) {
      const line = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
      const lines = file.getLineAndCharacterOfPosition(node.end).line + 2 - line;
      const key = `${path} ${name || "function"}`;
      if (lines > Math.max(MAX_FUNCTION_LINES, found.get(key)?.lines ?? 0)) {
        found.set(key, { key, path, name: name || "function", line, lines });
      }
    }
    ts.forEachChild(node, (child) => visit(child, name));
  };
  visit(file, "");
  return [...found.values()];
}

/** Returns the name that a node adds to the names of the functions in it. */
function nameOf(node: ts.Node): string | undefined {
  if (ts.isConstructorDeclaration(node)) return "constructor";
  const mayHaveName = ts.isFunctionLike(node) || ts.isClassLike(node) ||
    ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node);
  const name = mayHaveName ? node.name : undefined;
  const isText = name !== undefined &&
    (ts.isIdentifier(name) || ts.isPrivateIdentifier(name) || ts.isStringLiteral(name));
  return isText ? name.text : undefined;
}

/** Compares the long functions and files with the exceptions. */
export function compareToExceptions(
  parts: readonly LongPart[],
  allowed: Exceptions,
): StructureReport {
  const errors: string[] = [];
  const hints: string[] = [];
  for (const part of parts) {
    const limit = Object.hasOwn(allowed, part.key) ? allowed[part.key] : undefined;
    if (typeof limit === "string") continue;
    if (limit === undefined || part.lines > limit) errors.push(describe(part, limit));
    else if (part.lines < limit) {
      hints.push(`${part.key}: lower ${limit} to ${part.lines} in ${EXCEPTIONS}`);
    }
  }
  const keys = new Set(parts.map(({ key }) => key));
  const stale = Object.keys(allowed).filter((key) => !keys.has(key));
  return {
    errors,
    hints: [...hints, ...stale.map((key) => `${key}: remove it from ${EXCEPTIONS}`)],
  };
}

function describe({ path, name, line, lines }: LongPart, limit: number | undefined): string {
  const place = name === undefined ? path : `${path}:${line} ${name}()`;
  const maximum = name === undefined ? MAX_FILE_LINES : MAX_FUNCTION_LINES;
  return limit === undefined
    ? `${place} has ${lines} lines, the maximum is ${maximum}; divide it`
    : `${place} has ${lines} lines, but ${EXCEPTIONS} allows ${limit}; divide it`;
}

/** Returns the exceptions that are still needed, with lowered numbers. */
export function lowerExceptions(parts: readonly LongPart[], allowed: Exceptions): Exceptions {
  const lines = new Map(parts.map((part) => [part.key, part.lines]));
  return Object.fromEntries(
    Object.entries(allowed).filter(([key]) => lines.has(key)).map(([key, limit]) => [
      key,
      typeof limit === "string" ? limit : Math.min(limit, lines.get(key) ?? limit),
    ]),
  );
}

async function main(): Promise<number> {
  const { write = false } = readFlags(Deno.args, { write: { type: "boolean" } });
  const sources = await readProductSources();
  const parts = sources.flatMap(findLongParts);
  if (write) {
    const lowered = JSON.stringify(lowerExceptions(parts, exceptions), null, 2);
    await Deno.writeTextFile(new URL(EXCEPTIONS, ROOT), `${lowered}\n`);
    return 0;
  }
  const { errors, hints } = compareToExceptions(parts, exceptions);
  for (const hint of hints) console.log(hint);
  for (const error of errors) console.error(error);
  if (hints.length > 0) {
    console.log("deno run -A tools/gates/structure.ts --write makes these changes");
  }
  const functions = parts.filter(({ name }) => name !== undefined).length;
  console.log(
    `structure: ${sources.length} files, ${functions} functions over ${MAX_FUNCTION_LINES} lines, ` +
      `${parts.length - functions} files over ${MAX_FILE_LINES} lines, ${errors.length} errors`,
  );
  return errors.length === 0 ? 0 : 1;
}

if (import.meta.main) await runTool("structure", main);
