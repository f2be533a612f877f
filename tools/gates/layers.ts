/**
 * Checks the imports of the members against the rules in layers.json. The rules cover layers, import cycles, the
 * length of import chains between folders, and `import()` expressions. Only one file or folder may import a given
 * dependency, and only listed files may use platform APIs. No import may leave its member's folder.
 *
 *     deno task layers
 *     deno task layers --list     also lists the import() expressions that layers_ratchet.json still allows
 *
 * @module
 */

import { readFlags, run, runTool, ToolError } from "../cli.ts";
import { ROOT } from "../members.ts";
import { countFloors, findFolderCycles, folderGraph } from "./folder_graph.ts";
import {
  checkLayers,
  findDynamicImports,
  type Import,
  isTest,
  type LayerRules,
  type SourceFile,
} from "./layer_rules.ts";
import rules from "./layers.json" with { type: "json" };
import ratchet from "./layers_ratchet.json" with { type: "json" };
import { codeOf, splitSource } from "./lexer.ts";
import { compareToRatchet } from "./ratchet.ts";

interface Dependency {
  readonly specifier: string;
  readonly code?: { readonly specifier?: string };
  readonly type?: { readonly specifier?: string };
}

/** The part of `deno info --json` that the gate reads. */
interface ModuleGraph {
  readonly modules: readonly {
    readonly specifier: string;
    readonly error?: string | null;
    readonly dependencies?: readonly Dependency[] | null;
  }[];
}

/** Returns true if the code, ignoring comments and strings, refers to the global `Deno`. */
export function usesDeno(source: string): boolean {
  return source.includes("Deno") && /\bDeno\b/.test(codeOf(source));
}

/**
 * Returns the specifier of each `import()` expression, including `import()` in types, or `*` if the specifier is
 * computed.
 */
export function readDynamicImports(source: string): string[] {
  if (!/\bimport\s*\(/.test(source)) return [];
  const specifiers: string[] = [];
  let code = "";
  let at = 0;
  for (const { kind, text, start, end } of splitSource(source)) {
    code += source.slice(at, start);
    at = end;
    if (kind === "doc" || kind === "comment") continue;
    if (/\bimport\s*\(\s*$/.test(code)) specifiers.push(kind === "string" ? text : "*");
    code += `""`;
  }
  code += source.slice(at);
  const computed = code.match(/\bimport\s*\(\s*(?!["\s])/g) ?? [];
  return [...specifiers, ...computed.map(() => "*")];
}

async function readSources(members: readonly string[]): Promise<SourceFile[]> {
  const paths = (await Promise.all(members.map((member) => listSources(`${member}/`)))).flat()
    .filter((path) => !isTest(path));
  const imports = await readImports(paths);
  return await Promise.all(paths.map(async (path) => {
    const source = await Deno.readTextFile(new URL(path, ROOT));
    return {
      path,
      imports: imports.get(path) ?? [],
      dynamicImports: readDynamicImports(source),
      usesDeno: usesDeno(source),
    };
  }));
}

async function listSources(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, ROOT))) {
    if (isDirectory) found.push(...await listSources(`${folder}${name}/`));
    else if (name.endsWith(".ts")) found.push(`${folder}${name}`);
  }
  return found.toSorted();
}

/** Reads the imports of all files with one `deno info` process. */
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

/**
 * Result of {@linkcode checkRatcheted}: the numbers to compare with the ratchet, and the places that each number
 * counts.
 */
export interface RatchetedRules {
  readonly counts: ReadonlyMap<string, number>;
  readonly places: ReadonlyMap<string, readonly string[]>;
}

/**
 * Counts the violations that layers_ratchet.json may allow: `import()` expressions, folder cycles and floors (see
 * folder_graph.ts).
 */
export function checkRatcheted(rules: LayerRules, files: readonly SourceFile[]): RatchetedRules {
  const places = new Map<string, readonly string[]>();
  const counts = new Map<string, number>();
  for (const [member, memberRules] of Object.entries(rules)) {
    const graph = folderGraph(member, files);
    const { maxFloors = Infinity } = memberRules;
    const floors = countFloors(graph);
    const dynamicImports = findDynamicImports(member, memberRules, files);
    const cycles = findFolderCycles(graph).map((cycle) =>
      `${member}: the folders ${cycle.join(", ")} import each other`
    );
    places.set(`${member}, import() expressions`, dynamicImports);
    places.set(`${member}, folder cycles`, cycles);
    counts.set(`${member}, floors above ${maxFloors}`, Math.max(0, floors - maxFloors));
  }
  for (const [name, found] of places) counts.set(name, found.length);
  return { counts, places };
}

async function main(): Promise<number> {
  const { list = false } = readFlags(Deno.args, { list: { type: "boolean" } });
  const layerRules: LayerRules = rules;
  const files = await readSources(Object.keys(layerRules));
  const { counts, places } = checkRatcheted(layerRules, files);
  const { errors, hints } = compareToRatchet(counts, ratchet, "tools/gates/layers_ratchet.json");
  const above = [...places].filter(([name]) => errors.some((error) => error.startsWith(`${name}:`)))
    .flatMap(([, found]) => found);
  const breaches = [...checkLayers(layerRules, files), ...above, ...errors];
  if (list) { for (const place of [...places.values()].flat()) console.log(place); }
  for (const breach of breaches) console.error(breach);
  for (const hint of hints) console.log(hint);
  console.log(`layers: ${files.length} files, ${breaches.length} errors`);
  return breaches.length === 0 ? 0 : 1;
}

if (import.meta.main) await runTool("layers", main);
