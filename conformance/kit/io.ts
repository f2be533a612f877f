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
  /** Whether a person watches. */
  readonly isTerminal: boolean;
  /** The environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Fires on an interrupt. */
  readonly signal: AbortSignal;
}
