/**
 * Profiles: who wrote the requirement that a case tests.
 *
 * @module
 */

import { type Case, CaseLevel } from "./case.ts";

/** Profiles of cases. */
export const Profile = {
  /** Requirements of specifications and contracts of others. */
  Core: "core",
  /** Decisions of this project, on points that no specification or contract determines. */
  Parley: "parley",
} as const;

/** A value of {@linkcode Profile}. */
export type Profile = (typeof Profile)[keyof typeof Profile];

/**
 * Returns the profile of a case. The basis `spec` of a runtime case is the specification of this
 * project's own runtime, which other agent loops do not implement.
 */
export function profileOf({ id, basis }: Pick<Case, "id" | "basis">): Profile {
  const isOwn = basis === "decision" || (basis === "spec" && id.startsWith("runtime/"));
  return isOwn ? Profile.Parley : Profile.Core;
}

/**
 * States of cases that are run and whose results count neither as passed nor as failed: `proposed`
 * if the case is in no requirement set yet, and `disputed` if an erratum says that the case may be
 * wrong.
 */
export type UncountedState = "proposed" | "disputed";

/** The members of a result that describe the requirement of its case. */
export interface Requirement {
  /** Level of the requirement. */
  readonly level: CaseLevel;
  /** Basis of the requirement. */
  readonly basis: string;
  /** Profile of the case. */
  readonly profile: Profile;
  /** State of the case if its result does not count. */
  readonly state?: UncountedState;
  /** Set if a failure is a difference from Parley. */
  readonly isDifference?: true;
  /** Whether a failure of the case fails the run. */
  readonly isRequired: boolean;
}

/** Describes the requirement of a case in a run. */
export function describeRequirement(
  each: Case,
  { isStrict, profile: chosen }: {
    readonly isStrict: boolean;
    readonly profile: Profile | "all" | undefined;
  },
): Requirement {
  const { level, basis, state } = each;
  const profile = profileOf(each);
  const isDifference = chosen !== undefined && profile === Profile.Parley;
  const hasLevel = level === CaseLevel.Must || (isStrict && level === CaseLevel.Should);
  return {
    level,
    basis,
    profile,
    ...(state === undefined ? {} : { state }),
    ...(isDifference ? { isDifference: true } : {}),
    isRequired: hasLevel && !isDifference && state === undefined,
  };
}
