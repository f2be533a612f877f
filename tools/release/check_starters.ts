/**
 * Checks the starters of the npm packages as a new user would use them: creates a project from each tarball with npx,
 * installs the dependencies, and type-checks, tests and starts the project on the supported runtimes.
 *
 *     deno task check:packages starters                  builds the packages first
 *     deno run -A tools/release/check_starters.ts        checks the packages that exist
 *
 * @module
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { dirname } from "node:path";
import { readFlags, run, runTool, settleAll, step, tryRun, withTempDir } from "../cli.ts";
import { readMembers, ROOT } from "../members.ts";
import { BUN, runtimeCommand } from "../runtimes/runtimes.ts";
import { NpmRegistry } from "./local_npm.ts";
import { packAll } from "./npm_packages.ts";

/** Versions of Node.js that execute TypeScript without flags. */
const NODE_VERSIONS = ["22", "24", "26"] as const;

/** A starter, and part of the output of its program. */
interface Starter {
  /** Folder of the member with the starter. */
  readonly member: string;
  readonly kind: string;
  /** Standard output. A server reads the end of the input, and ends without output. */
  readonly prints: string;
}

const STARTERS: readonly Starter[] = [
  { member: "runtime", kind: "agent", prints: "It is a Tuesday." },
  { member: "runtime", kind: "team", prints: "writer: Good morning, team!" },
  { member: "mcp", kind: "server", prints: "" },
  { member: "mcp", kind: "client", prints: "tool greet: Greets a person" },
];

async function check(dir: string): Promise<void> {
  const members = (await readMembers()).filter(({ folder }) =>
    STARTERS.some(({ member }) => member === folder)
  );
  const tarballs = await step("npm pack", () => packAll(members, dir));
  const byMember = new Map(members.map(({ folder }, index) => [folder, tarballs[index] ?? ""]));
  const registry = new NpmRegistry();
  try {
    await addPackages(registry, byMember);
    await Deno.writeTextFile(`${dir}/.npmrc`, registry.npmrc);
    await settleAll(STARTERS.map((starter) =>
      step(`starter ${starter.kind}`, async () => {
        const project = await createProject(dir, byMember.get(starter.member) ?? "", starter);
        await checkOnNode(project, starter);
        await checkOnDeno(project, starter);
        await checkOnBun(project, starter);
      })
    ));
  } finally {
    await registry.close();
  }
}

async function addPackages(
  registry: NpmRegistry,
  tarballs: ReadonlyMap<string, string>,
): Promise<void> {
  for (const [folder, path] of tarballs) {
    const manifest = JSON.parse(
      await Deno.readTextFile(new URL(`npm/${folder}/package.json`, ROOT)),
    );
    registry.add({ manifest, tarball: await Deno.readFile(path) });
  }
}

/** Creates a project with npx from a tarball, and lets the project use the registry on loopback. */
async function createProject(dir: string, tarball: string, { kind }: Starter): Promise<string> {
  const name = `my-${kind}`;
  const npx = ["--yes", "--prefer-offline", `file:${tarball}`, "init", kind, name];
  const { stdout } = await run("npx", npx, { cwd: dir });
  assertStringIncludes(stdout, `Created "${name}" with `);
  const again = await tryRun("npx", npx, { cwd: dir });
  assertEquals(again.code, 2);
  assertStringIncludes(again.stderr, `Cannot create "${name}": it already exists\n`);
  const project = `${dir}/${name}`;
  await Deno.copyFile(`${dir}/.npmrc`, `${project}/.npmrc`);
  return project;
}

async function checkOnNode(cwd: string, { prints }: Starter): Promise<void> {
  const quiet = ["--silent", "--no-audit", "--no-fund", "--prefer-offline"];
  await run("npm", ["install", ...quiet], { cwd });
  await run("npm", ["run", "check"], { cwd });
  for (const version of NODE_VERSIONS) {
    const [node = ""] = await runtimeCommand({ name: version, npm: `node@${version}` });
    const env = { PATH: `${dirname(node)}:${Deno.env.get("PATH")}` };
    const test = await run("npm", ["test"], { cwd, env });
    assertStringIncludes(test.stdout, "pass 1");
    assertStringIncludes((await run("npm", ["start"], { cwd, env })).stdout, prints);
  }
}

/** Checks the tasks in deno.json, in a copy whose dependencies Deno installs. */
async function checkOnDeno(project: string, { prints }: Starter): Promise<void> {
  const options = { cwd: await copyProject(project, "deno") };
  await run("deno", ["install", "--quiet"], options);
  await run("deno", ["task", "check"], options);
  assertStringIncludes((await run("deno", ["task", "test"], options)).stdout, "1 passed");
  assertStringIncludes((await run("deno", ["task", "start"], options)).stdout, prints);
}

/** Checks the project in a copy whose dependencies Bun installs. */
async function checkOnBun(project: string, { prints }: Starter): Promise<void> {
  const options = { cwd: await copyProject(project, "bun") };
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

async function main(): Promise<number> {
  readFlags(Deno.args, {});
  await withTempDir(check);
  return 0;
}

if (import.meta.main) await runTool("check_starters", main);
