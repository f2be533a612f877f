/**
 * Looks up faults and controls by id.
 *
 * @module
 */

import { FEATURE_FAULTS } from "./feature_faults.ts";
import { HTTP_FAULTS } from "./http_faults.ts";
import { TASK_FAULTS } from "./task_faults.ts";
import { WIRE_CONTROLS } from "./wire_controls.ts";
import type { FaultRule } from "./fault_rule.ts";
import { INVARIANT_FAULTS } from "./invariant_faults.ts";
import { MESSAGE_FAULTS } from "./message_faults.ts";

/** All faults. */
export const ALL_FAULTS: readonly FaultRule[] = [
  ...MESSAGE_FAULTS,
  ...FEATURE_FAULTS,
  ...HTTP_FAULTS,
  ...TASK_FAULTS,
  ...INVARIANT_FAULTS,
];

/**
 * Finds a fault or control by id.
 *
 * @throws {RangeError} If the id is unknown.
 */
export function findFault(id: string): FaultRule {
  const rule = [...ALL_FAULTS, ...WIRE_CONTROLS].find((each) => each.id === id);
  if (rule === undefined) throw new RangeError(`Cannot find rule "${id}"`);
  return rule;
}
