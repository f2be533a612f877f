/**
 * Checks that Node.js finds the original line of an error that an installed npm package throws.
 *
 * @module
 */

import { run, ToolError } from "../cli.ts";
import { listFiles } from "./joined_packages.ts";

/** A program that makes a package throw, and prints the stack trace. */
const PROGRAM = `import { canonicalize } from "@parley/comm/canonical-json";
try {
  canonicalize(undefined);
} catch (error) {
  console.log(error.stack);
}
`;

/** Module and code of the call in `canonicalize()` that throws. */
const MODULE = "canonical/canonical_json.js";
const CALL = "writeCanonical(value";

/**
 * Checks the package `@parley/comm` on one version of Node.js. The packages are built alike.
 *
 * @param project Folder of a project that has the package installed.
 * @param node Command that starts Node.js.
 * @throws {ToolError} If the stack trace names another module or another line.
 */
export async function checkSourceMaps(project: string, node: readonly string[]): Promise<void> {
  await Deno.writeTextFile(`${project}/throw.mjs`, PROGRAM);
  const [program = "", ...flags] = node;
  const args = [...flags, "--enable-source-maps", "throw.mjs"];
  const { stdout } = await run(program, args, { cwd: project });
  const line = findLine(stdout, "canonicalize", MODULE);
  const source = await readSource(`${project}/node_modules/@parley/comm/esm`, MODULE);
  if (line === undefined || !source.split("\n")[line - 1]?.includes(CALL)) {
    throw new ToolError(`The source maps of @parley/comm are wrong:\n${stdout}`);
  }
}

/** Returns the line at which a function of a module stands in a stack trace. */
export function findLine(stack: string, name: string, module: string): number | undefined {
  const frame = stack.split("\n").find((line) => line.trim().startsWith(`at ${name} (`));
  const [, path, line] = /\((.*):(\d+):\d+\)$/.exec(frame ?? "") ?? [];
  return path?.endsWith(`/${module}`) ? Number(line) : undefined;
}

/** Returns the text of a module in the source maps, or an empty text. */
async function readSource(esm: string, module: string): Promise<string> {
  for await (const path of listFiles(esm, ".js.map")) {
    const map: { readonly sources: readonly string[]; readonly sourcesContent: readonly string[] } =
      JSON.parse(await Deno.readTextFile(path));
    const index = map.sources.findIndex((source) => source.endsWith(`/${module}`));
    if (index !== -1) return map.sourcesContent[index] ?? "";
  }
  return "";
}
