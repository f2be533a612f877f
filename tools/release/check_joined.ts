/**
 * Checks installed npm packages against the packages whose code they contain: the notice with their
 * licenses, the dependencies in package.json, and the imports in code and declarations.
 *
 * @module
 */

import { ToolError } from "../cli.ts";
import { compareDependencies } from "../gates/npm_dependencies.ts";
import { splitSource } from "../gates/lexer.ts";
import type { Member } from "../members.ts";
import { formatNotice, listFiles, NOTICE_FILE, readJoinedPackages } from "./joined_packages.ts";

/** The fields of package.json that this module reads. */
interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** Text before the specifier of an import. */
const IMPORT = /(?:\b(?:from|import)|\b(?:import|require)\s*\()\s*$/;

/**
 * Checks one package.
 *
 * @param built Folder of the built package, with the packages installed in `node_modules`.
 * @param installed Folder of the package as users install it.
 * @throws {ToolError} If the package does not say what it contains, or does not contain what it
 * imports.
 */
export async function checkJoined(
  { folder }: Member,
  built: string,
  installed: string,
): Promise<void> {
  const joined = await readJoinedPackages(built);
  const manifest: Manifest = JSON.parse(await Deno.readTextFile(`${installed}/package.json`));
  const notice = await readNotice(installed);
  const errors = [
    ...notice === formatNotice(joined) ? [] : [`${folder}: ${NOTICE_FILE} is out of date`],
    ...compareNames(folder, joined.map(({ name }) => name), manifest),
    ...await findUndeclared(installed, manifest),
  ];
  if (errors.length > 0) throw new ToolError(errors.join("\n"));
}

/**
 * Compares the contained packages and the dependencies in package.json with the list of the
 * member's npm dependencies. No package is both contained and a dependency.
 */
function compareNames(folder: string, joined: readonly string[], manifest: Manifest): string[] {
  const place = `npm/${folder}/package.json`;
  const dependencies = Object.keys(manifest.dependencies ?? {});
  const names = [...joined, ...dependencies];
  return [
    ...compareDependencies(folder, names.map((name) => ({ name, place }))),
    ...joined.filter((name) => dependencies.includes(name)).map((name) =>
      `${place} lists "${name}", which the package contains`
    ),
  ];
}

/** Returns a line for each import of a package that package.json does not declare. */
async function findUndeclared(installed: string, manifest: Manifest): Promise<string[]> {
  const errors: string[] = [];
  for (const extension of [".js", ".d.ts"]) {
    for await (const path of listFiles(`${installed}/esm`, extension)) {
      for (const specifier of findImports(await Deno.readTextFile(path))) {
        if (isDeclared(specifier, manifest)) continue;
        errors.push(`${path.slice(installed.length + 1)} imports "${specifier}"`);
      }
    }
  }
  return errors;
}

/** Returns the specifiers of the imports in a JavaScript module or a declaration file. */
export function findImports(source: string): string[] {
  return splitSource(source).flatMap(({ kind, text, start }) => {
    const before = source.slice(Math.max(0, start - 100), start);
    return kind === "string" && IMPORT.test(before) ? [text] : [];
  });
}

/** Returns whether a module can be resolved if only the dependencies of the package exist. */
export function isDeclared(
  specifier: string,
  { name, dependencies = {}, peerDependencies = {} }: Manifest,
): boolean {
  if (/^(\.\.?\/|node:|#)/.test(specifier)) return true;
  const names = [name, ...Object.keys(dependencies), ...Object.keys(peerDependencies)];
  return names.some((each) => specifier === each || specifier.startsWith(`${each}/`));
}

/** Returns the text of the notice, or an empty text if the package has none. */
async function readNotice(installed: string): Promise<string> {
  try {
    return await Deno.readTextFile(`${installed}/${NOTICE_FILE}`);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  }
}
