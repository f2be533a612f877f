/**
 * Packs the npm packages under npm/ and installs them into a new project, as a user would.
 *
 * @module
 */

import { run } from "../cli.ts";
import { type Member, ROOT } from "../members.ts";

/**
 * Versions of Node.js to test: the oldest supported version, and the latest version of each
 * supported major line.
 */
export const NODE_VERSIONS = ["22.13.0", "22", "24", "26"] as const;

/** Packs every member. Returns the tarballs in the order of the members. */
export async function packAll(members: readonly Member[], destination: string): Promise<string[]> {
  return await Promise.all(members.map(({ folder }) => pack(folder, destination)));
}

/** Installs packages into a new project. The arguments can include `npm install` options. */
export async function install(dir: string, args: readonly string[]): Promise<void> {
  await Deno.mkdir(dir);
  await Deno.writeTextFile(`${dir}/package.json`, `{ "private": true, "type": "module" }\n`);
  const quiet = ["--silent", "--no-audit", "--no-fund", "--prefer-offline"];
  await run("npm", ["install", ...quiet, ...args], { cwd: dir });
}

async function pack(folder: string, destination: string): Promise<string> {
  const args = ["pack", "--silent", "--pack-destination", destination];
  const { stdout } = await run("npm", args, { cwd: new URL(`npm/${folder}/`, ROOT) });
  return `${destination}/${stdout.trim()}`;
}
