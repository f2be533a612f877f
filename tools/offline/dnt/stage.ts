/**
 * Copies the modules reachable from the entry points to `src/`, with specifiers rewritten for Node.js.
 *
 * @module
 */

import ts from "typescript";

interface Dependency {
  readonly specifier: string;
  readonly code?: { readonly specifier?: string };
  readonly type?: { readonly specifier?: string };
}

interface Module {
  readonly specifier: string;
  readonly error?: string | null;
  readonly dependencies?: readonly Dependency[] | null;
}

interface Graph {
  readonly modules: readonly Module[];
  readonly npmPackages: Readonly<Record<string, { readonly localPath: string }>>;
}

/** Staged modules, and the dependencies of the package. */
export interface Staged {
  /** Paths of the staged modules relative to `src/` (later `esm/`), without extensions, keyed by module URL. */
  readonly stems: ReadonlyMap<string, string>;
  readonly dependencies: Readonly<Record<string, string>>;
}

/** Folder of the linked packages, which replace JSR packages. */
const LINKS = new URL("../", import.meta.url).href;
const NPM = /^npm:\/?((?:@[^/]+\/)?[^@/]+)@([^/]+)(\/.*)?$/;

/** Stages all modules that `entries` import. Modules in `binaries` get a shebang line. */
export async function stage(
  entries: readonly string[],
  binaries: readonly string[],
  out: string,
): Promise<Staged> {
  const { modules, npmPackages } = await readGraph(entries);
  const base = entries[0]?.replace(/[^/]*$/, "") ?? "";
  const stems = new Map<string, string>();
  const dependencies: Record<string, string> = {};
  for (const { specifier } of modules) {
    if (specifier.startsWith("file:")) stems.set(specifier, stemOf(specifier, base));
  }
  for (const module of modules) {
    const stem = stems.get(module.specifier);
    if (stem === undefined) continue;
    const text = await Deno.readTextFile(new URL(module.specifier));
    if (module.specifier.startsWith(LINKS)) {
      await stageLink(module, stem, text, { out, npmPackages });
      continue;
    }
    const resolve = resolver(module, stem, stems, dependencies);
    const code = module.specifier.endsWith(".json")
      ? `export default ${text.trim()};\n`
      : rewrite(text, resolve);
    const extension = module.specifier.endsWith(".json") ? ".js" : ".ts";
    const shebang = binaries.includes(module.specifier) ? "#!/usr/bin/env node\n" : "";
    await write(`${out}/src/${stem}${extension}`, shebang + code.replace(/^#!.*\n/, ""));
  }
  return { stems, dependencies };
}

async function readGraph(entries: readonly string[]): Promise<Graph> {
  const code = entries.map((url) => `import "${url}";`).join("");
  const output = await new Deno.Command("deno", {
    args: ["info", "--json", `data:text/javascript,${code}`],
  }).output();
  const decoder = new TextDecoder();
  if (!output.success) throw new Error(decoder.decode(output.stderr));
  const graph: Graph = JSON.parse(decoder.decode(output.stdout));
  const failed = graph.modules.find(({ error }) => error);
  if (failed) throw new Error(`Cannot read ${failed.specifier}: ${failed.error}`);
  return graph;
}

function stemOf(url: string, base: string): string {
  const path = url.startsWith(LINKS)
    ? `deps/@std/${url.slice(LINKS.length)}`
    : url.slice(base.length);
  if (!url.startsWith(LINKS) && !url.startsWith(base)) {
    throw new Error(`Cannot package ${url}: it is outside ${base}`);
  }
  return path.replace(/(?:\.d)?\.(?:ts|json)$/, "");
}

/** Returns a function that rewrites the specifiers in a module and collects its dependencies. */
function resolver(
  { dependencies: targets }: Module,
  from: string,
  stems: ReadonlyMap<string, string>,
  dependencies: Record<string, string>,
): (specifier: string) => string {
  return (specifier) => {
    const target = targets?.find((candidate) => candidate.specifier === specifier);
    const url = target?.code?.specifier ?? target?.type?.specifier ?? specifier;
    const stem = stems.get(url);
    if (stem !== undefined) return relative(from, `${stem}.js`);
    const [, name, version, subpath = ""] = NPM.exec(url) ?? [];
    if (name === undefined || version === undefined) return specifier;
    dependencies[name] = version;
    return name + subpath;
  };
}

function rewrite(text: string, resolve: (specifier: string) => string): string {
  let code = text;
  const imports = ts.preProcessFile(text, true, true).importedFiles;
  for (const { fileName, pos } of imports.toSorted((a, b) => b.pos - a.pos)) {
    const start = code.indexOf(fileName, pos);
    code = code.slice(0, start) + resolve(fileName) + code.slice(start + fileName.length);
  }
  return code.replace(/ with \{ type: "json" \}/g, "");
}

/**
 * Stages a linked package, which re-exports npm code. The compiler receives only the declarations of the package,
 * whose code is copied next to the output.
 */
async function stageLink(
  { specifier, dependencies }: Module,
  stem: string,
  text: string,
  { out, npmPackages }: { readonly out: string; readonly npmPackages: Graph["npmPackages"] },
): Promise<void> {
  if (specifier.endsWith(".d.ts")) {
    await write(`${out}/src/${stem}.d.ts`, text);
    await write(`${out}/esm/${stem}.d.ts`, text);
    return;
  }
  for (const { code } of dependencies ?? []) {
    const [, name, version, file] = NPM.exec(code?.specifier ?? "") ?? [];
    const root = npmPackages[`${name}@${version}`]?.localPath;
    if (root === undefined || file === undefined) throw new Error(`Cannot package ${specifier}`);
    const target = `deps/${name}${file}`;
    await copyNpm(`${root}${file}`, `${out}/esm/${target}`);
    const line = `export * from "${relative(stem, target)}";\n`;
    await write(`${out}/esm/${stem}.js`, line);
  }
}

async function copyNpm(from: string, to: string): Promise<void> {
  const text = await Deno.readTextFile(from);
  await write(to, text);
  for (const { fileName } of ts.preProcessFile(text).importedFiles) {
    if (fileName.startsWith(".")) await copyNpm(join(from, fileName), join(to, fileName));
  }
}

function join(file: string, specifier: string): string {
  return new URL(specifier, `file://${file}`).pathname;
}

function relative(from: string, to: string): string {
  const folders = from.split("/").slice(0, -1);
  const parts = to.split("/");
  while (folders.length > 0 && folders[0] === parts[0]) {
    folders.shift();
    parts.shift();
  }
  return ("../".repeat(folders.length) || "./") + parts.join("/");
}

async function write(path: string, text: string): Promise<void> {
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  await Deno.writeTextFile(path, text);
}
