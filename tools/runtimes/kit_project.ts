/**
 * A project that contains the packages, installed from npm tarballs, and the repository's programs
 * that use them.
 *
 * @module
 */

import { findDeno } from "../gates/layers.ts";
import { run, step } from "../cli.ts";
import { readPackages, ROOT } from "../members.ts";
import { install, packAll } from "../release/npm_packages.ts";

/** Code to prepend to programs that use the standard streams in the global `Deno`. */
const STREAMS = new URL("programs/deno_streams.js", import.meta.url);

/**
 * Packs and installs the packages and adds the programs, each as one JavaScript file.
 *
 * @returns the project's folder
 */
export async function installProject(dir: string, programs: readonly string[]): Promise<string> {
  const project = `${dir}/project`;
  await step("npm pack and install", async () => {
    await install(project, await packAll(await readPackages(), dir));
  });
  await step("transpile", async () => {
    await Promise.all(programs.map((program) => transpile(program, project)));
  });
  return project;
}

/**
 * Bundles a program into one JavaScript file, for runtimes that do not support TypeScript. The
 * bundle does not contain the packages, but the shared code that modules of the repository import.
 */
async function transpile(program: string, project: string): Promise<void> {
  const outside = (await readPackages()).flatMap(({ name }) => [
    `--external=${name}`,
    `--external=${name}/*`,
  ]);
  const { stdout } = await run("deno", ["bundle", "--quiet", ...outside, program], { cwd: ROOT });
  const script = stdout.replaceAll("import.meta.main", "true");
  const head = findDeno(script) !== undefined ? await Deno.readTextFile(STREAMS) : "";
  const name = program.replace(/^.*\//, "").replace(/ts$/, "js");
  await Deno.writeTextFile(`${project}/${name}`, `${head}\n${script}`);
}
