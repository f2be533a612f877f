/**
 * Checks rules for code that `deno lint` does not have. A lint plugin could check the same rules on
 * a syntax tree, but takes several times as long as all other lint rules together.
 *
 *     deno task lint
 *
 * @module
 */

import { readFlags, runTool } from "../cli.ts";
import { codeOf } from "./lexer.ts";
import { lineCounter } from "./places.ts";
import { readSources } from "./sources.ts";

/** A rule for the code of a file, without comments and the content of strings. */
interface CodeRule {
  /** Matches the code that breaks the rule. */
  readonly pattern: RegExp;
  readonly message: string;
  /** Paths of the files to which the rule applies. Defaults to all files. */
  readonly files?: RegExp;
}

const RULES: readonly CodeRule[] = [
  {
    pattern: /(?<![.\w])console\s*(?:\?\.|[.[])/,
    message: "a library must not print; pass the text to onError or return it",
    // The last exception prints the errors that no caller receives.
    files:
      /^(?:internal|comm|runtime|mcp|conformance)\/(?!.*(?:_test\.ts$|\btestdata\/|\berror_printer\.ts$))/,
  },
  { pattern: /(?<![.\w])enum\s+\w+\s*\{/, message: "use a const object and a union type" },
  { pattern: /(?<![.\w])export\s+(?:type\s+)?\*/, message: "export by name" },
  {
    pattern: /(?<![.\w])private\s+[\w#[]/,
    message: "use a #private member",
    // The programs in this folder show how other people write TypeScript.
    files: /^(?!interop\/)/,
  },
  {
    pattern:
      /^(?:export )?(?:const|let|var) \w+(?:[^;=]|=>)*=(?!>)\s*(?:async\s*)?(?:<[^=;()]*>\s*)?(?:\w+|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)(?:\s*:(?:[^;=]|=>)*)?)\s*=>/m,
    message: "use a function declaration at the top level",
  },
  {
    pattern: /(?<![.\w])setTimeout\s*\(/,
    message: "wait for a signal or use FakeTime",
    files: /_test\.ts$/,
  },
];

/**
 * Returns a message for each place that breaks a rule, with the line. `path` is relative to the
 * repository.
 */
export function checkCode(path: string, source: string): string[] {
  let code: string | undefined;
  return RULES.flatMap(({ pattern, message, files }) => {
    if (files?.test(path) === false || !pattern.test(source)) return [];
    code ??= codeOf(source);
    const lineOf = lineCounter(code);
    return [...code.matchAll(new RegExp(pattern, `${pattern.flags}g`))].map(({ 0: found, index }) =>
      `${path}:${lineOf(index)}: ${message}: ${found.split("\n", 1)[0]}`
    );
  });
}

async function main(): Promise<number> {
  readFlags(Deno.args, {});
  const sources = await readSources();
  const errors = sources.flatMap(({ path, source }) => checkCode(path, source));
  for (const error of errors) console.error(error);
  console.log(
    `code rules: ${sources.length} files, ${RULES.length} rules, ${errors.length} errors`,
  );
  return errors.length === 0 ? 0 : 1;
}

if (import.meta.main) await runTool("code_rules", main);
