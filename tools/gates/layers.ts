/**
 * Checks the imports of the members against the rules in layers.json. The rules cover layers,
 * import cycles, the length of import chains between folders, and `import()` expressions. Only one
 * file or folder may import a given dependency, and only listed files may use platform APIs. No
 * import may leave its member's folder.
 *
 *     deno task layers
 *     deno task layers --list     also lists the import() expressions that layers_ratchet.json still allows
 *
 * @module
 */

import { readFlags, run, runTool, ToolError } from "../cli.ts";
import { ROOT } from "../members.ts";
import { countFloors, findFolderCycles, folderGraph, nodeOf } from "./folder_graph.ts";
import {
  checkLayers,
  type DynamicImport,
  findDynamicImports,
  type Import,
  isTest,
  type LayerRules,
  type SourceFile,
} from "./layer_rules.ts";
import rules from "./layers.json" with { type: "json" };
import ratchet from "./layers_ratchet.json" with { type: "json" };
import { codeOf, splitSource } from "./lexer.ts";
import { formatPlace, lineCounter } from "./places.ts";
import { compareToRatchet } from "./ratchet.ts";

interface Resolved {
  readonly specifier?: string;
  readonly span?: { readonly start: { readonly line: number } };
}

interface Dependency {
  readonly specifier: string;
  readonly code?: Resolved;
  readonly type?: Resolved;
}

/** The part of `deno info --json` that the gate reads. */
interface ModuleGraph {
  readonly modules: readonly {
    readonly specifier: string;
    readonly error?: string | null;
    readonly dependencies?: readonly Dependency[] | null;
  }[];
}

/**
 * Returns the line of the first reference to the global `Deno` in code, ignoring comments and
 * strings, or `undefined` if there is none.
 */
export function findDeno(source: string): number | undefined {
  if (!source.includes("Deno")) return undefined;
  const code = codeOf(source);
  const index = code.search(/\bDeno\b/);
  return index < 0 ? undefined : lineCounter(code)(index);
}

/** Returns the `import()` expressions in a source, including those in types. */
export function readDynamicImports(source: string): DynamicImport[] {
  if (!/\bimport\s*\(/.test(source)) return [];
  const found: DynamicImport[] = [];
  let code = "";
  let at = 0;
  for (const { kind, text, start, end } of splitSource(source)) {
    code += source.slice(at, start);
    at = end;
    const breaks = source.slice(start, end).replace(/[^\n]/g, "");
    if (kind === "doc" || kind === "comment") {
      code += breaks;
      continue;
    }
    const call = /\bimport\s*\(\s*$/.exec(code);
    if (call !== null) {
      found.push({
        specifier: kind === "string" ? text : "*",
        line: lineCounter(code)(call.index),
      });
    }
    code += `""${breaks}`;
  }
  code += source.slice(at);
  const lineOf = lineCounter(code);
  const computed = code.matchAll(/\bimport\s*\(\s*(?!["\s])/g);
  return [...found, ...[...computed].map(({ index }) => ({ specifier: "*", line: lineOf(index) }))];
}

/**
 * Returns the modules that a source reads with `process.getBuiltinModule()`, which layers.json must
 * list like imported modules.
 */
export function readBuiltinModules(source: string): Import[] {
  if (!source.includes("getBuiltinModule")) return [];
  const found: Import[] = [];
  let at = 0;
  let code = "";
  for (const { kind, text, start, end } of splitSource(source)) {
    code = code.slice(-100) + source.slice(at, start);
    at = end;
    if (kind === "string" && /\bgetBuiltinModule(\?\.)?\s*\(\s*$/.test(code)) {
      found.push({ specifier: text, line: lineCounter(source)(start) });
    }
  }
  return found;
}

async function readSources(members: readonly string[]): Promise<SourceFile[]> {
  const paths = (await Promise.all(members.map((member) => listSources(`${member}/`)))).flat()
    .filter((path) => !isTest(path));
  const imports = await readImports(paths);
  return await Promise.all(paths.map(async (path) => {
    const source = await Deno.readTextFile(new URL(path, ROOT));
    const denoLine = findDeno(source);
    return {
      path,
      imports: [...imports.get(path) ?? [], ...readBuiltinModules(source)],
      dynamicImports: readDynamicImports(source),
      ...(denoLine === undefined ? {} : { denoLine }),
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
  const start = (code?.span ?? type?.span)?.start.line;
  return {
    specifier,
    ...(file === undefined || file.startsWith("tools/offline/") ? {} : { file }),
    ...(start === undefined ? {} : { line: start + 1 }),
  };
}

function pathOf(url: string): string | undefined {
  return url.startsWith(ROOT.href) ? decodeURI(url.slice(ROOT.href.length)) : undefined;
}

/**
 * Result of {@linkcode checkRatcheted}: the numbers to compare with the ratchet, and the places
 * that each number counts.
 */
export interface RatchetedRules {
  readonly counts: ReadonlyMap<string, number>;
  readonly places: ReadonlyMap<string, readonly string[]>;
}

/**
 * Counts the violations that layers_ratchet.json may allow: `import()` expressions, folder cycles
 * and floors (see folder_graph.ts).
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
      describeFolderCycle(member, cycle, files)
    );
    places.set(`${member}, import() expressions`, dynamicImports);
    places.set(`${member}, folder cycles`, cycles);
    counts.set(`${member}, floors above ${maxFloors}`, Math.max(0, floors - maxFloors));
  }
  for (const [name, found] of places) counts.set(name, found.length);
  return { counts, places };
}

/**
 * Describes a folder cycle by the imports between its folders, of which each pair of folders has
 * one.
 */
function describeFolderCycle(
  member: string,
  cycle: readonly string[],
  files: readonly SourceFile[],
): string {
  const imports = new Map<string, string>();
  for (const { path, imports: targets } of files) {
    const from = nodeOf(member, path);
    for (const { file = "", line } of targets) {
      const to = nodeOf(member, file);
      if (from === to || !isPart(cycle, from) || !isPart(cycle, to)) continue;
      const key = `${from} ${to}`;
      if (!imports.has(key)) imports.set(key, `${formatPlace(path, line)} imports ${file}`);
    }
  }
  return `${member}: the folders ${cycle.join(", ")} import each other: ${
    [...imports.values()].join(", ")
  }`;
}

function isPart(cycle: readonly string[], node: string | undefined): boolean {
  return node !== undefined && cycle.includes(node);
}

async function main(): Promise<number> {
  const { list = false } = readFlags(Deno.args, { list: { type: "boolean" } });
  const layerRules: LayerRules = rules;
  const files = await readSources(Object.keys(layerRules));
  const { counts, places } = checkRatcheted(layerRules, files);
  const { errors, hints } = compareToRatchet(counts, ratchet, "tools/gates/layers_ratchet.json");
  const above = [...places].filter(([name]) => errors.some((error) => error.startsWith(`${name}:`)))
    .flatMap(([, found]) => found);
  const rulesText = await Deno.readTextFile(new URL("layers.json", import.meta.url));
  const breaches = [...checkLayers(layerRules, files, rulesText), ...above, ...errors];
  if (list) { for (const place of [...places.values()].flat()) console.log(place); }
  for (const breach of breaches) console.error(breach);
  for (const hint of hints) console.log(hint);
  console.log(`layers: ${files.length} files, ${breaches.length} errors`);
  return breaches.length === 0 ? 0 : 1;
}

if (import.meta.main) await runTool("layers", main);
