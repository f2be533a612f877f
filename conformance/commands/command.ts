/**
 * What every command of parley-kit gets and gives.
 *
 * @module
 */

import { KitError, KitErrorCode } from "../kit/error.ts";
import type { CommandIo } from "../kit/command_io.ts";

/** One command. */
export interface Command {
  /** What it is for, in a few words. */
  readonly summary: string;
  /** How to call it, line by line. */
  readonly usage: string;
  /** Does it and gives the exit code. */
  readonly run: (args: readonly string[], io: CommandIo) => Promise<number>;
}

/** A mistake on the command line. */
export function usageError(reason: string): KitError {
  return new KitError(KitErrorCode.Usage, reason);
}
