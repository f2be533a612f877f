/**
 * Checks the npm packages below npm/ as their users get them: packs them, installs the tarballs into an empty project,
 * type-checks a program there with TypeScript, runs it on every supported Node, and lets publint and
 * "Are the types wrong?" judge the tarballs.
 *
 *     deno task check:npm                  builds the packages first
 *     deno run -A tools/check_npm.ts       checks the packages that are there
 *
 * @module
 */

import { readFlags, run, runTool, step, withTempDir } from "./cli.ts";
import { readMembers, ROOT } from "./members.ts";

const NODES = ["20", "22", "24"] as const;
const TYPESCRIPT = "typescript@5.9";
const NODE_TYPES = "@types/node@20";
const PUBLINT = "publint@0.3.25";
const ATTW = "@arethetypeswrong/cli@0.18.5";

/** The program that a user of the packages might write. */
const PROGRAM = new URL("tools/smoke.ts", ROOT);

/** How a user's project may be set up; the last one also writes the JavaScript that runs. */
const PROJECTS = [
  ["bundler", ["--module", "esnext", "--moduleResolution", "bundler", "--noEmit"]],
  ["nodenext", ["--module", "nodenext"]],
] as const;

async function pack(folder: string, destination: string): Promise<string> {
  const args = ["pack", "--silent", "--pack-destination", destination];
  const { stdout } = await run("npm", args, { cwd: new URL(`npm/${folder}/`, ROOT) });
  return `${destination}/${stdout.trim()}`;
}

async function install(dir: string, tarballs: readonly string[]): Promise<void> {
  await Deno.writeTextFile(`${dir}/package.json`, `{ "private": true, "type": "module" }\n`);
  await Deno.copyFile(PROGRAM, `${dir}/main.ts`);
  const quiet = ["--silent", "--no-audit", "--no-fund", "--prefer-offline"];
  await run("npm", ["install", ...quiet, ...tarballs, TYPESCRIPT, NODE_TYPES], { cwd: dir });
}

async function typeCheck(dir: string, flags: readonly string[]): Promise<void> {
  const strict = ["--strict", "--exactOptionalPropertyTypes", "--target", "es2022"];
  await run("node_modules/.bin/tsc", [...strict, ...flags, "main.ts"], { cwd: dir });
}

async function lint(tarball: string): Promise<void> {
  await run("npx", ["--yes", PUBLINT, "run", tarball, "--strict"]);
  await run("npx", ["--yes", ATTW, "--profile", "esm-only", tarball]);
}

async function main(): Promise<number> {
  readFlags(Deno.args, {});
  const members = await readMembers();
  await withTempDir(async (dir) => {
    const tarballs = await step(
      "npm pack",
      () => Promise.all(members.map(({ folder }) => pack(folder, dir))),
    );
    await step("npm install", () => install(dir, tarballs));
    for (const [name, flags] of PROJECTS) await step(`tsc ${name}`, () => typeCheck(dir, flags));
    for (const version of NODES) {
      const args = ["--yes", `node@${version}`, "main.js"];
      const { stdout } = await step(`node ${version}`, () => run("npx", args, { cwd: dir }));
      console.log(stdout.trim());
    }
    for (const tarball of tarballs) {
      await step(`lint ${tarball.slice(dir.length + 1)}`, () => lint(tarball));
    }
  });
  return 0;
}

if (import.meta.main) await runTool("check_npm", main);
