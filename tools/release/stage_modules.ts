/**
 * Copies a member and the shared code into one folder. An npm package contains the shared code that
 * it uses, and dnt builds only modules in or below one folder.
 *
 * @module
 */

import { dirname, relative } from "node:path/posix";
import { type Member, ROOT } from "../members.ts";

/** Matches the specifier of an import of the shared code, in a statement. */
const SHARED_IMPORT = /(?<=^(?:import|export) [^;]*\bfrom |^import )"(@parley\/[^/"]+)\/([^"]+)"/gm;

/**
 * Returns the text of a module in which imports of the shared code are relative.
 *
 * @param path Path of the module in the folder that contains both members.
 * @throws {Error} If the module imports an entry point that the shared code does not have.
 */
export function linkShared(text: string, path: string, shared: Member): string {
  return text.replace(SHARED_IMPORT, (specifier, name: string, subpath: string) => {
    if (name !== shared.name) return specifier;
    const file = shared.exports.get(`./${subpath}`);
    if (file === undefined) throw new Error(`${path} imports ${specifier}, which does not exist`);
    const target = relative(dirname(path), `${shared.folder}/${file}`);
    return `"${target.startsWith(".") ? target : `./${target}`}"`;
  });
}

/**
 * Reads the modules and the JSON files of a member, and those of the shared code.
 *
 * @returns Texts, keyed by the path in the folder that contains both members.
 */
export async function readStaged(
  member: Member,
  shared: Member,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const [{ folder }, below] of [[member, ""], [shared, `${shared.folder}/`]] as const) {
    for (const path of await listModules(folder)) {
      const text = await Deno.readTextFile(new URL(`${folder}/${path}`, ROOT));
      texts.set(`${below}${path}`, linkShared(text, `${below}${path}`, shared));
    }
  }
  return texts;
}

/**
 * Copies the modules and the JSON files of a member to an existing folder, and the shared code to a
 * folder in it.
 */
export async function stageModules(member: Member, shared: Member, to: string): Promise<void> {
  for (const [path, text] of await readStaged(member, shared)) {
    await Deno.mkdir(dirname(`${to}/${path}`), { recursive: true });
    await Deno.writeTextFile(`${to}/${path}`, text);
  }
}

/** Lists the paths of all modules and JSON files in a folder, except tests. */
async function listModules(folder: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, ROOT))) {
    if (isDirectory) {
      paths.push(...(await listModules(`${folder}/${name}`)).map((path) => `${name}/${path}`));
    } else if (/\.(?:ts|json)$/.test(name) && !name.endsWith("_test.ts")) paths.push(name);
  }
  return paths;
}
