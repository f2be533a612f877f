/**
 * The runtimes that execute the test programs: Deno, Node.js 24 and Bun.
 *
 * @module
 */

import { run, ToolError } from "../../../tools/cli.ts";
import { BUN, runtimeCommand } from "../../../tools/runtimes/runtimes.ts";

/** A runtime and the program that it executes. */
export interface WorkerRuntime {
  readonly name: "bun" | "deno" | "node";
  readonly command: string;
  /** Path to the bundled program. */
  readonly program: string;
}

const CONFIG = new URL("../../deno.json", import.meta.url).pathname;

/** Bundles a program, and returns the command that runs the bundle. */
export async function bundleFor(
  name: WorkerRuntime["name"],
  source: URL,
  folder: string,
): Promise<WorkerRuntime> {
  const program = `${folder}/${name}-${source.pathname.split("/").at(-1)}.mjs`;
  const flags = ["bundle", "--quiet", "--config", CONFIG, "--frozen", "--platform", "deno"];
  await run("deno", [...flags, "-o", program, source.pathname]);
  const find = { bun: findBun, deno: () => Promise.resolve(Deno.execPath()), node: findNode };
  return { name, program, command: await find[name]() };
}

/** Returns the command line of a runtime. */
export function runtimeOf({ command, name, program }: WorkerRuntime): [string, readonly string[]] {
  return [command, name === "deno" ? ["run", "-A", "--quiet", program] : [program]];
}

/** Returns the path to Node.js 24, which npm downloads if it is not installed. */
async function findNode(): Promise<string> {
  const installed = await run("node", ["-p", "process.version"]).catch(() => undefined);
  if (installed?.stdout.startsWith("v24.") === true) return "node";
  const { stdout } = await run("npx", ["--yes", "node@24", "-p", "process.execPath"]);
  const path = stdout.trim();
  if (path === "") throw new ToolError("npx has not installed Node.js 24");
  return path;
}

async function findBun(): Promise<string> {
  const [path = ""] = await runtimeCommand(BUN);
  return path;
}
