/**
 * Checks which file of the members imports which: layers, cycles (of types and dynamic imports too), one door for each
 * dependency, platform APIs only in the files listed for them. The rules are data, in layers.json.
 *
 *     deno task layers
 *
 * @module
 */

import { readFlags, run, runTool, ToolError } from "../cli.ts";
import {
  checkLayers,
  type Import,
  isTest,
  type LayerRules,
  type SourceFile,
} from "./layer_rules.ts";
import { ROOT } from "../members.ts";
import rules from "./layers.json" with { type: "json" };

interface Dependency {
  readonly specifier: string;
  readonly code?: { readonly specifier?: string };
  readonly type?: { readonly specifier?: string };
}

/** The part of `deno info --json` that matters here. */
interface ModuleGraph {
  readonly modules: readonly {
    readonly specifier: string;
    readonly error?: string | null;
    readonly dependencies?: readonly Dependency[] | null;
  }[];
}

/** Comments and quoted strings, which may speak of Deno; templates stay, for they hold code. */
const NOT_CODE = /\/\*[\s\S]*?\*\/|\/\/.*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g;

/** Whether code, not a comment or a string, names the global `Deno`. */
export function usesDeno(source: string): boolean {
  return /\bDeno\b/.test(source.replace(NOT_CODE, ""));
}

async function readSources(members: readonly string[]): Promise<SourceFile[]> {
  const paths = (await Promise.all(members.map((member) => listSources(`${member}/`)))).flat()
    .filter((path) => !isTest(path));
  const imports = await readImports(paths);
  return await Promise.all(paths.map(async (path) => ({
    path,
    imports: imports.get(path) ?? [],
    usesDeno: usesDeno(await Deno.readTextFile(new URL(path, ROOT))),
  })));
}

async function listSources(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, ROOT))) {
    if (isDirectory) found.push(...await listSources(`${folder}${name}/`));
    else if (name.endsWith(".ts")) found.push(`${folder}${name}`);
  }
  return found.toSorted();
}

/** Asks Deno, in one process, what each file imports. */
async function readImports(paths: readonly string[]): Promise<Map<string, Import[]>> {
  const entry = paths.map((path) => `import "${new URL(path, ROOT)}";`).join("");
  const { stdout } = await run("deno", ["info", "--json", `data:text/javascript,${entry}`], {
    cwd: ROOT,
  });
  const graph: ModuleGraph = JSON.parse(stdout);
  const imports = new Map<string, Import[]>();
  for (const { specifier, error, dependencies } of graph.modules) {
    const path = pathOf(specifier);
    if (path === undefined) continue;
    if (error) throw new ToolError(`Cannot read ${path}: ${error}`);
    imports.set(path, (dependencies ?? []).map(toImport));
  }
  return imports;
}

function toImport({ specifier, code, type }: Dependency): Import {
  const file = pathOf(code?.specifier ?? type?.specifier ?? "");
  return file === undefined || file.startsWith("tools/offline/")
    ? { specifier }
    : { specifier, file };
}

function pathOf(url: string): string | undefined {
  return url.startsWith(ROOT.href) ? decodeURI(url.slice(ROOT.href.length)) : undefined;
}

async function main(): Promise<number> {
  readFlags(Deno.args, {});
  const layerRules: LayerRules = rules;
  const files = await readSources(Object.keys(layerRules));
  const breaches = checkLayers(layerRules, files);
  for (const breach of breaches) console.error(breach);
  console.log(`layers: ${files.length} files, ${breaches.length} breaches`);
  return breaches.length === 0 ? 0 : 1;
}

if (import.meta.main) await runTool("layers", main);
