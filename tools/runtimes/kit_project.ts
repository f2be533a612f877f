/**
 * The packages, installed from npm tarballs, with programs of the repository beside them that use them.
 *
 * @module
 */

import { usesDeno } from "../check_layers.ts";
import { run, step } from "../cli.ts";
import { readMembers, ROOT } from "../members.ts";
import { install, packAll } from "../packages.ts";

/** What is put before programs that use the streams of `Deno`. */
const STREAMS = new URL("programs/deno_streams.js", import.meta.url);

/**
 * Packs and installs the packages and puts the programs beside them, each as one JavaScript file of its name.
 *
 * @returns the project's folder
 */
export async function installProject(dir: string, programs: readonly string[]): Promise<string> {
  const project = `${dir}/project`;
  await step("npm pack and install", async () => {
    await install(project, await packAll(await readMembers(), dir));
  });
  await step("transpile", async () => {
    await Promise.all(programs.map((program) => transpile(program, project)));
  });
  return project;
}

/** Makes one JavaScript file of a program, for runtimes that know no TypeScript; the packages stay outside. */
async function transpile(program: string, project: string): Promise<void> {
  const outside = ["--external=@parley/*", "--external=*/comm/signing/ed25519.ts"];
  const { stdout } = await run("deno", ["bundle", "--quiet", ...outside, program], { cwd: ROOT });
  const script = stdout
    .replaceAll("import.meta.main", "true")
    .replaceAll(
      /"[./]*\/comm\/signing\/ed25519\.ts"/g,
      `"./node_modules/@parley/comm/esm/signing/ed25519.js"`,
    );
  const head = usesDeno(script) ? await Deno.readTextFile(STREAMS) : "";
  const name = program.replace(/^.*\//, "").replace(/ts$/, "js");
  await Deno.writeTextFile(`${project}/${name}`, `${head}\n${script}`);
}
