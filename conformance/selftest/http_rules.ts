/**
 * Faults that a relay can make in front of a correct MCP server over HTTP.
 *
 * @module
 */

import type { WireRule } from "./wire_rule.ts";

/** Faults of one transport; every case that names the id in `catches` must fail. */
export const HTTP_MUTANTS: readonly WireRule[] = [];
