/**
 * Compares each member's npm dependencies with the list in npm_dependencies.json. The names come
 * from all imports reachable from the entry points, including type imports, because dnt writes
 * these packages to the `dependencies` of the npm package.
 *
 *     deno task layers     runs this gate after the import check
 *
 * @module
 */

import { readFlags, run, runTool } from "../cli.ts";
import { INTERNAL, type Member, readPackages, ROOT } from "../members.ts";
import expected from "./npm_dependencies.json" with { type: "json" };
import { findJsonLine, formatPlace } from "./places.ts";

/** Names of npm packages, keyed by member folder. */
export type DependencyLists = Readonly<Record<string, readonly string[]>>;

interface Resolved {
  readonly specifier?: string;
  readonly span?: { readonly start: { readonly line: number } };
}

/** The part of `deno info --json` that the gate reads. */
export interface DependencyGraph {
  readonly modules: readonly {
    readonly specifier: string;
    readonly dependencies?:
      | readonly { readonly code?: Resolved; readonly type?: Resolved }[]
      | null;
  }[];
}

/** An npm package that a member imports. */
export interface ImportedPackage {
  readonly name: string;
  /** Place of the first import, such as `mcp/process.ts:12`. */
  readonly place: string;
}

const NPM = /^npm:\/?((?:@[^/]+\/)?[^@/]+)/;
const LIST = "tools/gates/npm_dependencies.json";

/**
 * Returns the npm packages imported by the modules under a folder and by the shared code that they
 * import, sorted by name. `root` is the URL to which the places are relative.
 */
export function readDependencies(
  { modules }: DependencyGraph,
  folder: string,
  root: string,
): ImportedPackage[] {
  const inside = [folder, `${root}${INTERNAL}/`];
  const places = new Map<string, string>();
  for (const { specifier: module, dependencies } of modules) {
    if (!inside.some((each) => module.startsWith(each))) continue;
    for (const { specifier, span } of (dependencies ?? []).flatMap(resolutions)) {
      const name = NPM.exec(specifier ?? "")?.[1];
      if (name === undefined || places.has(name)) continue;
      const line = span === undefined ? undefined : span.start.line + 1;
      places.set(name, formatPlace(module.replace(root, ""), line));
    }
  }
  return [...places].map(([name, place]) => ({ name, place }))
    .toSorted((a, b) => a.name < b.name ? -1 : 1);
}

function resolutions(
  { code, type }: { readonly code?: Resolved; readonly type?: Resolved },
): Resolved[] {
  return [code, type].filter((each) => each !== undefined);
}

/**
 * Returns one line for each difference between a member's dependencies and its list. Packages that
 * are no longer needed are located in `listText`, the text of npm_dependencies.json.
 */
export function compareDependencies(
  folder: string,
  actual: readonly ImportedPackage[],
  lists: DependencyLists = expected,
  listText = "",
): string[] {
  const listed = lists[folder] ?? [];
  const names = actual.map(({ name }) => name);
  return [
    ...actual.filter(({ name }) => !listed.includes(name)).map(({ name, place }) =>
      `${place} imports "${name}": remove the import, or add the package to ${LIST} and to the decisions`
    ),
    ...listed.filter((name) => !names.includes(name)).map((name) =>
      `${
        formatPlace(LIST, findJsonLine(listText, [folder, name]))
      } lists "${name}", which ${folder} no longer imports: remove it`
    ),
  ];
}

async function readMemberDependencies({ folder, exports }: Member): Promise<ImportedPackage[]> {
  const entries = [...exports.values()].map((file) =>
    `import "${new URL(`${folder}/${file}`, ROOT)}";`
  );
  const args = ["info", "--json", `data:text/javascript,${entries.join("")}`];
  const { stdout } = await run("deno", args, { cwd: ROOT });
  return readDependencies(JSON.parse(stdout), new URL(`${folder}/`, ROOT).href, ROOT.href);
}

async function main(): Promise<number> {
  readFlags(Deno.args, {});
  const members = await readPackages();
  const found = await Promise.all(members.map(readMemberDependencies));
  const listText = await Deno.readTextFile(new URL(LIST, ROOT));
  const errors = members.flatMap(({ folder }, index) =>
    compareDependencies(folder, found[index] ?? [], expected, listText)
  );
  for (const error of errors) console.error(error);
  for (const [index, { name }] of members.entries()) {
    const names = found[index]?.map((each) => each.name).join(", ") || "no dependencies";
    console.log(`${name}: ${names}`);
  }
  console.log(`dependencies: ${members.length} members, ${errors.length} errors`);
  return errors.length === 0 ? 0 : 1;
}

if (import.meta.main) await runTool("npm_dependencies", main);
