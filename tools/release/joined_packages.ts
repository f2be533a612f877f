/**
 * The npm packages whose code a published package contains. Finds them in the source maps, which
 * name the origin of every line, and formats the notice with their licenses.
 *
 * @module
 */

import { gunzipSync } from "node:zlib";
import { run, ToolError } from "../cli.ts";
import { findDisallowed, readLicense } from "../gates/licenses.ts";
import { ROOT } from "../members.ts";
import { packageOf } from "./join_modules.ts";

/** File of a published package with the licenses of the packages that it contains. */
export const NOTICE_FILE = "THIRD_PARTY_NOTICES.txt";

/** A package whose code another package contains. */
export interface JoinedPackage {
  readonly name: string;
  readonly version: string;
  /** License, an SPDX expression. */
  readonly license: string;
  /** Texts of the license and of further notices. */
  readonly texts: readonly string[];
}

/**
 * License files from the repositories of packages that are published without one, in `licenses/`.
 */
const LICENSE_FILES: ReadonlyMap<string, string> = new Map([
  ["@cfworker/json-schema", "cfworker-json-schema.txt"],
]);

/** Names of files that a copy of a package must include. */
const LEGAL_FILE =
  /^(licen[cs]e|copying|notice|third[-_]party[-_](licenses|notices))(\.(md|txt))?(\.gz)?$/i;

/** Folders of a package that can contain such files. */
const LEGAL_FOLDERS = ["", "dist/"] as const;

/**
 * Returns the packages whose code a built package contains, sorted by name.
 *
 * @param folder Folder of the package, with the packages installed in `node_modules`.
 * @throws {ToolError} If the license of a package is not allowed, or if its text is missing.
 */
export async function readJoinedPackages(folder: string): Promise<readonly JoinedPackage[]> {
  const names = new Set<string>();
  for await (const path of listFiles(`${folder}/esm`, ".js.map")) {
    for (const name of findPackages(await Deno.readTextFile(path))) names.add(name);
  }
  const packages = await Promise.all([...names].toSorted().map((name) => read(folder, name)));
  const errors = findDisallowed(packages, "published");
  if (errors.length > 0) throw new ToolError(errors.join("\n"));
  return packages;
}

/**
 * Installs the versions of packages that deno.lock names, because the tests ran with them. npm
 * installs the newest versions that package.json allows.
 *
 * @param folder Folder of a built package.
 */
export async function installLocked(folder: string, names: readonly string[]): Promise<void> {
  const lock = await Deno.readTextFile(new URL("deno.lock", ROOT));
  const different: string[] = [];
  for (const name of names) {
    const version = findLockedVersion(lock, name);
    const manifest = await Deno.readTextFile(`${folder}/node_modules/${name}/package.json`);
    if (JSON.parse(manifest).version !== version) different.push(`${name}@${version}`);
  }
  if (different.length === 0) return;
  const quiet = ["--silent", "--no-audit", "--no-fund", "--prefer-offline"];
  await run("npm", ["install", "--no-save", ...quiet, ...different], { cwd: folder });
}

/**
 * Returns the version of a package in the text of a deno.lock file.
 *
 * @throws {ToolError} If the file names no version, or several.
 */
export function findLockedVersion(lock: string, name: string): string {
  const { specifiers = {} }: { readonly specifiers?: Readonly<Record<string, string>> } = JSON
    .parse(lock);
  const versions = Object.entries(specifiers)
    .filter(([specifier]) => specifier.startsWith(`npm:${name}@`))
    .map(([, version]) => version.replace(/_.*$/, ""));
  const [version, ...others] = new Set(versions);
  if (version === undefined || others.length > 0) {
    throw new ToolError(`Cannot join ${name}: deno.lock must have one version, got ${versions}`);
  }
  return version;
}

/** Returns the names of the packages that a source map names, in its order. */
export function findPackages(sourceMap: string): string[] {
  const { sources }: { readonly sources: readonly string[] } = JSON.parse(sourceMap);
  return [...new Set(sources.flatMap((source) => packageOf(source) ?? []))];
}

/** Formats the notice. Empty if there are no packages. */
export function formatNotice(packages: readonly JoinedPackage[]): string {
  if (packages.length === 0) return "";
  const parts = packages.map(({ name, version, license, texts }) =>
    [`${name} ${version} (${license})`, ...texts.map((text) => text.trim())].join("\n\n")
  );
  return ["This package contains code of the following packages.", ...parts]
    .join(`\n\n${"-".repeat(80)}\n\n`) + "\n";
}

async function read(folder: string, name: string): Promise<JoinedPackage> {
  const installed = `${folder}/node_modules/${name}`;
  const manifest = JSON.parse(await Deno.readTextFile(`${installed}/package.json`));
  const texts = await readTexts(installed, name);
  if (texts.length === 0) {
    throw new ToolError(
      `Cannot join ${name}: it has no license file; add one from its repository to LICENSE_FILES`,
    );
  }
  return { name, version: String(manifest.version), license: readLicense(manifest), texts };
}

async function readTexts(installed: string, name: string): Promise<string[]> {
  const texts: string[] = [];
  const added = LICENSE_FILES.get(name);
  if (added !== undefined) {
    texts.push(await Deno.readTextFile(new URL(`tools/release/licenses/${added}`, ROOT)));
  }
  for (const below of LEGAL_FOLDERS) {
    for (const file of await listNames(`${installed}/${below}`)) {
      if (LEGAL_FILE.test(file)) texts.push(await readText(`${installed}/${below}${file}`));
    }
  }
  return texts;
}

/** Reads a text file, which may be compressed. */
async function readText(path: string): Promise<string> {
  const bytes = await Deno.readFile(path);
  return new TextDecoder().decode(path.endsWith(".gz") ? gunzipSync(bytes) : bytes);
}

/** Returns the names in a folder in alphabetical order, or nothing if there is no folder. */
async function listNames(folder: string): Promise<readonly string[]> {
  try {
    return (await Array.fromAsync(Deno.readDir(folder), ({ name }) => name)).toSorted();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

/** Lists the files below a folder whose names have an extension. */
export async function* listFiles(folder: string, extension: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) yield* listFiles(path, extension);
    else if (name.endsWith(extension)) yield path;
  }
}
