/**
 * Bundles an agent, an MCP server and an MCP client into one file in which `import()` rejects, and
 * runs the file.
 *
 *     deno task check:packages one-file
 *
 * @module
 */

import { readFlags, runTool, step, ToolError } from "../cli.ts";
import { bundleOneFile, endBundling, type OneFile } from "./bundle.ts";

/** Names of the parts of the program, in order of completion. */
export const PARTS = "useAgent useRetry useStream useHandler useRequest useMemory";

/**
 * Modules that the packages load with `import()`: `@noble/ed25519` where WebCrypto does not support
 * Ed25519, and the OAuth code if the `auth` option is a plain object.
 */
const LAZY = ["authorized_fetch"] as const;

/** Bundles the program. Throws if the program would load an unexpected module with `import()`. */
export async function bundleOneFileProgram(): Promise<OneFile> {
  const bundle = await bundleOneFile("one_file.ts");
  const unexpected = bundle.lazy.filter((path) => !LAZY.some((name) => path.includes(name)));
  if (unexpected.length > 0) throw new ToolError(`Unexpected import() of ${unexpected.join(", ")}`);
  return bundle;
}

async function runHere({ script }: OneFile): Promise<void> {
  const module = `${script}\nexport const { main, useAuth } = program;`;
  const { main, useAuth } = await import(`data:text/javascript,${encodeURIComponent(module)}`);
  const parts = await main();
  if (parts !== PARTS) throw new ToolError(`Expected the parts "${PARTS}", got "${parts}"`);
  const error = await useAuth();
  if (!error.includes("import() is disallowed")) {
    throw new ToolError(`Expected import() to reject, got ${error}`);
  }
}

async function main(): Promise<number> {
  readFlags(Deno.args, {});
  try {
    const bundle = await step("bundle", bundleOneFileProgram);
    await step("run", () => runHere(bundle));
    return 0;
  } finally {
    await endBundling();
  }
}

if (import.meta.main) await runTool("check_one_file", main);
