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
  /** Whether to draw only mutants in excluded classes. */
  readonly drawsExcluded: boolean;
}

/** Number of places at which a member can be mutated. */
export interface PlaceCounts {
  /** All places. */
  readonly all: number;
  /** Places in files that are not mutated. */
  readonly outside: number;
  /** Places in the other files whose mutants are in an excluded class. */
  readonly inClasses: number;
}

/** Drawn mutants, and the number of places in each member. */
export interface Draw {
  /** The mutants. */
  readonly mutants: readonly DrawnMutant[];
  /** Numbers of places, keyed by member. */
  readonly places: Readonly<Record<string, PlaceCounts>>;
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
