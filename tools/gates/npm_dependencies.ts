/**
 * Compares each member's npm dependencies with the list in npm_dependencies.json. The names come from all imports
 * reachable from the entry points, including type imports, because dnt writes these packages to the `dependencies` of
 * the npm package.
 *
 *     deno task layers     runs this gate after the import check
 *
 * @module
 */

import { readFlags, run, runTool } from "../cli.ts";
import { INTERNAL, type Member, readPackages, ROOT } from "../members.ts";
import expected from "./npm_dependencies.json" with { type: "json" };

/** Names of npm packages, keyed by member folder. */
export type DependencyLists = Readonly<Record<string, readonly string[]>>;

/** The part of `deno info --json` that the gate reads. */
export interface DependencyGraph {
  readonly modules: readonly {
    readonly specifier: string;
    readonly dependencies?:
      | readonly {
        readonly code?: { readonly specifier?: string };
        readonly type?: { readonly specifier?: string };
      }[]
      | null;
  }[];
}

const NPM = /^npm:\/?((?:@[^/]+\/)?[^@/]+)/;
const LIST = "tools/gates/npm_dependencies.json";

/** Returns the sorted names of the npm packages imported by the modules under a folder. */
export function readDependencies({ modules }: DependencyGraph, folder: string): string[] {
  const inside = [folder, new URL(`${INTERNAL}/`, ROOT).href];
  const names = modules.filter(({ specifier }) => inside.some((each) => specifier.startsWith(each)))
    .flatMap(({ dependencies }) => dependencies ?? [])
    .flatMap(({ code, type }) => [code?.specifier, type?.specifier])
    .flatMap((specifier) => NPM.exec(specifier ?? "")?.[1] ?? []);
  return [...new Set(names)].toSorted();
}

/** Returns one line for each difference between a member's dependencies and its list. */
export function compareDependencies(
  folder: string,
  actual: readonly string[],
  lists: DependencyLists = expected,
): string[] {
  const listed = lists[folder] ?? [];
  return [
    ...actual.filter((name) => !listed.includes(name)).map((name) =>
      `${folder} depends on "${name}": remove the import, or add the package to ${LIST} and to the decisions`
    ),
    ...listed.filter((name) => !actual.includes(name)).map((name) =>
      `${folder} no longer depends on "${name}": remove it from ${LIST}`
    ),
  ];
}

async function readMemberDependencies({ folder, exports }: Member): Promise<string[]> {
  const entries = [...exports.values()].map((file) =>
    `import "${new URL(`${folder}/${file}`, ROOT)}";`
  );
  const args = ["info", "--json", `data:text/javascript,${entries.join("")}`];
  const { stdout } = await run("deno", args, { cwd: ROOT });
  return readDependencies(JSON.parse(stdout), new URL(`${folder}/`, ROOT).href);
}

async function main(): Promise<number> {
  readFlags(Deno.args, {});
  const members = await readPackages();
  const found = await Promise.all(members.map(readMemberDependencies));
  const errors = members.flatMap(({ folder }, index) =>
    compareDependencies(folder, found[index] ?? [])
  );
  for (const error of errors) console.error(error);
  for (const [index, { name }] of members.entries()) {
    console.log(`${name}: ${found[index]?.join(", ") || "no dependencies"}`);
  }
  console.log(`dependencies: ${members.length} members, ${errors.length} errors`);
  return errors.length === 0 ? 0 : 1;
}

if (import.meta.main) await runTool("npm_dependencies", main);
