/**
 * Runs an installed kit's `comm` cases against the Python driver, which shares no code with the
 * Parley libraries.
 *
 * @module
 */

import { isLeftOut } from "./left_out.ts";

const DRIVER = new URL("./driver.py", import.meta.url).pathname;
const MIN_PASSED = 300;

/**
 * Runs an installed kit against the Python driver.
 *
 * @param runKit Function that starts the kit with the given arguments, and rejects if the kit
 * fails.
 * @returns The number of passed cases in words, or the reason why the check was skipped.
 * @throws {Error} If a case fails, fewer than 300 cases pass, or the driver lacks more than it
 * leaves out on purpose.
 */
export async function checkPythonDriver(
  runKit: (args: readonly string[]) => Promise<{ readonly stdout: string }>,
): Promise<string> {
  if (!await hasCryptography()) return "skipped: python3 with the cryptography package is missing";
  const subject = ["--driver", `python3 ${DRIVER}`, "--lib", "comm", "--profile", "none"];
  const { stdout } = await runKit(["run", ...subject, "--report", "jsonl=-"]);
  const results = stdout.trim().split("\n").map(readResult);
  const passed = results.filter(({ verdict }) => verdict === "pass").length;
  const problems = results.filter(({ verdict, note }) =>
    verdict !== "pass" && !(verdict === "untestable" && isLeftOut(note))
  );
  if (problems.length > 0 || passed < MIN_PASSED) {
    const first = JSON.stringify(problems[0]);
    throw new Error(`Cannot verify the Python driver: ${passed} cases passed, but not ${first}`);
  }
  return `${passed} cases passed`;
}

/** The members of a result that the check needs. */
interface Result {
  readonly id: string;
  readonly verdict: string;
  readonly note: string;
}

function readResult(line: string): Result {
  const { id, verdict, note = "" }: Partial<Result> = JSON.parse(line);
  return { id: String(id), verdict: String(verdict), note: String(note) };
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
