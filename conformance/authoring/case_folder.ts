/**
 * Reads and writes the folder of the kit's case files.
 *
 * @module
 */

import type { CaseTexts } from "./case_files.ts";
import { formatCaseModule } from "./case_module.ts";

/** Folder of the kit's case files. */
const CASES = new URL("../cases/", import.meta.url);

/** Path of the module that imports the case files, relative to the folder of cases. */
const MODULE = "../case_files.ts";

/** Reads the kit's case files. */
export async function readCases(): Promise<CaseTexts> {
  const paths = await listFiles("");
  const texts = paths.toSorted().map(async (path) =>
    [path, await Deno.readTextFile(new URL(path, CASES))] as const
  );
  return new Map(await Promise.all(texts));
}

/**
 * Writes the files that have changed, removes the others, and writes the module that imports them.
 */
export async function writeCases(arranged: CaseTexts): Promise<void> {
  const texts = await readCases();
  for (const [path, text] of arranged) {
    if (texts.get(path) !== text) await writeFile(path, text);
  }
  for (const path of texts.keys()) {
    if (!arranged.has(path)) await Deno.remove(new URL(path, CASES));
  }
  await writeFile(MODULE, formatCaseModule([...arranged.keys()]));
}

/** Returns true if the module imports exactly the given files. */
export async function isModuleCurrent(arranged: CaseTexts): Promise<boolean> {
  const text = await Deno.readTextFile(new URL(MODULE, CASES));
  return text === formatCaseModule([...arranged.keys()]);
}

async function writeFile(path: string, text: string): Promise<void> {
  const url = new URL(path, CASES);
  await Deno.mkdir(new URL(".", url), { recursive: true });
  await Deno.writeTextFile(url, text);
}

async function listFiles(below: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(new URL(`./${below}`, CASES))) {
    if (isDirectory) found.push(...await listFiles(`${below}${name}/`));
    else if (name.endsWith(".json")) found.push(`${below}${name}`);
  }
  return found;
}
