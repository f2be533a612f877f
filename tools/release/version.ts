/**
 * Writes the version of all packages to every file that contains it, and reads the release notes of
 * a tag.
 *
 *     deno run -A tools/release/version.ts set 1.2.3        writes the version, the starters and the changelog heading
 *     deno run -A tools/release/version.ts notes v1.2.3     checks the version and prints the changelog section
 *
 * @module
 */

import { readArguments, runTool, ToolError } from "../cli.ts";
import { readMembers, ROOT } from "../members.ts";
import { embedStarters } from "./embed_starters.ts";

/** Files that contain the version in double quotes, in addition to the members' deno.json files. */
const FILES = [
  "deno.json",
  "deno.lock",
  ".github/ISSUE_TEMPLATE/bug.yml",
  "action.yml",
  "bench/deno.lock",
  "conformance/drivers/go/main.go",
  "conformance/drivers/python/driver.py",
  "conformance/drivers/typescript/assemble_program.ts",
  "conformance/drivers/typescript/everything.ts",
  "examples/cluster/deno.lock",
  "examples/everything_client/main.ts",
  "interop/deno.lock",
  "tools/runtimes/deno.lock",
  "mcp/cli.ts",
  "mcp/client/config.ts",
  "mcp/client/config.ts",
] as const;

const CHANGELOG = "CHANGELOG.md";
const VERSION = /^\d+\.\d+\.\d+$/;

/**
 * Returns the paths of the files that contain the version number, except the generated starters.
 */
export async function listVersionFiles(): Promise<readonly string[]> {
  return [...(await readMembers()).map(({ folder }) => `${folder}/deno.json`), ...FILES];
}

/**
 * Returns the version that all members have.
 *
 * @throws {ToolError} If the members have different versions.
 */
export async function readVersion(): Promise<string> {
  const versions = [...new Set((await readMembers()).map(({ version }) => version))];
  const [version = ""] = versions;
  if (versions.length !== 1) throw new ToolError(`The versions differ: ${versions.join(", ")}`);
  return version;
}

/** Replaces a version that is in quotes or follows the name of a package and a space or "@". */
export function replaceVersion(text: string, from: string, to: string): string {
  return text.replaceAll(`"${from}"`, `"${to}"`)
    .replace(new RegExp(`(@parley/\\w+[ @])${RegExp.escape(from)}\\b`, "g"), `$1${to}`);
}

/**
 * Adds a heading for a version below the heading of unreleased changes.
 *
 * @param date Date of the release, as YYYY-MM-DD.
 * @throws {ToolError} If the changelog has no unreleased changes, or already contains the version.
 */
export function addHeading(changelog: string, version: string, date: string): string {
  if (readNotes(changelog, version) !== undefined) {
    throw new ToolError(`${CHANGELOG} already has the heading "## ${version}"`);
  }
  const [before = "", after] = changelog.split("## Unreleased\n", 2);
  if (after === undefined || /^\s*(?:## |$)/.test(after)) {
    throw new ToolError(`${CHANGELOG} has no unreleased changes`);
  }
  return `${before}## Unreleased\n\n## ${version} - ${date}\n${after}`;
}

/**
 * Returns the section of a version without its heading, or undefined if the changelog does not
 * contain the version.
 */
export function readNotes(changelog: string, version: string): string | undefined {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.startsWith(`${version} - `));
  return section?.slice(section.indexOf("\n")).trim();
}

async function setVersion(version: string): Promise<void> {
  if (!VERSION.test(version)) {
    throw new ToolError(`"${version}" is not a valid version: expected a version such as 1.2.3`);
  }
  const from = await readVersion();
  const changelog = await read(CHANGELOG);
  await write(CHANGELOG, addHeading(changelog, version, new Date().toISOString().slice(0, 10)));
  for (const path of await listVersionFiles()) {
    await write(path, replaceVersion(await read(path), from, version));
  }
  for (const [path, text] of await embedStarters()) await write(path, text);
}

async function printNotes(tag: string): Promise<void> {
  const version = await readVersion();
  if (tag !== `v${version}`) {
    throw new ToolError(`The tag "${tag}" does not match the version ${version}`);
  }
  const notes = readNotes(await read(CHANGELOG), version);
  if (notes === undefined) {
    throw new ToolError(`${CHANGELOG} has no heading "## ${version} - DATE"`);
  }
  console.log(notes);
}

async function read(path: string): Promise<string> {
  return await Deno.readTextFile(new URL(path, ROOT));
}

async function write(path: string, text: string): Promise<void> {
  const file = new URL(path, ROOT);
  if (text === await Deno.readTextFile(file)) return;
  await Deno.writeTextFile(file, text);
  console.log(`wrote ${path}`);
}

async function main(): Promise<number> {
  const { positionals: [command, value = ""] } = readArguments(Deno.args, {});
  if (command === "set") await setVersion(value);
  else if (command === "notes") await printNotes(value);
  else throw new ToolError(`Expected the command "set VERSION" or "notes TAG"`);
  return 0;
}

if (import.meta.main) await runTool("version", main);
