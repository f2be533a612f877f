/**
 * Removes the declarations of internal modules that no entry point of an npm package refers to.
 *
 * @module
 */

import { posix } from "node:path";

/**
 * An import of a relative module in a declaration file: `from "./x.js"`, `import "./x.js"` or
 * `import("./x.js")`.
 */
const IMPORT = /\b(?:from|import)\s*\(?\s*["'](\.[^"']+)\.js["']/g;

/**
 * Removes the declaration files that the entry points do not import, directly or through other
 * declarations.
 *
 * @param folder Folder that contains the modules.
 * @param entries Paths of the entry points' declarations, relative to the folder.
 */
export async function pruneDeclarations(folder: string, entries: readonly string[]): Promise<void> {
  const paths = await listDeclarations(folder, "");
  const texts = paths.map(async (path) =>
    [path, await Deno.readTextFile(`${folder}/${path}`)] as const
  );
  const unused = findUnused(new Map(await Promise.all(texts)), entries);
  await Promise.all(unused.map((path) => Deno.remove(`${folder}/${path}`)));
}

/**
 * Returns the paths of the declarations that no entry point imports. `declarations` contains the
 * text of each declaration file, keyed by path.
 */
export function findUnused(
  declarations: ReadonlyMap<string, string>,
  entries: readonly string[],
): string[] {
  const reached = new Set(entries);
  // Iteration over a set also visits values that are added during the loop.
  for (const path of reached) {
    for (const [, stem] of (declarations.get(path) ?? "").matchAll(IMPORT)) {
      reached.add(posix.join(posix.dirname(path), `${stem}.d.ts`));
    }
  }
  return [...declarations.keys()].filter((path) => !reached.has(path));
}

async function listDeclarations(folder: string, below: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(`${folder}/${below}`)) {
    if (isDirectory) paths.push(...await listDeclarations(folder, `${below}${name}/`));
    else if (name.endsWith(".d.ts")) paths.push(`${below}${name}`);
  }
  return paths;
}
