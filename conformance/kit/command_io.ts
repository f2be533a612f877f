/**
 * What a command line can reach of the world.
 *
 * @module
 */

/** The world of a command: where it writes, what ends it. */
export interface CommandIo {
  /** Writes to standard output. */
  readonly out: (text: string) => void;
  /** Writes to standard error. */
  readonly err: (text: string) => void;
  /** Whether a person watches standard error: then a progress line makes sense. */
  readonly isTerminal: boolean;
  /** How many columns their terminal has; default 80. */
  readonly columns?: number;
  /** Whether standard output takes colours. */
  readonly colors: boolean;
  /** The environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Fires on an interrupt. */
  readonly signal: AbortSignal;
}
