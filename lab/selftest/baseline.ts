/**
 * The cases to run without a fault. If a case fails both without and with a mutant, the failure
 * does not prove that the case detects the mutant.
 *
 * @module
 */

import { type Case, CaseLevel } from "../../conformance/kit/case.ts";
import type { Suite } from "../../conformance/kit/load_cases.ts";
import { selectCases, type Selection } from "../../conformance/kit/select_cases.ts";
import { isForServer } from "../../conformance/runner/server_executor.ts";
import type { Subject } from "../../conformance/runner/subject.ts";
import { killersOf, type Laboratory, type RuleOnWire, type Transport } from "./laboratory.ts";
import type { OwnSubject } from "./workspace.ts";

/** The latest legacy and the latest modern protocol version. */
export const REVISIONS = ["2025-11-25", "2026-07-28"] as const;

/** A protocol version in {@linkcode REVISIONS}. */
export type Revision = (typeof REVISIONS)[number];

/** Excludes recorded cases, because they describe one server and are not requirements. */
export const BINDING: Selection = { level: CaseLevel.May };

/** Returns the protocol version for running a case. */
export function revisionOf({ revisions }: Case): Revision {
  return (revisions?.from ?? "") > REVISIONS[0] ? REVISIONS[1] : REVISIONS[0];
}

/**
 * Returns only the connections that the cases need. One transport is enough, because a fault in a
 * library affects both transports.
 */
export function subjectFor(
  kills: readonly Case[],
  { driverOf, server, url, start }: OwnSubject,
): Subject {
  const isOnStdio = (each: Case): boolean => each.needs?.transports?.includes("stdio") !== false;
  const onWire = kills.filter(isForServer);
  const forDriver = kills.filter((each) => !isForServer(each));
  const libraries = new Set(forDriver.map(({ id }) => id.slice(0, id.indexOf("/"))));
  return {
    ...(forDriver.length === 0 ? {} : { driver: driverOf(libraries) }),
    ...(onWire.some(isOnStdio) ? { server } : {}),
    ...(onWire.every(isOnStdio) ? {} : { url, start }),
  };
}

/** The cases to run without a fault in one protocol version. */
export interface BaselineRun {
  readonly revision: Revision;
  readonly subject: Subject;
  readonly ids: ReadonlySet<string>;
}

/**
 * Returns the cases that the mutants and controls of a laboratory need, and the connections that
 * those cases need. Protocol versions without cases are omitted.
 */
export function planBaseline(
  laboratory: Laboratory,
  suite: Suite,
  own: OwnSubject,
): readonly BaselineRun[] {
  return REVISIONS.map((revision) => planRevision(revision, { laboratory, suite, own }))
    .filter(({ ids }) => ids.size > 0);
}

function planRevision(
  revision: Revision,
  { laboratory: { members, faults, controls }, suite, own }: {
    readonly laboratory: Laboratory;
    readonly suite: Suite;
    readonly own: OwnSubject;
  },
): BaselineRun {
  const isHere = (each: Case): boolean => revisionOf(each) === revision;
  const ofMembers = members.flatMap((mutant) => killersOf(mutant, suite)).filter(isHere);
  const onWire = [
    ...faults.map(({ transport, kills }) => ({ transport, cases: kills.filter(isHere) })),
    ...controls.filter((control) => revisionOfControl(control) === revision)
      .map((control) => ({ transport: control.transport, cases: casesOfControl(control, suite) })),
  ];
  const uses = (transport: Transport): boolean =>
    onWire.some((each) => each.transport === transport && each.cases.length > 0);
  return {
    revision,
    subject: {
      ...subjectFor(ofMembers, own),
      ...(uses("stdio") ? { server: own.server } : {}),
      ...(uses("http") ? { url: own.url, start: own.start } : {}),
    },
    ids: new Set([...ofMembers, ...onWire.flatMap(({ cases }) => cases)].map(({ id }) => id)),
  };
}

/** Returns the protocol version for running a control. */
export function revisionOfControl({ rule }: RuleOnWire): string {
  return rule.cases?.revision ?? REVISIONS[0];
}

/** Returns the criteria that select the cases of a control. */
export function selectForControl({ rule }: RuleOnWire): Selection {
  const only = rule.cases?.only;
  return only === undefined ? BINDING : { ...BINDING, only };
}

function casesOfControl(control: RuleOnWire, suite: Suite): readonly Case[] {
  return selectCases(suite.values(), selectForControl(control))
    .filter(isForServer);
}
