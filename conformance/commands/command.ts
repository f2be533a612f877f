/**
 * The interface of the `parley-kit` commands.
 *
 * @module
 */

import { KitError, KitErrorCode } from "../kit/error.ts";
import type { CommandIo } from "../kit/command_io.ts";

/** A command. */
export interface Command {
  /** Purpose, in a few words. */
  readonly summary: string;
  /** Help text. */
  readonly usage: string;
  /** Runs the command. Resolves to the exit code. */
  readonly run: (args: readonly string[], io: CommandIo) => Promise<number>;
}

/** Creates an error for invalid usage. */
export function usageError(reason: string): KitError {
  return new KitError(KitErrorCode.Usage, reason);
}
