/**
 * The list of the case files that the kit ships.
 *
 * They are imported, not read from a folder, so that a published kit finds them wherever it runs.
 *
 * @module
 */

import commCanonicalJson from "./cases/comm/canonical_json.json" with { type: "json" };
import commEd25519 from "./cases/comm/ed25519.json" with { type: "json" };
import { readSuite, type Suite } from "./kit/load.ts";

/** Parsed case files by their path below `cases/`. */
const FILES: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["comm/canonical_json.json", commCanonicalJson],
  ["comm/ed25519.json", commEd25519],
]);

/**
 * Reads the cases that come with the kit.
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
  return readSuite(FILES);
}
