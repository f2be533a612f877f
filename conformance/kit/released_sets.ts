// deno-fmt-ignore-file
/**
 * The released requirement sets and their errata. The task `freeze` writes this module.
 *
 * @module
 */

/** The parsed files of released sets. */
export const RELEASED_SETS: readonly unknown[] = [];

/** The parsed files of errata. */
export const ERRATA: readonly unknown[] = [];
