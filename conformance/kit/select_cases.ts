/**
 * Choosing cases.
 *
 * @module
 */

import { type Case, CaseLevel } from "./case.ts";
import { KitError, KitErrorCode } from "./error.ts";

/** Which cases to run; all of them when nothing is said. */
export interface Selection {
  /** Libraries: `comm`, `runtime`, `mcp`. */
  readonly libraries?: readonly string[];
  /** Patterns of ids to take: `*` stands for one part of an id, `**` for any number. */
  readonly only?: readonly string[];
  /** Patterns of ids to leave out. */
  readonly skip?: readonly string[];
  /** The least binding level to take; default `INFO`, which is all. */
  readonly level?: CaseLevel;
  /** Whether to leave out what rests on a decision of ours, not on the specification. */
  readonly noDecisions?: boolean;
  /** Labels that a case must have, all of them. */
  readonly flags?: readonly string[];
  /** Ids of a frozen set; cases outside are left out. */
  readonly set?: ReadonlySet<string>;
}

const LEVELS: readonly CaseLevel[] = [
  CaseLevel.Must,
  CaseLevel.Should,
  CaseLevel.May,
  CaseLevel.Info,
];

/**
 * Chooses cases, in the order given.
 *
 * @param cases what to choose from
 * @param selection what to take
 * @throws {KitError} `usage` when a pattern of `only` fits no id, or no case has one of the labels
 *
 * @example Only the numbers of canonical JSON
 * ```ts
 * import { loadSuite, selectCases } from "@parley/conformance";
 * import { assertEquals } from "@std/assert";
 *
 * const chosen = selectCases(loadSuite().values(), { only: ["comm/canonical-json/numbers-appendix-b"] });
 * assertEquals(chosen.map(({ id }) => id), ["comm/canonical-json/numbers-appendix-b"]);
 * ```
 */
export function selectCases(cases: Iterable<Case>, selection: Selection = {}): readonly Case[] {
  const { libraries, only = [], skip = [], level = CaseLevel.Info } = selection;
  const { noDecisions, flags = [], set } = selection;
  const all = [...cases];
  const lost = only.find((pattern) => !all.some((each) => fitsPattern(pattern, each)));
  if (lost !== undefined) {
    throw new KitError(KitErrorCode.Usage, `Cannot select cases: no id matches "${lost}"`);
  }
  const unknown = flags.find((flag) => !all.some((each) => each.flags?.includes(flag)));
  if (unknown !== undefined) {
    const message = `Cannot select cases: no case has the label "${unknown}"`;
    throw new KitError(KitErrorCode.Usage, message);
  }
  return all.filter((each) =>
    (libraries === undefined || libraries.includes(libraryOf(each.id))) &&
    (only.length === 0 || only.some((pattern) => fitsPattern(pattern, each))) &&
    !skip.some((pattern) => fitsPattern(pattern, each)) &&
    LEVELS.indexOf(each.level) <= LEVELS.indexOf(level) &&
    !(noDecisions && each.basis === "decision") &&
    flags.every((flag) => each.flags?.includes(flag)) &&
    (set === undefined || set.has(each.id))
  );
}

/** The library that a case is about: the first part of its id. */
export function libraryOf(id: string): string {
  return id.split("/", 1)[0] ?? "";
}

/** Whether a pattern fits an id: `*` stands for any text within one part, `**` for any text. */
export function fitsId(pattern: string, id: string): boolean {
  const source = pattern.split(/(\*\*|\*)/).map((part) =>
    part === "**" ? ".*" : part === "*" ? "[^/]*" : part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
  );
  return new RegExp(`^${source.join("")}$`).test(id);
}

function fitsPattern(pattern: string, { id, aliases = [] }: Case): boolean {
  return [id, ...aliases].some((each) => fitsId(pattern, each));
}
