/**
 * The npm packages below npm/ as their users get them: packed, and installed into a project of their own.
 *
 * @module
 */

import { run } from "../cli.ts";
import { type Member, ROOT } from "../members.ts";

/** Packs every member; the tarballs stand in the same order. */
export async function packAll(members: readonly Member[], destination: string): Promise<string[]> {
  return await Promise.all(members.map(({ folder }) => pack(folder, destination)));
}

/** Installs packages into a new project. */
export async function install(dir: string, packages: readonly string[]): Promise<void> {
  await Deno.mkdir(dir);
  await Deno.writeTextFile(`${dir}/package.json`, `{ "private": true, "type": "module" }\n`);
  const quiet = ["--silent", "--no-audit", "--no-fund", "--prefer-offline"];
  await run("npm", ["install", ...quiet, ...packages], { cwd: dir });
}

async function pack(folder: string, destination: string): Promise<string> {
  const args = ["pack", "--silent", "--pack-destination", destination];
  const { stdout } = await run("npm", args, { cwd: new URL(`npm/${folder}/`, ROOT) });
  return `${destination}/${stdout.trim()}`;
}
