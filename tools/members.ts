/**
 * Reads the members of the workspace from their deno.json files.
 *
 * @module
 */

import { ToolError } from "./cli.ts";

/** URL of the repository root. */
export const ROOT: URL = new URL("../", import.meta.url);

/** A member of the workspace. */
export interface Member {
  /** Folder relative to the root, without a trailing slash. */
  readonly folder: string;
  /** Package name, such as `@parley/comm`. */
  readonly name: string;
  readonly version: string;
  /** Entry points: file paths relative to the folder, keyed by subpath (`.`, `./did`). */
  readonly exports: ReadonlyMap<string, string>;
}

/** Folder of the member that the other members contain on npm. It is not public. */
export const INTERNAL = "internal";

/** Reads the members that are public packages. */
export async function readPackages(): Promise<Member[]> {
  return (await readMembers()).filter(({ folder }) => folder !== INTERNAL);
}

/** Reads every member listed in the root deno.json. */
export async function readMembers(root: URL = ROOT): Promise<Member[]> {
  const { workspace } = await readConfig(new URL("deno.json", root));
  if (!Array.isArray(workspace)) {
    throw new ToolError(`Cannot find the members: "workspace" is missing from deno.json`);
  }
  return await Promise.all(workspace.map((path) => readMember(root, String(path))));
}

/** Returns the source of a module that imports every entry point by its package name. */
export function importEverything(members: readonly Pick<Member, "name" | "exports">[]): string {
  return members.flatMap(({ name, exports }) =>
    [...exports.keys()].map((subpath) => `import "${name}${subpath.slice(1)}";\n`)
  ).join("");
}

async function readMember(root: URL, path: string): Promise<Member> {
  const folder = path.replace(/^\.\//, "").replace(/\/$/, "");
  const { name, version, exports } = await readConfig(new URL(`${folder}/deno.json`, root));
  if (typeof name !== "string" || typeof version !== "string" || !isExports(exports)) {
    throw new ToolError(`Cannot read ${folder}/deno.json: name, version or exports is missing`);
  }
  const entries = Object.entries(exports).map(([subpath, file]): [string, string] => [
    subpath,
    file.replace(/^\.\//, ""),
  ]);
  return { folder, name, version, exports: new Map(entries) };
}

async function readConfig(file: URL): Promise<Readonly<Record<string, unknown>>> {
  try {
    return JSON.parse(await Deno.readTextFile(file));
  } catch (error) {
    throw new ToolError(
      `Cannot read ${file.pathname}: ${error instanceof Error ? error.message : error}`,
    );
  }
}

function isExports(value: unknown): value is Readonly<Record<string, string>> {
  return typeof value === "object" && value !== null &&
    Object.values(value).every((file) => typeof file === "string");
}
