/**
 * Selects cases.
 *
 * @module
 */

import { assertKnownNames, type OptionNames } from "./known_names.ts";
import { type Case, CaseKind, CaseLevel } from "./case.ts";
import { KitError, KitErrorCode } from "./error.ts";
import { type Profile, profileOf } from "./profile.ts";
import { findSets, requirementTest } from "./requirements.ts";

/** Criteria for selecting cases. If empty, all cases are selected. */
export interface Selection {
  /** Libraries: `comm`, `runtime`, `mcp`. */
  readonly libraries?: readonly string[];
  /** Patterns for ids to include: `*` matches within one part of an id, `**` across parts. */
  readonly only?: readonly string[];
  /** Patterns for ids to exclude. */
  readonly skip?: readonly string[];
  /**
   * Least strict level to include.
   *
   * @default {"INFO"}
   */
  readonly level?: CaseLevel;
  /**
   * `core`: only requirements of specifications and contracts of others. `parley`: only decisions
   * of this project. `all`: both. If a profile is given, decisions are never required. If omitted,
   * both are selected, and decisions are required like all other cases.
   */
  readonly profile?: Profile | "all";
  /** Labels that a case must have. */
  readonly flags?: readonly string[];
  /** Ids to include. */
  readonly set?: ReadonlySet<string>;
  /**
   * Names of requirement sets, such as `mcp-2026-07-28`, `comm.1` or `comm.draft`. Only cases in
   * these requirement sets are included.
   */
  readonly requirements?: readonly string[];
}

const SELECTION: OptionNames<Selection> = {
  libraries: true,
  only: true,
  skip: true,
  level: true,
  profile: true,
  flags: true,
  set: true,
  requirements: true,
};

const LEVELS: readonly CaseLevel[] = [
  CaseLevel.Must,
  CaseLevel.Should,
  CaseLevel.May,
  CaseLevel.Info,
];

/**
 * Selects cases, preserving their order, except that invariants come last: they are judged by the
 * messages of all other cases.
 *
 * @param cases All cases.
 * @param selection The selection.
 * @throws {KitError} With code `usage` if a pattern in `only` matches no id, no case has one of the
 * labels, or a requirement set is unknown.
 *
 * @example Select the canonical JSON cases for numbers
 * ```ts
 * import { loadSuite, selectCases } from "@parley/conformance";
 * import { assertEquals } from "@std/assert";
 *
 * const chosen = selectCases(loadSuite().values(), { only: ["comm/canonical-json/numbers-appendix-b"] });
 * assertEquals(chosen.map(({ id }) => id), ["comm/canonical-json/numbers-appendix-b"]);
 * ```
 */
export function selectCases(cases: Iterable<Case>, selection: Selection = {}): readonly Case[] {
  assertKnownNames("select", selection, SELECTION);
  const { libraries, only = [], skip = [], level = CaseLevel.Info } = selection;
  const { profile = "all", flags = [], set, requirements = [] } = selection;
  const isRequirement = requirementTest(findSets(requirements));
  const all = [...cases];
  const lost = only.find((pattern) => !all.some((each) => fitsPattern(pattern, each)));
  if (lost !== undefined) {
    const area = `${lost.replace(/[/*]*$/, "")}/**`;
    const hint = all.some(({ id }) => fitsId(area, id)) ? `; use "${area}"` : "";
    throw new KitError(KitErrorCode.Usage, `Cannot select cases: no id matches "${lost}"${hint}`);
  }
  const unknown = flags.find((flag) => !all.some((each) => each.flags?.includes(flag)));
  if (unknown !== undefined) {
    const message = `Cannot select cases: no case has the label "${unknown}"`;
    throw new KitError(KitErrorCode.Usage, message);
  }
  const chosen = all.filter((each) =>
    (libraries === undefined || libraries.includes(libraryOf(each.id))) &&
    (only.length === 0 || only.some((pattern) => fitsPattern(pattern, each))) &&
    !skip.some((pattern) => fitsPattern(pattern, each)) &&
    LEVELS.indexOf(each.level) <= LEVELS.indexOf(level) &&
    (profile === "all" || profileOf(each) === profile) &&
    flags.every((flag) => each.flags?.includes(flag)) &&
    (set === undefined || set.has(each.id)) &&
    (requirements.length === 0 || isRequirement(each))
  );
  const isInvariant = ({ kind }: Case): boolean => kind === CaseKind.Invariant;
  return [...chosen.filter((each) => !isInvariant(each)), ...chosen.filter(isInvariant)];
}

/** Returns the library of a case: the first part of its id. */
export function libraryOf(id: string): string {
  return id.split("/", 1)[0] ?? "";
}

/**
 * Returns true if a pattern matches an id: `*` matches any characters within one part, `**` any
 * characters.
 */
export function fitsId(pattern: string, id: string): boolean {
  const source = pattern.split(/(\*\*|\*)/).map((part) =>
    part === "**" ? ".*" : part === "*" ? "[^/]*" : part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
  );
  return new RegExp(`^${source.join("")}$`).test(id);
}

function fitsPattern(pattern: string, { id, aliases = [] }: Case): boolean {
  return [id, ...aliases].some((each) => fitsId(pattern, each));
}
