/**
 * Random mutants that no case is known to detect, each with a reason.
 *
 * @module
 */

import schema from "../schemas/random_mutants.schema.json" with { type: "json" };
import type { DrawnMutant } from "./drawn_mutant.ts";
import { readChecked } from "./mutants.ts";

/** The file `mutants/random.json`. */
export interface Exclusions {
  /** Code that is not mutated. */
  readonly outside: readonly { readonly reason: string; readonly files: readonly string[] }[];
  /** Kinds of mutants that are excluded from the score. */
  readonly classes: readonly ExcludedClass[];
  /** Single mutants that are known to survive. They count as survivors. */
  readonly survivors: readonly KnownSurvivor[];
}

/**
 * A class of mutants to exclude: those that match every member that is present. A class that
 * selects lines or replaced texts excludes an emptied block only if its operators name
 * `block-empty`, because the block can contain other lines.
 */
export interface ExcludedClass {
  /** Reason why no case can detect the mutants. */
  readonly reason: string;
  /** Names of mutation operators. */
  readonly operators?: readonly string[];
  /** Regular expression for the path of the mutated file. */
  readonly file?: string;
  /** Regular expression for the innermost call, error or member that contains the change. */
  readonly context?: string;
  /** Regular expression for the replaced text. */
  readonly before?: string;
  /** Regular expression for the lines that contain the change. */
  readonly find?: string;
}

/** A single mutant. */
export type KnownSurvivor =
  & Pick<DrawnMutant, "file" | "find" | "replace">
  & { readonly reason: string };

/** Reads the repository's exclusions. */
export async function readExclusions(repository: URL): Promise<Exclusions> {
  const value = await readChecked(new URL("lab/mutants/random.json", repository), schema);
  // The value has been validated against random_mutants.schema.json, so the cast is safe.
  return (value ?? { outside: [], classes: [], survivors: [] }) as Exclusions;
}

/** Returns the reason why no case can detect a class of mutants, if the mutant is in a class. */
export function findClassReason(
  classes: readonly ExcludedClass[],
  mutant: DrawnMutant,
): string | undefined {
  return classes.find((each) => isInClass(each, mutant))?.reason;
}

/** Returns the reason why a single mutant survives, if it is known. */
export function findSurvivorReason(
  survivors: readonly KnownSurvivor[],
  mutant: DrawnMutant,
): string | undefined {
  return survivors.find(({ file, find, replace }) =>
    file === mutant.file && find === mutant.find && replace === mutant.replace
  )?.reason;
}

function isInClass({ operators, ...patterns }: ExcludedClass, mutant: DrawnMutant): boolean {
  if (operators?.includes(mutant.operator) === false) return false;
  const selectsLines = patterns.before !== undefined || patterns.find !== undefined;
  if (mutant.operator === "block-empty" && selectsLines && operators === undefined) return false;
  return (["file", "context", "before", "find"] as const).every((name) => {
    const pattern = patterns[name];
    return pattern === undefined || new RegExp(pattern, "u").test(mutant[name]);
  });
}
