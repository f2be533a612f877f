/**
 * Requirement sets: frozen lists of case ids, so that results from different kit versions are
 * comparable.
 *
 * @module
 */

import comm010 from "../requirements/comm-0.1.0.json" with { type: "json" };
import mcp20241105 from "../requirements/mcp-2024-11-05.json" with { type: "json" };
import mcp20250326 from "../requirements/mcp-2025-03-26.json" with { type: "json" };
import mcp20250618 from "../requirements/mcp-2025-06-18.json" with { type: "json" };
import mcp20251125 from "../requirements/mcp-2025-11-25.json" with { type: "json" };
import mcp20260728 from "../requirements/mcp-2026-07-28.json" with { type: "json" };
import runtime010 from "../requirements/runtime-0.1.0.json" with { type: "json" };
import { KitError, KitErrorCode } from "./error.ts";

/** Case ids, keyed by set name: the library and the version of its specification. */
export const REQUIREMENT_SETS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["comm-0.1.0", new Set(comm010)],
  ["runtime-0.1.0", new Set(runtime010)],
  ["mcp-2024-11-05", new Set(mcp20241105)],
  ["mcp-2025-03-26", new Set(mcp20250326)],
  ["mcp-2025-06-18", new Set(mcp20250618)],
  ["mcp-2025-11-25", new Set(mcp20251125)],
  ["mcp-2026-07-28", new Set(mcp20260728)],
]);

const UNRELEASED = /^(comm|runtime|mcp|model)-unreleased$/;
const PROTOCOL_VERSION = /^mcp-(\d{4}-\d\d-\d\d)/;

/**
 * Returns a function that tests whether a case is in one of the sets. The set `comm-unreleased`
 * contains the comm cases that are not in any other comm set; the same applies to
 * `runtime-unreleased` and `mcp-unreleased`.
 *
 * @throws {KitError} With code `usage` if a set is unknown.
 */
export function requirementTest(names: readonly string[]): (id: string) => boolean {
  const tests = names.map((name) => {
    const library = UNRELEASED.exec(name)?.[1];
    if (library !== undefined) return (id: string) => id.startsWith(`${library}/`) && !isFrozen(id);
    const ids = REQUIREMENT_SETS.get(name);
    if (ids === undefined) throw unknownSet(name);
    return (id: string) => ids.has(id);
  });
  return (id) => tests.some((test) => test(id));
}

/**
 * Returns the MCP protocol version that all selected mcp sets share, or `undefined` if they share
 * none.
 */
export function protocolVersionOf(names: readonly string[]): string | undefined {
  const versions = new Set(names.flatMap((name) => PROTOCOL_VERSION.exec(name)?.[1] ?? []));
  const [version] = versions;
  return versions.size === 1 ? version : undefined;
}

function isFrozen(id: string): boolean {
  return [...REQUIREMENT_SETS.values()].some((ids) => ids.has(id));
}

function unknownSet(name: string): KitError {
  const known = [...REQUIREMENT_SETS.keys(), "LIBRARY-unreleased"].join(", ");
  return new KitError(
    KitErrorCode.Usage,
    `Cannot use requirements "${name}": the value must be one of ${known}`,
  );
}
