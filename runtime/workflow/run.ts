/**
 * How workflows run, in one piece: the first run of any loads it.
 *
 * @module
 */

export { runRouted } from "./run_routed.ts";
export { runSequence } from "./run_sequence.ts";
export { runSideBySide } from "./run_side_by_side.ts";
