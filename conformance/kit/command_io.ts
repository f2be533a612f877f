/**
 * The command line's access to its environment.
 *
 * @module
 */

/** Output, environment and interrupts of a command. */
export interface CommandIo {
  /** Writes to standard output. */
  readonly out: (text: string) => void;
  /** Writes to standard error. */
  readonly err: (text: string) => void;
  /** Whether standard error is a terminal. If true, a progress line is shown. */
  readonly isTerminal: boolean;
  /**
   * Width of the terminal.
   *
   * @default {80}
   */
  readonly columns?: number;
  /** Whether standard output supports colors. */
  readonly colors: boolean;
  /** Environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted when the user interrupts the command. */
  readonly signal: AbortSignal;
}
