/**
 * Cases that the generators create.
 *
 * @module
 */

import type { JsonObject } from "../../conformance/kit/json.ts";

/** All cases of an area. */
export interface GeneratedArea {
  /** Prefix that the ids of the cases share. No case with this prefix is written by hand. */
  readonly area: string;
  /** Source of the expected values of cases that do not name another source. */
  readonly source: string;
  readonly cases: readonly JsonObject[];
}

/** Returns the complete cases of an area. */
export function completeCases({ source, cases }: GeneratedArea): readonly JsonObject[] {
  return cases.map((each) => ({ source, ...each }));
}
