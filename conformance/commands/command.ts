/**
 * What every command of parley-kit gets and gives.
 *
 * @module
 */

import { KitError, KitErrorCode } from "../kit/error.ts";

/** The world of a command: where it writes, what ends it. */
export interface CommandIo {
  /** Writes to standard output. */
  readonly out: (text: string) => void;
  /** Writes to standard error. */
  readonly err: (text: string) => void;
  /** Whether a person watches. */
  readonly isTerminal: boolean;
  /** The environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Fires on an interrupt. */
  readonly signal: AbortSignal;
}

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
