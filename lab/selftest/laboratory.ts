/**
 * Everything that the self-test can run: mutants of the libraries, faults and controls on the wire,
 * and null subjects.
 *
 * @module
 */

import type { Case } from "../../conformance/kit/case.ts";
import { KitError, KitErrorCode } from "../../conformance/kit/error.ts";
import type { Suite } from "../../conformance/kit/load_cases.ts";
import { fitsId } from "../../conformance/kit/select_cases.ts";
import type { FaultRule } from "./fault_rule.ts";
import { ALL_FAULTS } from "./find_fault.ts";
import {
  findListProblems,
  readExemptRows,
  readMemberMutants,
  readWireKills,
  type WireKills,
} from "./mutants.ts";
import { findRowProblems, toCaseId } from "./negative_rows.ts";
import { createNullSubjects, type NullSubject } from "./null_subjects.ts";
import { WIRE_CONTROLS } from "./wire_controls.ts";
import type { MemberMutant } from "./workspace.ts";

/** Transport of an MCP server. */
export type Transport = "stdio" | "http";

/** A fault or control, and the transport on which the relay applies it. */
export interface RuleOnWire {
  readonly id: string;
  readonly rule: FaultRule;
  readonly transport: Transport;
  /** Cases that detect the fault over this transport. Empty for a control. */
  readonly kills: readonly Case[];
}

/** Everything that the self-test can run, or a selection of it. */
export interface Laboratory {
  /** Mutants of the libraries. */
  readonly members: readonly MemberMutant[];
  /** Faults that a relay makes. */
  readonly faults: readonly RuleOnWire[];
  /** Harmless changes that a relay makes. */
  readonly controls: readonly RuleOnWire[];
  /** Null subjects. */
  readonly idle: readonly NullSubject[];
}

/**
 * Reads the mutants, and checks all lists before any case runs.
 *
 * @throws {KitError} With code `bad_file` if a list has an error.
 */
export async function readLaboratory(repository: URL, suite: Suite): Promise<Laboratory> {
  const folder = new URL("lab/mutants/", repository);
  const members = await readMemberMutants(new URL("members/", folder));
  const wireKills = await readWireKills(new URL("wire_faults.json", folder));
  const exempt = await readExemptRows(new URL("exempt_rows.json", folder));
  const problems = [
    ...findListProblems(members, { rules: ALL_FAULTS, wireKills, suite }),
    ...findRowProblems(members, exempt, suite),
  ];
  if (problems.length > 0) {
    const reason = problems.join("; ");
    throw new KitError(KitErrorCode.BadFile, `Cannot use the lists in lab/mutants: ${reason}`);
  }
  return {
    members,
    faults: perTransport(ALL_FAULTS, wireKills, suite),
    controls: perTransport(WIRE_CONTROLS, new Map(), suite),
    idle: await createNullSubjects(repository, suite),
  };
}

/** Returns the mutants, controls and null subjects whose ids satisfy a predicate. */
export function narrowLaboratory(
  { members, faults, controls, idle }: Laboratory,
  isWanted: (id: string) => boolean,
): Laboratory {
  return {
    members: members.filter(({ id }) => isWanted(id)),
    faults: faults.filter(({ id }) => isWanted(id)),
    controls: controls.filter(({ id }) => isWanted(id)),
    idle: idle.filter(({ id }) => isWanted(id)),
  };
}

/**
 * Returns the mutants, controls and null subjects whose ids match a pattern, or everything if there
 * are no patterns.
 *
 * @throws {KitError} With code `usage` if a pattern matches no id, because a typo must not look
 * like a passed self-test.
 */
export function chooseByPatterns(
  laboratory: Laboratory,
  patterns: readonly string[],
): Laboratory {
  const ids = listIds(laboratory);
  const lost = patterns.find((pattern) => !ids.some((id) => fitsId(pattern, id)));
  if (lost !== undefined) {
    throw new KitError(KitErrorCode.Usage, `Cannot test the kit: no id matches "${lost}"`);
  }
  if (patterns.length === 0) return laboratory;
  return narrowLaboratory(laboratory, (id) => patterns.some((pattern) => fitsId(pattern, id)));
}

/** Returns the ids of all mutants, controls and null subjects. */
export function listIds({ members, faults, controls, idle }: Laboratory): readonly string[] {
  return [...new Set([...members, ...faults, ...controls, ...idle].map(({ id }) => id))];
}

/** Returns the cases of which at least one must fail with a mutant. */
export function killersOf({ kills, rows }: MemberMutant, suite: Suite): readonly Case[] {
  return [...new Set([...kills, ...rows.map(toCaseId)])].flatMap((id) => suite.get(id) ?? []);
}

const DEFAULT_TRANSPORTS: readonly Transport[] = ["stdio", "http"];

/** Pairs each rule with each transport on which the rule has an effect. */
function perTransport(
  rules: readonly FaultRule[],
  wireKills: WireKills,
  suite: Suite,
): readonly RuleOnWire[] {
  return rules.flatMap((rule) =>
    (rule.transports ?? DEFAULT_TRANSPORTS).map((transport) => ({
      id: rule.id,
      rule,
      transport,
      kills: (wireKills.get(rule.id) ?? []).flatMap((id) => suite.get(id) ?? [])
        .filter(({ needs }) => needs?.transports?.includes(transport) !== false),
    }))
  );
}
