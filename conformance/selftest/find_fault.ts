/**
 * The rules by name.
 *
 * @module
 */

import { FEATURE_MUTANTS } from "./feature_faults.ts";
import { HTTP_MUTANTS } from "./http_faults.ts";
import { TASK_MUTANTS } from "./task_faults.ts";
import { WIRE_CONTROLS } from "./wire_controls.ts";
import type { WireRule } from "./fault_rule.ts";
import { WIRE_MUTANTS } from "./stdio_faults.ts";

/** Faults of all kinds. */
export const ALL_MUTANTS: readonly WireRule[] = [
  ...WIRE_MUTANTS,
  ...FEATURE_MUTANTS,
  ...HTTP_MUTANTS,
  ...TASK_MUTANTS,
];

/**
 * Finds a rule.
 *
 * @throws {RangeError} when there is none of this name
 */
export function findRule(id: string): WireRule {
  const rule = [...ALL_MUTANTS, ...WIRE_CONTROLS].find((each) => each.id === id);
  if (rule === undefined) throw new RangeError(`Cannot relay: there is no rule "${id}"`);
  return rule;
}
