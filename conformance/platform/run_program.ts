/**
 * A command line as the program of this process.
 *
 * @module
 */

import type { CommandIo } from "../kit/command_io.ts";
import {
  commandLine,
  environment,
  hasColors,
  isTerminal,
  letReadersLeave,
  listenForInterrupts,
  setExitCode,
  terminalColumns,
  writeError,
  writeOut,
} from "./process.ts";

/** Runs a command line with this process's arguments, output and interrupts, and sets its exit code. */
export async function runProgram(
  main: (args: readonly string[], io: CommandIo) => Promise<number>,
): Promise<void> {
  const interrupts = listenForInterrupts();
  const columns = terminalColumns();
  letReadersLeave();
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
