/**
 * Writes the files that are copies of other files. JSR does not show the symbols of another
 * package, so the public declarations of shared code stand in each member that exports
 * them; the copies are written from one source.
 *
 *     deno run -A tools/gates/copies.ts       writes the copies
 *     deno task layers                        checks them
 *
 * @module
 */

import { readFlags, runTool } from "../cli.ts";
import { ROOT } from "../members.ts";

/** A file that is written from another file. */
export interface Copy {
  /** Path of the file that people edit. */
  readonly source: string;
  readonly path: string;
  /** Returns the text of the copy. */
  readonly write: (source: string) => string;
}

/** All copies. A copy starts with a line that names its source, except licenses. */
export const COPIES: readonly Copy[] = [
  ...["internal", "comm", "runtime", "mcp", "conformance"].map((folder) => ({
    source: "LICENSE",
    path: `${folder}/LICENSE`,
    write: (source: string) => source,
  })),
  {
    source: "runtime/shared/schema.ts",
    path: "mcp/server/schema.ts",
    write: forMcpServer,
  },
  {
    source: "runtime/shared/schema.ts",
    path: "internal/schema_types.ts",
    write: (source) => onlyTypes(source, "Types of schemas and of schema validators."),
  },
  {
    source: "runtime/tools/json_schema.ts",
    path: "mcp/server/json_schema.ts",
    write: forMcpServer,
  },
  ...["comm", "mcp"].map((member) => ({
    source: "runtime/shared/sql_client.ts",
    path: `${member}/shared/sql_client.ts`,
    write: (source: string) => source.replace("@parley/runtime/", `@parley/${member}/`),
  })),
  {
    source: "runtime/shared/sql_client.ts",
    path: "internal/sql_types.ts",
    write: (source) => onlyTypes(source, "Types of databases."),
  },
];

/** Matches the module doc at the start of a file. */
const MODULE_DOC = /^\/\*\*[\s\S]*?\*\/\n/;

/**
 * Matches the example in a doc comment, which ends at the next tag or at the end of the comment.
 */
const EXAMPLE = /\n \*\n \* @example [\s\S]*?(?=\n \* @|\n \*\/)/g;

function forMcpServer(source: string): string {
  return source.replaceAll(`"@parley/runtime"`, `"@parley/mcp/server"`)
    .replaceAll(`"../shared/schema.ts"`, `"./schema.ts"`);
}

/**
 * Returns the types of a module without examples, which import the package of the source.
 *
 * @param summary Module doc of the result.
 */
export function onlyTypes(source: string, summary: string): string {
  const doc = `/**\n * ${summary}\n *\n * @module\n */\n`;
  const declarations = source.replace(MODULE_DOC, "").split(/\n(?=\/\*\*\n|\/\*\* )/);
  const types = declarations.filter((text) => /^export (?:type|interface) /m.test(text));
  return [doc, ...types.map((text) => text.replace(EXAMPLE, "").trimEnd() + "\n")].join("\n");
}

/** Returns the text of a copy, with a line that names the source if the copy is a module. */
export function writeCopy({ source, path, write }: Copy, text: string): string {
  const note = `// Written from ${source} by tools/gates/copies.ts. Do not edit.\n`;
  return path.endsWith(".ts") ? note + write(text) : write(text);
}

async function main(): Promise<number> {
  const { check = false } = readFlags(Deno.args, { check: { type: "boolean" } });
  let errors = 0;
  for (const copy of COPIES) {
    const text = writeCopy(copy, await read(copy.source));
    const actual = await read(copy.path).catch(() => undefined);
    if (actual === text) continue;
    if (check) {
      errors++;
      console.error(
        `${copy.path}:${firstDifference(actual ?? "", text)} differs from ${copy.source}; ` +
          `edit ${copy.source} and run: deno run -A tools/gates/copies.ts`,
      );
    } else {
      await Deno.writeTextFile(new URL(copy.path, ROOT), text);
      console.log(`wrote ${copy.path}`);
    }
  }
  if (check) console.log(`copies: ${COPIES.length} files, ${errors} errors`);
  return errors === 0 ? 0 : 1;
}

/** Returns the number of the first line that differs. */
export function firstDifference(actual: string, expected: string): number {
  const [lines, others] = [actual.split("\n"), expected.split("\n")];
  const index = others.findIndex((line, at) => line !== lines[at]);
  return index < 0 ? others.length : index + 1;
}

async function read(path: string): Promise<string> {
  return await Deno.readTextFile(new URL(path, ROOT));
}

if (import.meta.main) await runTool("copies", main);
