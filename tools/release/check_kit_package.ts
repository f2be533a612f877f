/**
 * Checks the installed npm package of the conformance kit: its size, that its cases are those of
 * the repository, and that its command starts without its cases.
 *
 * @module
 */

import { run, ToolError } from "../cli.ts";
import { ROOT } from "../members.ts";
import { listFiles } from "./joined_packages.ts";

/** Maximum size of the installed package, in bytes. */
const MAX_BYTES = 8_800_000;

/**
 * Checks the package on one version of Node.js.
 *
 * @param project Folder of a project that has the package installed.
 * @param node Command that starts Node.js.
 * @throws {ToolError} If the package is too large, if a case differs from the repository, or if
 * `parley-kit --help` reads the cases.
 */
export async function checkKitPackage(project: string, node: readonly string[]): Promise<void> {
  const folder = `${project}/node_modules/@parley/conformance`;
  const bytes = await sizeOf(folder);
  if (bytes > MAX_BYTES) {
    throw new ToolError(
      `The installed kit has ${bytes} bytes, and at most ${MAX_BYTES} are allowed`,
    );
  }
  await compareCases(`${folder}/esm/cases`);
  const [program = "", ...flags] = node;
  // Reading the cases takes longer than everything else that the command does before it prints its
  // usage.
  await Deno.rename(`${folder}/esm/cases`, `${folder}/esm/absent`);
  try {
    await run(program, [...flags, `${folder}/esm/bin.js`, "--help"], { cwd: project });
  } finally {
    await Deno.rename(`${folder}/esm/absent`, `${folder}/esm/cases`);
  }
}

/**
 * Compares the case files of the package with those of the repository. Equal JSON values have equal
 * digests, so the sets in `requirements` name the same cases.
 */
async function compareCases(packed: string): Promise<void> {
  const files = new Map<string, unknown>();
  for await (const path of listFiles(packed, ".json")) {
    for (const [name, value] of Object.entries(JSON.parse(await Deno.readTextFile(path)))) {
      files.set(name, value);
    }
  }
  const root = new URL("conformance/", ROOT).pathname;
  let count = 0;
  for await (const path of listFiles(`${root}cases`, ".json")) {
    const name = path.slice(root.length);
    const value: unknown = JSON.parse(await Deno.readTextFile(path));
    if (JSON.stringify(files.get(name)) !== JSON.stringify(value)) {
      throw new ToolError(`The installed kit has other cases than ${name}`);
    }
    count += 1;
  }
  if (files.size !== count) {
    throw new ToolError(`The installed kit must have ${count} case files, got ${files.size}`);
  }
}

async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    bytes += isDirectory ? await sizeOf(path) : (await Deno.stat(path)).size;
  }
  return bytes;
}
