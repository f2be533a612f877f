/**
 * Compares the licenses of npm packages with licenses.json. The list `published` applies to the
 * packages that npm installs with a member; see tools/release/sboms.ts. This gate checks the
 * packages in the lock files: the dependencies of the members, and the packages that only tools and
 * tests use. Packages that are not installed on this machine, such as packages for a different
 * operating system, are not checked.
 *
 *     deno task layers     runs this gate after the import check
 *
 * @module
 */

import { readFlags, run, runTool } from "../cli.ts";
import { ROOT } from "../members.ts";
import rules from "./licenses.json" with { type: "json" };
import { formatPlace } from "./places.ts";

const LOCKS = [
  "deno.lock",
  "bench/deno.lock",
  "lab/drivers/third_party/deno.lock",
  "docs/deno.lock",
  "examples/cluster/deno.lock",
  "interop/deno.lock",
  "tools/runtimes/deno.lock",
] as const;

/** A package and its license, an SPDX expression such as `MIT` or `(MIT OR Apache-2.0)`. */
export interface LicensedPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** Place of the package in the lock file or in the bill of materials that lists it. */
  readonly place?: string;
}

/**
 * Returns one line for each package whose license is not allowed. Exceptions apply only to tools.
 */
export function findDisallowed(
  packages: readonly LicensedPackage[],
  use: "published" | "tools",
): string[] {
  const allowed = new Set(
    use === "published" ? rules.published : [...rules.published, ...rules.tools],
  );
  const exceptions = use === "published" ? [] : Object.keys(rules.exceptions);
  return packages.filter(({ license }) => !isAllowed(license, allowed))
    .filter(({ name }) => !exceptions.some((start) => name.startsWith(start)))
    .map(({ name, version, license, place }) =>
      `${place === undefined ? "" : `${place} `}${name}@${version}: ` +
      `licenses.json does not allow the license "${license}" (${use})`
    );
}

/**
 * Returns true if the allowed licenses satisfy an expression. Nested parentheses are not supported.
 */
function isAllowed(expression: string, allowed: ReadonlySet<string>): boolean {
  const plain = expression.replace(/^\((.*)\)$/, "$1");
  return plain.split(" OR ").some((choice) =>
    choice.split(" AND ").every((license) => allowed.has(license))
  );
}

/**
 * Returns the license in a package.json file. In old packages, the license is an object or a list
 * of objects.
 */
export function readLicense({ license, licenses }: Readonly<Record<string, unknown>>): string {
  const found = [license ?? licenses].flat().map((each) => Object(each).type ?? each);
  return found.filter((each) => typeof each === "string").join(" OR ");
}

/**
 * Returns the packages in the lock files as `name@version`, without the versions of their peer
 * dependencies, and the place of each.
 */
async function readLocks(): Promise<ReadonlyMap<string, string>> {
  const places = new Map<string, string>();
  for (const path of LOCKS) {
    const text = await Deno.readTextFile(new URL(path, ROOT));
    const { npm = {} } = JSON.parse(text);
    // Each key stands at the start of a line. The text before the packages contains some of the
    // keys too.
    const lines = new Map(text.split("\n").map((line, index) => [line.trim(), index + 1]));
    for (const key of Object.keys(npm)) {
      const name = key.replace(/(.@[^_]+)_.*$/, "$1");
      if (!places.has(name)) places.set(name, formatPlace(path, lines.get(`"${key}": {`)));
    }
  }
  return places;
}

/** Returns the folders in Deno's cache that contain the packages of each registry. */
async function findCaches(): Promise<readonly string[]> {
  const { stdout } = await run("deno", ["info", "--json"], { cwd: ROOT });
  const { npmCache } = JSON.parse(stdout);
  return (await Array.fromAsync(Deno.readDir(npmCache))).map(({ name }) => `${npmCache}/${name}`);
}

async function readPackage(
  key: string,
  place: string,
  caches: readonly string[],
): Promise<LicensedPackage | undefined> {
  const [, name = "", version = ""] = /^(.+)@(.+)$/.exec(key) ?? [];
  for (const cache of caches) {
    try {
      const text = await Deno.readTextFile(`${cache}/${name}/${version}/package.json`);
      return { name, version, license: readLicense(JSON.parse(text)), place };
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return undefined;
}

async function main(): Promise<number> {
  readFlags(Deno.args, {});
  const [places, caches] = await Promise.all([readLocks(), findCaches()]);
  const found = await Promise.all(
    [...places].toSorted().map(([key, place]) => readPackage(key, place, caches)),
  );
  const packages = found.filter((each) => each !== undefined);
  const errors = findDisallowed(packages, "tools");
  for (const error of errors) console.error(error);
  const missing = places.size - packages.length;
  console.log(
    `licenses: ${packages.length} packages, ${errors.length} errors, ${missing} not installed`,
  );
  return errors.length === 0 ? 0 : 1;
}

if (import.meta.main) await runTool("licenses", main);
