/**
 * Joins the modules of an npm package into few files, because Node.js takes almost a millisecond to
 * load each file.
 *
 * @module
 */

import { run } from "../cli.ts";

/** The modules of a package. The graph has no entries for other packages and `node:` modules. */
export type ModuleGraph = ReadonlyMap<string, ModuleNode>;

/** A module of the package. */
export interface ModuleNode {
  readonly imports: readonly ModuleImport[];
  /** Length of its text. */
  readonly bytes: number;
}

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
    readonly size?: number;
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
  /** Names of the npm packages whose modules are not joined. */
  readonly separate: readonly string[];
}

/** Modules to put into one file. */
export interface SharedFile {
  readonly modules: readonly string[];
  /** The modules that load the file: entry points and targets of `import()`. */
  readonly importers: readonly string[];
}

/**
 * Replaces the modules in the `esm` folder with one file per entry point, one file for each result
 * of {@linkcode findSharedFiles}, and separate files for other shared code and for each `import()`.
 * The files contain the imported modules of npm packages that are not separate. Each file has a
 * linked source map. Leaves declarations unchanged.
 *
 * esbuild writes one file for each set of entry points that import the same modules. So that there
 * is only one such set for each shared file, each entry point first gets an import of all modules
 * of the file. esbuild omits the code that no module uses.
 */
export async function joinModules(
  outDir: string,
  { entries, separate }: JoinOptions,
): Promise<void> {
  const esm = `${await Deno.realPath(outDir)}/esm`;
  const joined = `${outDir}/joined`;
  const graph = await readModuleGraph(`file://${esm}/`, entries);
  const loaded = findLoadedModules(graph, entries.map((entry) => `file://${esm}/${entry}`));
  const files = findSharedFiles(graph, loaded, (url) => isJoined(url, separate));
  for (const [index, { modules, importers }] of files.entries()) {
    const list = `${esm}/shared_modules_${index}.js`;
    await Deno.writeTextFile(list, modules.map((url) => `import "${url}";\n`).join(""));
    for (const url of importers) await prependImport(url, `file://${list}`);
  }
  await run("deno", [
    "bundle",
    "--quiet",
    "--code-splitting",
    "--sourcemap=linked",
    "--format=esm",
    "--platform=browser",
    "--external=node:*",
    ...separate.map((name) => `--external=${name}`),
    "--outdir=joined",
    ...entries.map((entry) => `esm/${entry}`),
  ], { cwd: outDir });
  await removeModules(esm);
  await moveFiles(joined, esm);
  await Deno.remove(joined, { recursive: true });
}

/** Returns whether a URL outside the package's `esm` folder belongs to a package to join. */
function isJoined(url: string, separate: readonly string[]): boolean {
  const name = packageOf(url);
  return name !== undefined && !separate.includes(name);
}

/** Returns the name of the npm package to which a path or URL belongs. */
export function packageOf(path: string): string | undefined {
  return /.*\bnode_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
}

async function readModuleGraph(folder: string, entries: readonly string[]): Promise<ModuleGraph> {
  const imports = entries.map((entry) => `import "${folder}${entry}";`).join("");
  const { stdout } = await run("deno", ["info", "--json", `data:text/javascript,${imports}`], {
    cwd: new URL(folder),
  });
  const { modules }: ModuleInfo = JSON.parse(stdout);
  return new Map(
    modules.filter(({ specifier }) => specifier.startsWith(folder)).map((module) => [
      module.specifier,
      {
        imports: (module.dependencies ?? []).map(({ specifier, code, isDynamic = false }) => ({
          url: code?.specifier ?? specifier,
          isDynamic,
        })),
        bytes: module.size ?? 0,
      },
    ]),
  );
}

/** Returns the modules that are loaded by name: the entry points and the targets of `import()`. */
function findLoadedModules(graph: ModuleGraph, entries: readonly string[]): string[] {
  const dynamic = [...graph.values()].flatMap(({ imports }) => imports)
    .filter(({ isDynamic }) => isDynamic);
  return [...new Set([...entries, ...dynamic.map(({ url }) => url)])];
}

/**
 * Maximum length of modules that every entry point loads although the first does not need them, in
 * bytes with comments. A further file costs Node.js 22 about 0.4 ms, as much as 35 kB of code
 * without comments.
 */
const SHORT_BYTES = 10_000;

/**
 * Returns the files for modules that more than one entry point imports. Modules with the same set
 * of entry points stay together.
 *
 * The first file contains the modules of the first entry point that import no package, directly or
 * through other modules, and short modules of other entry points. Each further file contains the
 * modules of the first entry point that import the same packages, so an entry point that needs no
 * package loads none. Only entry points that need one of its modules load a file. esbuild writes
 * further files for modules that only other entry points import, that import a `node:` module, or
 * that import a package that is not joined.
 *
 * @param entries Entry points. Most programs load the first.
 * @param isJoined Returns whether a module outside the graph belongs to a package to join.
 */
export function findSharedFiles(
  graph: ModuleGraph,
  entries: readonly string[],
  isJoined: (url: string) => boolean,
): readonly SharedFile[] {
  const reached = new Map([...graph.keys()].map((url) => [url, reachableFrom(url, graph)]));
  const importersOf = (urls: readonly string[]): string[] =>
    entries.filter((entry) => urls.some((url) => reached.get(entry)?.has(url)));
  const groups = [...Map.groupBy(graph.keys(), (url) => importersOf([url]).join("\n")).values()]
    .map((modules) => ({
      modules,
      importers: importersOf(modules),
      bytes: modules.reduce((sum, url) => sum + (graph.get(url)?.bytes ?? 0), 0),
      outside: findOutside(modules.flatMap((url) => [...reached.get(url) ?? []]), graph),
    }))
    .filter(({ importers, bytes, outside }) =>
      importers.length > 1 && outside.every(isJoined) &&
      (importers[0] === entries[0] || (outside.length === 0 && bytes <= SHORT_BYTES))
    );
  return [...Map.groupBy(groups, ({ outside }) => outside.join("\n")).values()].map((all) => {
    const modules = all.flatMap((group) => group.modules);
    return { modules, importers: importersOf(modules) };
  });
}

/** Returns the modules that are not in the graph, sorted. */
function findOutside(urls: readonly string[], graph: ModuleGraph): string[] {
  return [...new Set(urls.filter((url) => !graph.has(url)))].toSorted();
}

/**
 * Returns the module and everything that it imports, directly or through other modules, without
 * `import()`.
 */
function reachableFrom(url: string, graph: ModuleGraph): ReadonlySet<string> {
  const reached = new Set([url]);
  // Iteration over a set also visits values that are added during the loop.
  for (const each of reached) {
    for (const imported of graph.get(each)?.imports ?? []) {
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
