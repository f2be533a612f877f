/**
 * Checks the installed npm package of the conformance kit: its size, and that its command starts
 * without its cases.
 *
 * @module
 */

import { run, ToolError } from "../cli.ts";

/** Maximum size of the installed package, in bytes. */
const MAX_BYTES = 9_000_000;

/**
 * Checks the package on one version of Node.js.
 *
 * @param project Folder of a project that has the package installed.
 * @param node Command that starts Node.js.
 * @throws {ToolError} If the package is too large, or if `parley-kit --help` reads the cases.
 */
export async function checkKitPackage(project: string, node: readonly string[]): Promise<void> {
  const folder = `${project}/node_modules/@parley/conformance`;
  const bytes = await sizeOf(folder);
  if (bytes > MAX_BYTES) {
    throw new ToolError(
      `The installed kit has ${bytes} bytes, and at most ${MAX_BYTES} are allowed`,
    );
  }
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

async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    bytes += isDirectory ? await sizeOf(path) : (await Deno.stat(path)).size;
  }
  return bytes;
}
