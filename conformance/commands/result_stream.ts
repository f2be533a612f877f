/**
 * Result lines of `parley-kit run --report jsonl=FILE`.
 *
 * @module
 */

import type { CommandIo } from "../kit/command_io.ts";
import type { CaseResult } from "../kit/verdict.ts";
import { appendText, checkTarget, writeText } from "../platform/fs.ts";
import { formatJsonLine } from "../reporters/json_lines.ts";

/** Path that selects standard output. */
export const STANDARD_OUTPUT = "-";

/**
 * Checks the files that receive result lines, and empties them.
 *
 * @throws {KitError} With code `bad_file` if a file is not writable.
 */
export async function openStreams(paths: readonly string[]): Promise<void> {
  for (const path of paths.filter((each) => each !== STANDARD_OUTPUT)) {
    await checkTarget(path);
    await writeText(path, "");
  }
}

/**
 * Writes a result to all files.
 *
 * @throws {KitError} With code `bad_file` if a file is not writable.
 */
export async function streamResult(
  result: CaseResult,
  paths: readonly string[],
  io: CommandIo,
): Promise<void> {
  const line = formatJsonLine(result);
  for (const path of paths) {
    if (path === STANDARD_OUTPUT) io.out(line);
    else await appendText(path, line);
  }
}
