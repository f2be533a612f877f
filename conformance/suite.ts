/**
 * The kit's cases.
 *
 * @module
 */

import { readCaseFiles } from "./case_files.ts";
import { joinSuite, type Suite } from "./kit/load_cases.ts";

/**
 * Loads the kit's cases.
 *
 * @example Count the cases of one library
 * ```ts
 * import { loadSuite } from "@parley/conformance";
 * import { assert } from "@std/assert";
 *
 * const ids = [...loadSuite().keys()].filter((id) => id.startsWith("comm/"));
 * assert(ids.includes("comm/canonical-json/sample"));
 * ```
 */
export function loadSuite(): Suite {
  // The case files are validated by tests instead of here, because validation would add half a
  // second to each run.
  return joinSuite(readCaseFiles());
}
