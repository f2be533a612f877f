/**
 * Joins the modules of an npm package into few files, because Node.js takes almost a millisecond to
 * load each file.
 *
 * @module
 */

import { run } from "../cli.ts";

/** The imports of each module. The graph has no entries for packages and `node:` modules. */
export type ModuleGraph = ReadonlyMap<string, readonly ModuleImport[]>;

/** One import of a module. */
export interface ModuleImport {
  /** URL of the imported module. */
  readonly url: string;
  /** Whether the module is loaded with `import()`. */
  readonly isDynamic: boolean;
}

/** The part of the `deno info --json` output that this module reads. */
interface ModuleInfo {
  readonly modules: readonly {
    readonly specifier: string;
    readonly dependencies?: readonly {
      readonly specifier: string;
      readonly code?: { readonly specifier?: string };
      readonly isDynamic?: boolean;
    }[];
  }[];
}

/** Options for {@linkcode joinModules}. */
export interface JoinOptions {
  /** Entry points, relative to the package's `esm` folder. */
  readonly entries: readonly string[];
  /** Names of the npm packages that the modules import. */
  readonly packages: readonly string[];
}

/**
 * Replaces the modules in the `esm` folder with one file per entry point, one file with the modules
 * from {@linkcode findSharedModules}, and separate files for other shared code and for each
 * `import()`. Each file has a linked source map. Leaves declarations unchanged.
 *
 * esbuild writes one file for each set of entry points that import the same modules. So that there
 * is only one such set, each entry point first gets an import of all shared modules. esbuild omits
 * the code that no module uses.
 */
export async function joinModules(
  outDir: string,
  { entries, packages }: JoinOptions,
): Promise<void> {
  const esm = `${await Deno.realPath(outDir)}/esm`;
  const joined = `${outDir}/joined`;
  const graph = await readModuleGraph(`file://${esm}/`, entries);
  const loaded = findLoadedModules(graph, entries.map((entry) => `file://${esm}/${entry}`));
  const list = [...findSharedModules(graph, loaded)].map((url) => `import "${url}";\n`);
  await Deno.writeTextFile(`${esm}/${SHARED_LIST}`, list.join(""));
  for (const url of loaded) await prependImport(url, `file://${esm}/${SHARED_LIST}`);
  await run("deno", [
    "bundle",
    "--quiet",
    "--code-splitting",
    "--sourcemap=linked",
    "--format=esm",
    "--platform=browser",
    "--external=node:*",
    ...packages.map((name) => `--external=${name}`),
    "--outdir=joined",
    ...entries.map((entry) => `esm/${entry}`),
  ], { cwd: outDir });
  await removeModules(esm);
  await moveFiles(joined, esm);
  await Deno.remove(joined, { recursive: true });
}

/** Temporary module that imports all shared modules. */
const SHARED_LIST = "shared_modules.js";

async function readModuleGraph(folder: string, entries: readonly string[]): Promise<ModuleGraph> {
  const imports = entries.map((entry) => `import "${folder}${entry}";`).join("");
  const { stdout } = await run("deno", ["info", "--json", `data:text/javascript,${imports}`], {
    cwd: new URL(folder),
  });
  const { modules }: ModuleInfo = JSON.parse(stdout);
  return new Map(
    modules.filter(({ specifier }) => specifier.startsWith(folder)).map((module) => [
      module.specifier,
      (module.dependencies ?? []).map(({ specifier, code, isDynamic = false }) => ({
        url: code?.specifier ?? specifier,
        isDynamic,
      })),
    ]),
  );
}

/** Returns the modules that are loaded by name: the entry points and the targets of `import()`. */
function findLoadedModules(graph: ModuleGraph, entries: readonly string[]): string[] {
  const dynamic = [...graph.values()].flat().filter(({ isDynamic }) => isDynamic);
  return [...new Set([...entries, ...dynamic.map(({ url }) => url)])];
}

/**
 * Returns the modules that more than one entry point imports. Modules with the same set of entry
 * points stay together: if one of these modules imports a package, directly or through other
 * modules, none of the modules is returned. If a module that imports a package were shared, every
 * entry point would load the package.
 */
export function findSharedModules(
  graph: ModuleGraph,
  entries: readonly string[],
): ReadonlySet<string> {
  const reached = new Map([...graph.keys()].map((url) => [url, reachableFrom(url, graph)]));
  const groups = Map.groupBy(
    graph.keys(),
    (url) => entries.filter((entry) => reached.get(entry)?.has(url)).join("\n"),
  );
  const shared = [...groups].filter(([importers, urls]) =>
    importers.includes("\n") &&
    urls.every((url) => [...reached.get(url) ?? []].every((each) => graph.has(each)))
  );
  return new Set(shared.flatMap(([, urls]) => urls));
}

/**
 * Returns the module and everything that it imports, directly or through other modules, without
 * `import()`.
 */
function reachableFrom(url: string, graph: ModuleGraph): ReadonlySet<string> {
  const reached = new Set([url]);
  // Iteration over a set also visits values that are added during the loop.
  for (const each of reached) {
    for (const imported of graph.get(each) ?? []) {
      if (!imported.isDynamic) reached.add(imported.url);
    }
  }
  return reached;
}

async function prependImport(url: string, imported: string): Promise<void> {
  const text = await Deno.readTextFile(new URL(url));
  await Deno.writeTextFile(new URL(url), withImport(text, imported));
}

/**
 * Returns the module's text with an import inserted before its first line of code. The import adds
 * no line, which keeps the line numbers for the source map. A command's `#!/usr/bin/env node` line
 * stays the first line.
 */
export function withImport(text: string, imported: string): string {
  const start = /^#!.*\n/.exec(text)?.[0].length ?? 0;
  return `${text.slice(0, start)}import "${imported}"; ${text.slice(start)}`;
}

async function moveFiles(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await moveFiles(`${from}/${name}`, `${to}/${name}`);
    else await Deno.rename(`${from}/${name}`, `${to}/${name}`);
    if (name.endsWith(".js")) await restoreClassNames(`${to}/${name}`);
  }
}

/**
 * Restores the names of classes that refer to themselves, which esbuild writes as
 * `var Name = class _Name`.
 */
async function restoreClassNames(path: string): Promise<void> {
  const text = await Deno.readTextFile(path);
  const names = [...text.matchAll(/^var (\w+) = class _\1\b/gm)].flatMap(([, name]) => name ?? []);
  const restored = names.reduce(
    (code, name) => code.replaceAll(new RegExp(`\\b_${name}\\b`, "g"), name),
    text,
  );
  if (names.length > 0) await Deno.writeTextFile(path, restored);
}

async function removeModules(folder: string): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) await removeModules(`${folder}/${name}`);
    else if (name.endsWith(".js")) await Deno.remove(`${folder}/${name}`);
  }
}
