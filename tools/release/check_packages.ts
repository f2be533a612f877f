/**
 * Builds the npm packages, installs them and runs checks on them.
 *
 *     deno task check:packages                  runs all checks except every-node
 *     deno task check:packages npm workerd      runs only the named checks
 *
 * The check `runtimes` runs the kit on the oldest and the newest supported version of Node.js, and
 * `every-node` on all supported versions.
 *
 * @module
 */

import { readArguments, runTool, step, ToolError } from "../cli.ts";
import { ROOT } from "../members.ts";

const RUNTIMES = "tools/runtimes";
const CONFIG = ["--config", `${RUNTIMES}/deno.json`] as const;

/** Check that runs only if it is named. It includes the check `runtimes`. */
const EVERY_NODE = "every-node";

/** Commands for each check. */
const CHECKS: ReadonlyMap<string, readonly (readonly string[])[]> = new Map([
  ["code", [
    ["fmt", "--check", "--quiet", ...CONFIG, RUNTIMES],
    ["lint", "--quiet", ...CONFIG, RUNTIMES],
    ["check", "--quiet", "--frozen", ...CONFIG, RUNTIMES],
    ["test", "-P", "--quiet", "--frozen", ...CONFIG, RUNTIMES],
  ]],
  ["npm", [["run", "-A", "tools/release/check_npm.ts"]]],
  ["runtimes", [["run", "-A", "--quiet", "--frozen", ...CONFIG, `${RUNTIMES}/check_runtimes.ts`]]],
  ["one-file", [["run", "-A", "--quiet", "--frozen", ...CONFIG, `${RUNTIMES}/check_one_file.ts`]]],
  ["workerd", [["run", "-A", "--quiet", "--frozen", ...CONFIG, `${RUNTIMES}/check_workerd.ts`]]],
  [EVERY_NODE, [[
    ...["run", "-A", "--quiet", "--frozen", ...CONFIG],
    ...[`${RUNTIMES}/check_runtimes.ts`, "--every-node"],
  ]]],
]);

/**
 * Returns the checks to run, in order: the named checks, or all checks except `every-node` if no
 * names are given.
 *
 * @throws {ToolError} If a name is unknown.
 */
export function selectChecks(names: readonly string[]): string[] {
  const unknown = names.find((name) => !CHECKS.has(name));
  if (unknown !== undefined) {
    throw new ToolError(
      `Unknown check "${unknown}"; available checks: ${[...CHECKS.keys()].join(", ")}`,
    );
  }
  const isDefault = (name: string): boolean => names.length === 0 && name !== EVERY_NODE;
  return [...CHECKS.keys()].filter((name) => isDefault(name) || names.includes(name));
}

async function runCommand(args: readonly string[]): Promise<void> {
  const { success } = await new Deno.Command("deno", { args: [...args], cwd: ROOT }).spawn().status;
  if (!success) throw new ToolError(`Cannot pass "deno ${args.slice(0, 2).join(" ")}"`);
}

async function main(): Promise<number> {
  const { positionals } = readArguments(Deno.args, {});
  const names = selectChecks(positionals);
  await step("build", () => runCommand(["run", "-A", "tools/release/build_npm.ts"]));
  for (const name of names) {
    await step(name, async () => {
      for (const args of CHECKS.get(name) ?? []) await runCommand(args);
    });
  }
  return 0;
}

if (import.meta.main) await runTool("check_packages", main);
