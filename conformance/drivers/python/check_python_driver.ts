/**
 * Runs an installed kit's `comm` cases against the Python driver, which shares no code with the
 * Parley libraries.
 *
 * @module
 */

import { isLeftOut } from "./left_out.ts";

const DRIVER = new URL("./driver.py", import.meta.url).pathname;
/**
 * The summary of a run without a failed case. Cases that need an optional feature are untestable.
 */
const NONE_FAILED = /^[3-9]\d\d passed, 0 failed, 0 n\/a, \d+ untestable$/;

/**
 * Runs an installed kit against the Python driver.
 *
 * @param runKit Function that starts the kit with the given arguments, and rejects if the kit
 * fails.
 * @returns The kit's summary line, or the reason why the check was skipped.
 * @throws {Error} If a case fails, fewer than 300 cases pass, or the driver lacks more than it
 * leaves out on purpose.
 */
export async function checkPythonDriver(
  runKit: (args: readonly string[]) => Promise<{ readonly stdout: string }>,
): Promise<string> {
  if (!await hasCryptography()) return "skipped: python3 with the cryptography package is missing";
  const { stdout } = await runKit(["run", "--lib", "comm", "--driver", `python3 ${DRIVER}`]);
  const summary = stdout.trim().split("\n").at(-1) ?? "";
  const untestable = stdout.split("\n").filter((line) => /^- \d+ untestable: /.test(line));
  if (!NONE_FAILED.test(summary) || !untestable.every(isLeftOut)) {
    throw new Error(`Cannot verify the Python driver: cases failed or are missing: ${summary}`);
  }
  return summary;
}

async function hasCryptography(): Promise<boolean> {
  try {
    const args = ["-c", "import cryptography"];
    return (await new Deno.Command("python3", { args, stderr: "null" }).output()).success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
