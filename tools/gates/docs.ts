/**
 * Checks the public documentation. Runs `deno doc --lint` on every entry point. Every entry point
 * needs a module doc, every exported symbol a doc comment, and every function and class a titled
 * `ts` example, which `deno test --doc` runs. Types and constants without an example are only
 * counted. No entry point exports a symbol of the shared code, because JSR does not show the
 * symbols of another package; `deno doc --lint` reports types of the shared code that public
 * declarations refer to.
 *
 *     deno task docs
 *     deno task docs --list     also names the types and constants
 *
 * @module
 */

import { readFlags, run, runTool, tryRun } from "../cli.ts";
import { INTERNAL, readPackages, ROOT } from "../members.ts";

interface Comment {
  readonly doc?: string;
  readonly tags?: readonly { readonly kind: string; readonly doc?: string }[];
}

interface Declaration {
  /**
   * Kind of the symbol: `function`, `class`, `interface`, `typeAlias` or `variable`, or `reference`
   * if the symbol is documented elsewhere.
   */
  readonly kind: string;
  readonly declarationKind: string;
  readonly location: { readonly filename: string; readonly line: number };
  readonly jsDoc?: Comment | null;
}

/** The part of `deno doc --json` that the gate reads. */
export interface DocOutput {
  readonly nodes: Readonly<
    Record<string, {
      readonly module_doc?: Comment | null;
      readonly symbols: readonly {
        readonly name: string;
        readonly declarations: readonly Declaration[];
      }[];
    }>
  >;
}

/**
 * Missing documentation, one line per error, and the names of types and constants without an
 * example.
 */
export interface DocReport {
  readonly errors: readonly string[];
  readonly withoutExample: readonly string[];
}

/** Matches `@example Title` followed by a code block that `deno test --doc` runs. */
const TITLED_EXAMPLE = /^\s*[^\s`][^\n]*\n[\s\S]*^```(?:ts|typescript)\s*$/m;
const NEEDS_EXAMPLE: ReadonlySet<string> = new Set(["function", "class"]);

/** Checks the documentation of all entry points. */
export function checkDocs({ nodes }: DocOutput, root: string): DocReport {
  const errors: string[] = [];
  const withoutExample: string[] = [];
  for (const [url, { module_doc: moduleDoc, symbols }] of Object.entries(nodes)) {
    if (!moduleDoc?.doc?.trim()) {
      errors.push(`${url.replace(root, "")}:1 has no module doc; add a comment with @module`);
    }
    for (const { name, declarations } of symbols) {
      const own = declarations.filter(isOwn);
      const [first] = own;
      if (first === undefined) continue;
      const where = `${first.location.filename.replace(root, "")}:${
        first.location.line + 1
      } ${name}`;
      if (first.location.filename.startsWith(`${root}${INTERNAL}/`)) {
        errors.push(`${where} is exported by ${url.replace(root, "")}: declare it in the member`);
      }
      if (!own.some(({ jsDoc }) => jsDoc?.doc?.trim())) errors.push(`${where} has no doc comment`);
      if (own.some(hasExample)) continue;
      if (own.some(({ kind }) => NEEDS_EXAMPLE.has(kind))) {
        errors.push(
          `${where} has no titled, runnable example; add @example with a title and ts code`,
        );
      } else withoutExample.push(name);
    }
  }
  return { errors, withoutExample };
}

function isOwn({ kind, declarationKind }: Declaration): boolean {
  return kind !== "reference" && declarationKind === "export";
}

function hasExample({ jsDoc }: Declaration): boolean {
  return jsDoc?.tags?.some(({ kind, doc = "" }) =>
    kind === "example" && TITLED_EXAMPLE.test(doc)
  ) ===
    true;
}

/**
 * Returns the findings of `deno doc --lint`, one per line, or the complete output if its format is
 * unknown.
 */
export function readLint(stderr: string, root: string): string[] {
  const findings = [...stderr.matchAll(/^error\[(.+)\]: (.+)\n\s*--> (.+)$/gm)];
  if (findings.length === 0) return [stderr.trim()];
  return findings.map(([, code, text, where = ""]) =>
    `${where.replace(root, "")} ${text} (${code})`
  );
}

async function main(): Promise<number> {
  const { list = false } = readFlags(Deno.args, { list: { type: "boolean" } });
  const members = await readPackages();
  const entries = members.flatMap(({ folder, exports }) =>
    [...exports.values()].filter((file) => file.endsWith(".ts")).map((file) => `${folder}/${file}`)
  );
  const [lint, json] = await Promise.all([
    tryRun("deno", ["doc", "--lint", ...entries], { cwd: ROOT }),
    run("deno", ["doc", "--json", ...entries], { cwd: ROOT }),
  ]);
  const report = checkDocs(JSON.parse(json.stdout), ROOT.href);
  const findings = lint.success ? [] : readLint(lint.stderr, ROOT.pathname);
  const errors = [...findings, ...report.errors];
  for (const error of errors) console.error(error);
  if (list) console.log(`no example: ${report.withoutExample.join(", ")}`);
  console.log(
    `docs: ${entries.length} entry points, ${errors.length} errors, ` +
      `${report.withoutExample.length} types and constants without an example`,
  );
  return errors.length === 0 ? 0 : 1;
}

if (import.meta.main) await runTool("docs", main);
