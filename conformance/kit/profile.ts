/**
 * Profiles: who wrote the requirement that a case tests.
 *
 * @module
 */

import type { Case } from "./case.ts";

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
