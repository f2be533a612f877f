/**
 * JavaScript runtimes that are npm packages, and the commands that start them.
 *
 * @module
 */

import { run } from "../cli.ts";

/** A runtime and the flags that start a program. */
export interface Runtime {
  /** Name in reports. */
  readonly name: string;
  /** npm package of the runtime. Defaults to the Deno executable that runs this program. */
  readonly npm?: string;
  /** Flags that precede the path to the program. */
  readonly flags?: readonly string[];
}

/** Bun, in the version that the packages are tested with. */
export const BUN: Runtime = { name: "bun", npm: "bun@1.4.5" };

/** Returns the start of a command line: a runtime's binary and flags. */
export async function runtimeCommand({ npm, flags = [] }: Runtime): Promise<readonly string[]> {
  if (npm === undefined) return [Deno.execPath(), ...flags];
  const args = ["--yes", npm, "-p", "process.execPath"];
  const { stdout } = await run("npx", args);
  return [stdout.trim(), ...flags];
}
