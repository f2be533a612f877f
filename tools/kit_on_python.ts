/**
 * The installed kit against a driver that nobody wrote in TypeScript: the comm suite on the Python driver.
 *
 * @module
 */

import { type Output, ToolError, tryRun } from "./cli.ts";
import { ROOT } from "./members.ts";

const DRIVER = new URL("conformance/drivers/python/driver.py", ROOT).pathname;
const GREEN = /^[1-9]\d* passed, 0 failed, 0 n\/a, 0 untestable$/;

/**
 * Lets an installed kit judge the Python driver.
 *
 * @param runKit starts the kit with these arguments and fails when it does
 * @returns what the kit said last, or why it was not asked
 * @throws {ToolError} when a case fails
 */
export async function judgePythonDriver(
  runKit: (args: readonly string[]) => Promise<Output>,
): Promise<string> {
  if (!await hasPython()) return "skipped: python3 with the cryptography package is not here";
  const { stdout } = await runKit(["run", "--lib", "comm", "--driver", `python3 ${DRIVER}`]);
  const last = stdout.trim().split("\n").at(-1) ?? "";
  if (!GREEN.test(last)) throw new ToolError(`The kit does not pass the Python driver: ${last}`);
  return last;
}

async function hasPython(): Promise<boolean> {
  try {
    return (await tryRun("python3", ["-c", "import cryptography"])).success;
  } catch {
    // There is no python3 at all.
    return false;
  }
}
