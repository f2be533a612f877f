/**
 * A command line as the program of this process.
 *
 * @module
 */

import type { CommandIo } from "../kit/io.ts";
import {
  commandLine,
  environment,
  isTerminal,
  listenForInterrupts,
  setExitCode,
  writeError,
  writeOut,
} from "./process.ts";

/** Runs a command line with this process's arguments, output and interrupts, and sets its exit code. */
export async function runProgram(
  main: (args: readonly string[], io: CommandIo) => Promise<number>,
): Promise<void> {
  const interrupts = listenForInterrupts();
  try {
    setExitCode(
      await main(commandLine(), {
        out: writeOut,
        err: writeError,
        isTerminal: isTerminal(),
        env: environment(),
        signal: interrupts.signal,
      }),
    );
  } finally {
    interrupts.stop();
  }
}
