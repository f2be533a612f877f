/**
 * Checks the starters of the npm packages as a new user would use them: creates a project with npx,
 * installs the dependencies, and type-checks, tests and starts the project on the supported
 * runtimes.
 *
 *     deno task check:publish npm
 *
 * @module
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { dirname } from "node:path";
import { run, settleAll, step, tryRun } from "../cli.ts";
import { BUN, runtimeCommand } from "../runtimes/runtimes.ts";

/** Versions of Node.js that execute TypeScript without flags. */
const NODE_VERSIONS = ["22", "24", "26"] as const;

/** Option that lets Deno install versions that are less than 24 hours old. */
export const ANY_AGE = "--minimum-dependency-age=0";

/** A starter, and part of the output of its program. */
interface Starter {
  /** Package that contains the starter. */
  readonly name: string;
  readonly kind: string;
  /** Standard output. A server exits without output when its input ends. */
  readonly prints: string;
}

const STARTERS: readonly Starter[] = [
  { name: "@parley/runtime", kind: "agent", prints: "It is a Tuesday." },
  { name: "@parley/runtime", kind: "team", prints: "writer: Good morning, team!" },
  { name: "@parley/runtime", kind: "acp", prints: "" },
  { name: "@parley/mcp", kind: "server", prints: "" },
  { name: "@parley/mcp", kind: "client", prints: "tool greet: Greets a person" },
];

/** A user's folder and settings. */
export interface UserFolder {
  readonly dir: string;
  /** Content of the `.npmrc` file in each project. */
  readonly npmrc: string;
  /** Environment variables that make npm, Deno and Bun download into the user's folder. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Creates and checks a project from each starter.
 *
 * @throws {Error} If a starter differs from its documentation, or its project fails.
 */
export async function checkStarters(user: UserFolder): Promise<void> {
  // npx cannot install a package twice at the same time.
  for (const starter of STARTERS) await createProject(user, starter);
  await settleAll(STARTERS.map((starter) =>
    step(`starter ${starter.kind}`, async () => {
      const options = { cwd: `${user.dir}/my-${starter.kind}`, env: user.env };
      await checkOnNode(options, starter);
      await checkOnDeno(options, starter);
      await checkOnBun(options, starter);
    })
  ));
}

/** Creates a project with npx, and configures the project to use the registry on loopback. */
async function createProject({ dir, npmrc, env }: UserFolder, starter: Starter): Promise<void> {
  const project = `my-${starter.kind}`;
  const npx = ["--yes", starter.name, "init", starter.kind, project];
  const { stdout } = await run("npx", npx, { cwd: dir, env });
  assertStringIncludes(stdout, `Created "${project}" with `);
  const again = await tryRun("npx", npx, { cwd: dir, env });
  assertEquals(again.code, 2);
  assertStringIncludes(again.stderr, `Cannot create "${project}": it already exists\n`);
  await Deno.writeTextFile(`${dir}/${project}/.npmrc`, npmrc);
}

/** The folder of a project, and variables for the programs that run in it. */
interface Project {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

async function checkOnNode({ cwd, env }: Project, { prints }: Starter): Promise<void> {
  const quiet = ["--silent", "--no-audit", "--no-fund", "--prefer-offline"];
  await run("npm", ["install", ...quiet], { cwd, env });
  await run("npm", ["run", "check"], { cwd, env });
  for (const version of NODE_VERSIONS) {
    const [node = ""] = await runtimeCommand({ name: version, npm: `node@${version}` });
    const options = { cwd, env: { ...env, PATH: `${dirname(node)}:${Deno.env.get("PATH")}` } };
    const test = await run("npm", ["test"], options);
    assertStringIncludes(test.stdout, "pass 1");
    assertStringIncludes((await run("npm", ["start"], options)).stdout, prints);
  }
}

/** Checks the tasks in deno.json, in a copy of the project whose dependencies Deno installs. */
async function checkOnDeno({ cwd, env }: Project, { prints }: Starter): Promise<void> {
  const options = { cwd: await copyProject(cwd, "deno"), env };
  await run("deno", ["install", "--quiet", ANY_AGE], options);
  await run("deno", ["task", "check"], options);
  assertStringIncludes((await run("deno", ["task", "test"], options)).stdout, "1 passed");
  assertStringIncludes((await run("deno", ["task", "start"], options)).stdout, prints);
}

/** Checks a copy of the project whose dependencies Bun installs. */
async function checkOnBun({ cwd, env }: Project, { prints }: Starter): Promise<void> {
  const options = { cwd: await copyProject(cwd, "bun"), env };
  const [bun = ""] = await runtimeCommand(BUN);
  await run(bun, ["install", "--silent"], options);
  await run(bun, ["run", "check"], options);
  assertStringIncludes((await run(bun, ["test"], options)).stderr, "1 pass");
  assertStringIncludes((await run(bun, ["main.ts"], options)).stdout, prints);
}

/** Copies the files of a project, without its dependencies. */
async function copyProject(project: string, suffix: string): Promise<string> {
  const copy = `${project}-${suffix}`;
  await Deno.mkdir(copy);
  for await (const { name, isFile } of Deno.readDir(project)) {
    if (!isFile || name === "package-lock.json") continue;
    await Deno.copyFile(`${project}/${name}`, `${copy}/${name}`);
  }
  return copy;
}
