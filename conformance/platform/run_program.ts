/**
 * Runs a command-line program in the current process.
 *
 * @module
 */

import type { CommandIo } from "../kit/command_io.ts";
import {
  commandLine,
  environment,
  hasColors,
  ignoreClosedOutput,
  isTerminal,
  listenForInterrupts,
  setExitCode,
  terminalColumns,
  writeError,
  writeOut,
} from "./process.ts";

/**
 * Runs a command line with the arguments, output and interrupts of the current process, and sets
 * its exit code.
 */
export async function runProgram(
  main: (args: readonly string[], io: CommandIo) => Promise<number>,
): Promise<void> {
  const interrupts = listenForInterrupts();
  const columns = terminalColumns();
  ignoreClosedOutput();
  try {
    setExitCode(
      await main(commandLine(), {
        out: writeOut,
        err: writeError,
        isTerminal: isTerminal(),
        ...(columns === undefined ? {} : { columns }),
        colors: hasColors(),
        env: environment(),
        signal: interrupts.signal,
      }),
    );
  } finally {
    interrupts.stop();
  }
}
