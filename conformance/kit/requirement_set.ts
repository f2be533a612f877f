/**
 * Requirement sets: lists of cases whose content is frozen, so that results from different kit
 * versions are comparable.
 *
 * @module
 */

import schema from "../schemas/requirement_set.schema.json" with { type: "json" };
import type { Case, CaseLevel } from "./case.ts";
import type { ReadResult } from "./load_cases.ts";
import { Profile, profileOf } from "./profile.ts";
import { PROTOCOL_VERSIONS } from "./protocol_versions.ts";
import { compileSchema } from "./schema.ts";

/** A case of a set. */
export interface SetCase {
  /** Case id. */
  readonly id: string;
  /** Level of the requirement. */
  readonly level: CaseLevel;
  /** Digest of the case. */
  readonly digest: string;
}

/** A released set. `schemas/requirement_set.schema.json` describes its JSON form. */
export interface RequirementSet {
  /** Family and number, such as `mcp-2026-07-28.1`. */
  readonly name: string;
  /** Version of the rules by which the kit runs the cases. */
  readonly format: number;
  /** First version of the kit that contains the set. */
  readonly kit: string;
  /** Date on which the set was frozen, as `YYYY-MM-DD`. */
  readonly frozen: string;
  /** Digest of the name and the cases. */
  readonly digest: string;
  /** Cases, sorted by id. */
  readonly cases: readonly SetCase[];
}

/**
 * Families of sets, each with the test whether a case belongs to the family. Only the families
 * whose names end with `-parley` contain requirements that this project has stated, because these
 * requirements are not binding for other implementations.
 */
const FAMILIES: ReadonlyMap<string, (each: Case) => boolean> = new Map([
  ["comm", (each) => isOf("comm", each) && !isOwn(each)],
  ["comm-parley", (each) => isOf("comm", each) && isOwn(each)],
  ["runtime-core", (each) => isOf("runtime", each) && !isOwn(each)],
  ["runtime-parley", (each) => isOf("runtime", each) && isOwn(each)],
  ["model", (each) => isOf("model", each) && !isOwn(each)],
  ["model-parley", (each) => isOf("model", each) && isOwn(each)],
  ...PROTOCOL_VERSIONS.map((version): [string, (each: Case) => boolean] => [
    `mcp-${version}`,
    (each) => isOf("mcp", each) && !isOwn(each) && includesVersion(each, version),
  ]),
  ["mcp-parley", (each) => isOf("mcp", each) && isOwn(each)],
]);

/** Names of the families of sets. */
export const SET_FAMILIES: readonly string[] = [...FAMILIES.keys()];

/** Number of a set that is not released. */
export const DRAFT = "draft";

const NAME = /^(.+)\.(draft|[1-9]\d*)$/;
const PROTOCOL_VERSION = /^mcp-(\d{4}-\d\d-\d\d)$/;

/** Name of a set, taken apart. */
export interface SetName {
  /** A name in {@linkcode SET_FAMILIES}. */
  readonly family: string;
  /** Number of a released set, `draft`, or `undefined` if the name is only a family. */
  readonly number?: string;
}

/** Reads the name of a set or of a family. Returns `undefined` if the family is unknown. */
export function readSetName(text: string): SetName | undefined {
  if (FAMILIES.has(text)) return { family: text };
  const [, family = "", number] = NAME.exec(text) ?? [];
  return number !== undefined && FAMILIES.has(family) ? { family, number } : undefined;
}

/**
 * Returns true if a case can be in the sets of a family. Cases that are only reported, and cases
 * whose `state` is `proposed`, are in no set.
 */
export function belongsToFamily(each: Case, family: string): boolean {
  return each.level !== "INFO" && each.state === undefined &&
    FAMILIES.get(family)?.(each) === true;
}

/** Returns the MCP protocol version of a family, or `undefined` if the family has none. */
export function protocolVersionOfFamily(family: string): string | undefined {
  return PROTOCOL_VERSION.exec(family)?.[1];
}

/** Validates a released set. `findSetProblems` compares the digests with the cases. */
export function readRequirementSet(value: unknown): ReadResult<RequirementSet> {
  const problem = compileSchema(schema)(value);
  if (problem !== undefined) {
    return { ok: false, reason: `${problem.path || "/"}: ${problem.message}` };
  }
  // The schema has validated the members.
  const set = value as RequirementSet;
  const { number } = readSetName(set.name) ?? {};
  if (number === undefined || number === DRAFT) {
    return { ok: false, reason: `"${set.name}" is not the name of a released set` };
  }
  const unsorted = set.cases.find(({ id }, index) => id <= (set.cases[index - 1]?.id ?? ""));
  return unsorted === undefined
    ? { ok: true, value: set }
    : { ok: false, reason: `"${unsorted.id}" is not in the order of the ids` };
}

function isOf(library: string, { id }: Case): boolean {
  return id.startsWith(`${library}/`);
}

function isOwn(each: Case): boolean {
  return profileOf(each) === Profile.Parley;
}

function includesVersion(
  { revisions: { from = "", to = "9" } = {} }: Case,
  version: string,
): boolean {
  return from <= version && version <= to;
}
