/**
 * Checks publishing to npm without sending the packages to the public registry. Builds the
 * packages, checks the licenses of their dependencies, publishes them to a registry on loopback,
 * and uses them by name as a new user would, on Node.js, Deno and Bun.
 *
 *     deno task check:publish npm
 *
 * @module
 */

import { assertStringIncludes } from "@std/assert";
import { dirname } from "node:path";
import { run, step, withTempDir } from "../cli.ts";
import { importEverything, type Member, readPackages, ROOT } from "../members.ts";
import { runtimeCommand } from "../runtimes/runtimes.ts";
import { ANY_AGE, checkStarters, type UserFolder } from "./check_starters.ts";
import { checkSboms } from "./check_sboms.ts";
import { startNpmRegistry } from "./local_npm.ts";

/** Placeholder repository for the URLs in package.json. A release uses its actual repository. */
const REPOSITORY = "https://github.com/example/parley";

/** Version of Node.js that runs the registry, npm and the programs. */
const NODE = "node@24";

/** A program that a package user might write. */
const PROGRAM = new URL("tools/release/smoke_program.ts", ROOT);

/**
 * Publishes the members and uses the published packages.
 *
 * @throws {Error} If a member cannot be published or used.
 */
export async function checkPublishNpm(): Promise<void> {
  const members = await readPackages();
  await withTempDir(async (dir) => {
    const packages = `${dir}/packages`;
    const build = ["run", "-A", "tools/release/build_npm.ts", "--out", packages];
    await step(
      "build",
      () => run("deno", [...build, "--repository", REPOSITORY], { cwd: ROOT, timeoutMs: 600_000 }),
    );
    await step("licenses and bills of materials", () => checkSboms(packages, `${dir}/sboms`));
    const [node = ""] = await runtimeCommand({ name: "node", npm: NODE });
    const registry = await step(
      "start the registry",
      () => startNpmRegistry(`${dir}/registry`, node),
    );
    try {
      const user = await createUser(`${dir}/user`, node, registry.npmrc);
      await step("npm publish", () => publish(members, packages, user));
      await step("npm install", () => useOnNode(members, user));
      await step("deno add", () => useOnDeno(members, user));
      await step("npx", () => useCommands(user));
      await checkStarters(user);
    } finally {
      await registry.close();
    }
  });
}

/** Creates the folder of a user who has installed only Node.js, Deno and Bun. */
async function createUser(dir: string, node: string, npmrc: string): Promise<UserFolder> {
  await Deno.mkdir(dir);
  await Deno.writeTextFile(`${dir}/.npmrc`, npmrc);
  const env = {
    PATH: `${dirname(node)}:${Deno.env.get("PATH")}`,
    npm_config_cache: `${dir}/npm_cache`,
    DENO_DIR: `${dir}/deno_cache`,
    BUN_INSTALL_CACHE_DIR: `${dir}/bun_cache`,
  };
  return { dir, npmrc, env };
}

/** Packs and publishes the packages with the commands of the release workflow. */
async function publish(
  members: readonly Member[],
  packages: string,
  { dir, env }: UserFolder,
): Promise<void> {
  const folders = members.map(({ folder }) => `${packages}/${folder}`);
  const pack = ["pack", "--silent", "--pack-destination", dir, ...folders];
  const { stdout } = await run("npm", pack, { cwd: dir, env });
  for (const tarball of stdout.trim().split("\n")) {
    await run("npm", ["publish", "--access", "public", `./${tarball}`], { cwd: dir, env });
  }
}

/** Installs all packages with npm, imports every entry point, and runs a program. */
async function useOnNode(members: readonly Member[], user: UserFolder): Promise<void> {
  const options = { cwd: await createProject("on-node", members, user), env: user.env };
  await Deno.writeTextFile(`${options.cwd}/package.json`, `{ "type": "module" }\n`);
  await run("npm", ["install", "--silent", ...members.map(({ name }) => name)], options);
  await run("node", ["entries.js"], options);
  assertStringIncludes((await run("node", ["main.ts"], options)).stdout, "every package works");
}

/** Installs all packages with Deno, imports every entry point, and runs a program. */
async function useOnDeno(members: readonly Member[], user: UserFolder): Promise<void> {
  const options = { cwd: await createProject("on-deno", members, user), env: user.env };
  await Deno.writeTextFile(`${options.cwd}/deno.json`, "{}\n");
  await run("deno", ["add", ANY_AGE, ...members.map(({ name }) => `npm:${name}`)], options);
  await run("deno", ["run", "--allow-env", "entries.js"], options);
  const { stdout } = await run("deno", ["run", "--check", "--allow-env", "main.ts"], options);
  assertStringIncludes(stdout, "every package works");
}

async function createProject(
  name: string,
  members: readonly Member[],
  { dir, npmrc }: UserFolder,
): Promise<string> {
  const project = `${dir}/${name}`;
  await Deno.mkdir(project);
  await Deno.writeTextFile(`${project}/.npmrc`, npmrc);
  await Deno.writeTextFile(`${project}/entries.js`, importEverything(members));
  await Deno.copyFile(PROGRAM, `${project}/main.ts`);
  return project;
}

/** Runs the commands of the packages without installing the packages first. */
async function useCommands({ dir, env }: UserFolder): Promise<void> {
  const options = { cwd: dir, env };
  const commands = [
    ["@parley/conformance", "parley-kit COMMAND"],
    ["@parley/mcp", "parley-mcp gateway FILE"],
    ["@parley/runtime", "npx @parley/runtime init KIND FOLDER"],
  ] as const;
  for (const [name, usage] of commands) {
    const { stdout } = await run("npx", ["--yes", name, "--help"], options);
    assertStringIncludes(stdout, usage);
  }
}
