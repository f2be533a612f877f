/**
 * Random mutants, which the program `random/draw_mutants.ts` prints as JSON.
 *
 * @module
 */

/** A request for random mutants. */
export interface DrawRequest {
  /** Path to the repository, without a trailing slash. */
  readonly repository: string;
  /** Seed for the random order. */
  readonly seed: number;
  /** Number of mutants per member. */
  readonly count: number;
  /** Folders of the members. */
  readonly members: readonly string[];
  /** Prefixes of paths that are not mutated. */
  readonly outside: readonly string[];
}

/** A random mutant. */
export interface DrawnMutant {
  /** Member and number, such as `comm-12`. */
  readonly id: string;
  /** Folder of the member. */
  readonly member: string;
  /** Path relative to the root of the repository. */
  readonly file: string;
  /** Line of the change, starting at 1. */
  readonly line: number;
  /** Name of the operator. */
  readonly operator: string;
  /** Innermost call, error or member that contains the change. */
  readonly context: string;
  /** Replaced text. */
  readonly before: string;
  /** New text. */
  readonly after: string;
  /** Whole lines that contain the change and occur once in the file. */
  readonly find: string;
  /** The lines of `find`, with the change. */
  readonly replace: string;
}
